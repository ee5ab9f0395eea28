package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.tests.packaging.Kustomizations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs of the overlays, started by the arguments that stand there; only addresses and paths are of this machine. The
 * second scheduler is the business of {@link ManifestTest}.
 */
@Timeout(120)
class DeployedProgramsTest {
    private static final String AGENT = "policy-scheduler/";
    private static final String POLICY = "/etc/policy-scheduler/policy.cfg";

    private final LiveCluster live = new LiveCluster(ReleaseProfile.MODERN);

    @TempDir
    Path folder = Path.of("");

    @AfterEach
    void close() {
        live.close();
    }

    /** The arguments of a container, with this cluster and the overlay's own policy in a file. */
    private String[] arguments(JsonNode container, String policyPath) throws IOException {
        JsonNode config = Kustomizations.one(Kustomizations.overlay("second-scheduler"), "ConfigMap");
        Path policy = Files.writeString(
                folder.resolve("policy.cfg"), config.at("/data/policy.cfg").asText());
        Path kubeconfig = folder.resolve("kubeconfig");
        live.cluster().writeKubeconfig(kubeconfig);
        List<String> arguments = new ArrayList<>();
        boolean connected = false;
        for (JsonNode each : container.path("args")) {
            String argument = each.asText();
            connected |= argument.startsWith("--kubeconfig=");
            arguments.add(argument.replace(policyPath, policy.toString())
                    .replace("/etc/kubernetes/scheduler.conf", kubeconfig.toString())
                    .replaceAll("^--port=\\d+$", "--port=0")
                    .replaceAll("^--status-address=.*$", "--status-address=127.0.0.1:0"));
        }
        if (!connected) {
            arguments.add("--kubeconfig=" + kubeconfig);
        }
        return arguments.toArray(String[]::new);
    }

    private Set<String> asked() {
        Set<String> asked = new TreeSet<>();
        live.cluster().requests().entries().stream()
                .filter(entry -> entry.userAgent().startsWith(AGENT))
                .forEach(entry -> asked.add(entry.verb() + " " + entry.group() + "/" + entry.resource()));
        return asked;
    }

    private void awaitAsked(Program program, Set<String> rights) {
        Await.until(
                LiveCluster.PATIENCE,
                "all that is granted has been asked for",
                () -> asked().containsAll(rights),
                () -> asked() + "\n" + program.output());
    }

    @Test
    void theExtenderAndTheShadowAskForWhatTheyAreGranted() throws IOException {
        live.addNodes(1, "4");
        Set<String> rights = Kustomizations.rights(Kustomizations.overlay("extender"), "ClusterRole");
        for (String overlay : List.of("extender", "shadow")) {
            JsonNode container = Kustomizations.one(Kustomizations.overlay(overlay), "Deployment")
                    .at("/spec/template/spec/containers/0");
            try (Program program = Program.start(folder, arguments(container, POLICY))) {
                program.awaitOutput(overlay.equals("shadow") ? "watching" : "serving");
                awaitAsked(program, rights);
            }
            assertEquals(rights, asked(), overlay);
        }
    }

    @Test
    void theAuditAsksForNoMoreThanItIsGranted() throws IOException {
        live.addNodes(1, "4");
        List<JsonNode> objects = Kustomizations.overlay("audit");
        JsonNode container =
                Kustomizations.one(objects, "CronJob").at("/spec/jobTemplate/spec/template/spec/containers/0");
        try (Program program = Program.start(folder, arguments(container, POLICY))) {
            assertEquals(0, program.awaitEnd(), program::output);
            assertTrue(program.output().contains("\"violations\": 0"), program::output);
        }
        Set<String> asked = asked();
        assertTrue(asked.contains("list /pods"), asked::toString);
        asked.removeAll(Kustomizations.rights(objects, "ClusterRole"));
        assertEquals(Set.of(), asked, "asked, but not granted");
    }

    @Test
    void theStaticPodSchedulesForTheDefaultNameWithTheLeaseOfKubeScheduler() throws IOException {
        live.addNodes(1, "4");
        List<JsonNode> objects = Kustomizations.overlay("static-pod");
        JsonNode pod = Kustomizations.documents(
                        Kustomizations.folder().resolve("overlays/static-pod/kube-scheduler.yaml"))
                .get(0);
        JsonNode container = pod.at("/spec/containers/0");
        assertEquals(container.at("/livenessProbe/httpGet/port"), container.at("/readinessProbe/httpGet/port"));
        assertTrue(container
                .path("args")
                .toString()
                .contains("\"--status-address=127.0.0.1:" + container.at("/livenessProbe/httpGet/port") + "\""));
        try (Program program = Program.start(folder, arguments(container, "/etc/kubernetes/policy/policy.cfg"))) {
            program.awaitOutput("successfully acquired lease kube-system/kube-scheduler");
            live.cluster()
                    .load(Manifest.json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web','namespace':"
                            + "'default'},'spec':{'containers':[{'name':'c','image':'i'}]}}"));
            live.awaitBound("web");
        }
        Set<String> asked = asked();
        asked.removeAll(Kustomizations.rights(objects, "ClusterRole"));
        asked.removeAll(Kustomizations.rights(objects, "Role"));
        assertEquals(Set.of(), asked, "asked, but not granted");
    }
}
