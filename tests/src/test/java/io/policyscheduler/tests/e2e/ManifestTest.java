package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.server.RequestRouter.RequestLog;
import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The manifest for real clusters grants exactly the rights that the program uses, and sets flags that exist. */
@Timeout(120)
class ManifestTest {
    private static final String AGENT = "policy-scheduler/";

    private final List<JsonNode> objects = read();

    private static List<JsonNode> read() {
        Path file = RepositoryFiles.root().resolve("policy-files/manifests/policy-scheduler.yaml");
        YAMLMapper yaml = new YAMLMapper();
        List<JsonNode> all = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                yaml.readerFor(JsonNode.class).readValues(file.toFile())) {
            documents.forEachRemaining(all::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private JsonNode object(String kind) {
        return objects.stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .findFirst()
                .orElseThrow();
    }

    private JsonNode container() {
        return object("Deployment").at("/spec/template/spec/containers/0");
    }

    private List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        container().path("args").forEach(argument -> arguments.add(argument.asText()));
        return arguments;
    }

    /** Returns all rights of a role as {@code verb group/resource}. */
    private Set<String> rights(String kind) {
        Set<String> rights = new TreeSet<>();
        for (JsonNode rule : object(kind).path("rules")) {
            for (JsonNode group : rule.path("apiGroups")) {
                for (JsonNode resource : rule.path("resources")) {
                    for (JsonNode verb : rule.path("verbs")) {
                        rights.add(verb.asText() + " " + group.asText() + "/" + resource.asText());
                    }
                }
            }
        }
        return rights;
    }

    @Test
    void theArgumentsAreOptionsOfRun() {
        List<String> arguments = arguments();
        CommandLine.ParseResult parsed = Main.commandLine().parseArgs(arguments.toArray(String[]::new));
        CommandLine.ParseResult run = parsed.subcommand();
        assertEquals("run", run.commandSpec().name());
        assertEquals(true, run.matchedOptionValue("--leader-elect", false));
        assertEquals(
                ":" + container().at("/ports/0/containerPort").asText(),
                run.matchedOptionValue("--status-address", ""));
        assertEquals(
                object("ConfigMap").at("/metadata/name").asText(), run.matchedOptionValue("--policy-configmap", ""));
    }

    @Test
    void thePolicyIsValid() throws Exception {
        String text = object("ConfigMap").path("data").path("policy.cfg").asText();
        EffectivePolicy policy = new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry())
                .resolve(new PolicyReader().read(text, "manifest"));
        assertEquals(List.of(), policy.warnings());
        assertTrue(policy.predicates().containsKey("CheckVolumeBinding"));
    }

    @Test
    void theNetworkPolicyIsAboutTheStatusPortOfThesePods() {
        JsonNode policy = object("NetworkPolicy");
        JsonNode deployment = object("Deployment");
        assertEquals(deployment.at("/metadata/namespace"), policy.at("/metadata/namespace"));
        assertEquals(deployment.at("/spec/template/metadata/labels"), policy.at("/spec/podSelector/matchLabels"));
        assertEquals("[\"Ingress\"]", policy.at("/spec/policyTypes").toString());
        assertEquals(1, policy.at("/spec/ingress").size());
        assertEquals(container().at("/ports/0/containerPort"), policy.at("/spec/ingress/0/ports/0/port"));
    }

    @Test
    void theRightsAreExactlyWhatARunAsksFor(@TempDir Path folder) throws IOException {
        Set<String> everywhere = new TreeSet<>();
        Set<String> inKubeSystem = new TreeSet<>();
        try (LiveCluster live = new LiveCluster(Release.V1_34)) {
            live.cluster().load(object("ConfigMap"));
            List<String> arguments = arguments();
            arguments.replaceAll(argument -> argument.replace("status-address=:10251", "status-address=127.0.0.1:0"));
            arguments.add("--master=" + live.cluster().url());
            try (Program program = Program.start(folder, arguments.toArray(String[]::new))) {
                program.awaitOutput("successfully acquired lease kube-system/policy-scheduler");
                workload(live);
                askForANodeAsForAnExtender(folder, live);
                Await.until(
                        LiveCluster.PATIENCE,
                        "the lease is renewed",
                        () -> asked(live)
                                .anyMatch(entry -> entry.verb().equals("update")
                                        && entry.resource().equals("leases")),
                        program::output);
            }
            asked(live).forEach(entry -> {
                boolean own = entry.group().equals("coordination.k8s.io")
                        || entry.resource().equals("configmaps");
                (own ? inKubeSystem : everywhere).add(entry.verb() + " " + entry.group() + "/" + entry.resource());
            });
        }
        Set<String> granted = rights("ClusterRole");
        // The policy of the manifest does not name DynamicResources, so no
        // claim is written; core events are for older servers.
        granted.removeAll(Set.of(
                "patch /events",
                "get resource.k8s.io/resourceclaims",
                "update resource.k8s.io/resourceclaims",
                "create resource.k8s.io/resourceclaims",
                "delete resource.k8s.io/resourceclaims",
                "update resource.k8s.io/resourceclaims/status",
                "update resource.k8s.io/resourceclaims/binding",
                "patch resource.k8s.io/resourceclaims/binding",
                "update /pods/finalizers"));
        assertEquals(granted, everywhere);
        assertEquals(rights("Role"), inKubeSystem);
    }

    /** A node that an extender names before the watch has delivered it. */
    private static void askForANodeAsForAnExtender(Path folder, LiveCluster live) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        live.cluster().writeKubeconfig(kubeconfig);
        try (KubeConnection connection = KubeConnection.fromKubeconfig(kubeconfig, null);
                KubeRawObjects objects = new KubeRawObjects(connection, new Random(), Clock.systemUTC())) {
            assertTrue(objects.node("n0").contains("n0"));
        }
    }

    private static Stream<RequestLog.Entry> asked(LiveCluster live) {
        return live.cluster().requests().entries().stream()
                .filter(entry -> entry.userAgent().startsWith(AGENT));
    }

    /** Causes every kind of write of the scheduler: binds, failures, repeated events, preemption, and volumes. */
    private static void workload(LiveCluster live) {
        live.addNodes(1, "4");
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        // One volume exists, the other one is provisioned: two different writes.
        volume(live, "local", "kubernetes.io/no-provisioner");
        volume(live, "fast", "example.com/fake");
        live.cluster().load(FakeVolumeController.localVolume("disk", "n0", "local"));
        try (FakeVolumeController controller = new FakeVolumeController(live.cluster(), live.api())) {
            for (String name : List.of("local", "fast")) {
                ObjectNode withVolume = Manifest.pod("with-" + name, "100m");
                withVolume
                        .withObject("/spec")
                        .putArray("volumes")
                        .addObject()
                        .put("name", "v")
                        .putObject("persistentVolumeClaim")
                        .put("claimName", name);
                live.cluster().load(withVolume);
                live.awaitBound("with-" + name);
            }
            live.addPods("low", 1, "3");
            live.awaitBound("low0");
            live.cluster().load(Manifest.podWithPriority("urgent", "3", "high"));
            live.awaitBound("urgent");
            live.addPods("huge", 1, "64");
            live.awaitUnschedulable("huge0");
            // A change of the node causes another attempt with the same result.
            AtomicInteger changes = new AtomicInteger();
            Await.until(
                    LiveCluster.PATIENCE,
                    "an event is counted up",
                    () -> {
                        live.api()
                                .patchNode(
                                        "n0", "{'metadata':{'labels':{'change':'" + changes.incrementAndGet() + "'}}}");
                        return live.cluster().list("events").stream()
                                .anyMatch(event -> event.path("count").asInt() > 1
                                        || event.at("/series/count").asInt() > 1);
                    },
                    live::state);
            assertFalse(controller.isBroken());
        }
    }

    /** Creates a storage class and a claim of the same name. */
    private static void volume(LiveCluster live, String name, String provisioner) {
        live.cluster()
                .load(Manifest.json("{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'"
                        + name + "'},'provisioner':'" + provisioner + "','volumeBindingMode':'WaitForFirstConsumer'}"));
        live.cluster()
                .load(Manifest.json("{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'" + name
                        + "','namespace':'default'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'" + name
                        + "','resources':{'requests':{'storage':'1Gi'}}},'status':{'phase':'Pending'}}"));
    }
}
