package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program with a configuration of several profiles, and with policies that change while it runs. */
class ConfiguredProgramTest {
    private static final String ON_A =
            "{'kind':'Policy','apiVersion':'v1','predicates':[{'name':'PodFitsResources'},{'name':'ZoneA','argument':"
                    + "{'labelsPresence':{'labels':['a'],'presence':true}}}],'priorities':[]}";
    private static final String ON_B = ON_A.replace("'a'", "'b'");
    private static final String GENERATION = "policy_scheduler_policy_generation";

    private final LiveCluster live = new LiveCluster();

    private final Path folder;

    ConfiguredProgramTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @BeforeEach
    void nodes() {
        for (String label : new String[] {"a", "b"}) {
            ObjectNode node = Manifest.node("on-" + label, "64");
            node.withObject("/metadata/labels").put(label, "yes");
            node.withObject("/status/allocatable").put("pods", "1000");
            live.cluster().load(node);
        }
    }

    @AfterEach
    void close() {
        live.close();
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text.replace('\'', '"'));
    }

    private void create(String schedulerName, String pod) {
        live.api().createPod(Manifest.podOf(schedulerName, pod, "100m"));
    }

    private void assertPlaced(String pod, String node) {
        live.awaitBound(pod);
        assertEquals(node, live.nodeOf(pod));
    }

    @Test
    void severalSchedulerNamesInOneProcess() throws IOException {
        Path config = write("config.yaml", """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - schedulerName: modern
                  pluginConfig:
                  - name: NodeAffinity
                    args:
                      addedAffinity:
                        requiredDuringSchedulingIgnoredDuringExecution:
                          nodeSelectorTerms:
                          - matchExpressions: [{key: b, operator: Exists}]
                """);
        Path policy = write("policy.json", ON_A);
        try (Program program = Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--config",
                config.toString(),
                "--profile",
                "old=policy:" + policy,
                "--profile",
                "stock=provider:DefaultProvider",
                "--status-address",
                "0")) {
            // The plugins of each profile by extension point, with weights.
            program.awaitOutput("plugins of stock: filter: ");
            program.awaitOutput("plugins of stock: score: NodeResourcesBalancedAllocation=1, ");
            assertTrue(program.output().contains("plugins of modern: queueSort: PrioritySort\n"), program::output);
            assertTrue(program.output().contains("plugins of old: filter: "), program::output);
            create("old", "p-old");
            create("modern", "p-modern");
            create("stock", "p-stock");
            create("nobody", "p-nobody");
            assertPlaced("p-old", "on-a");
            assertPlaced("p-modern", "on-b");
            live.awaitBound("p-stock");
            live.api().patchNode("on-a", "{'spec':{'unschedulable':true}}");
            live.api().patchNode("on-b", "{'spec':{'unschedulable':true}}");
            program.awaitSeen("nodes", live.version());
            create("modern", "q-modern");
            create("stock", "q-stock");
            assertEquals(
                    "0/2 nodes are available: 2 node(s) were unschedulable.",
                    live.awaitUnschedulable("q-stock").path("message").asText());
            assertTrue(live.awaitUnschedulable("q-modern")
                    .path("message")
                    .asText()
                    .startsWith("0/2 nodes are available: "));
            assertEquals("", live.nodeOf("p-nobody"));
            live.assertSound();
        }
    }

    /** Without default spreading, all plugins sign pods. */
    @Test
    void aProfileWithoutDefaultSpreadingBatches() throws IOException {
        Path config = write("config.yaml", """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - schedulerName: policy-scheduler
                  pluginConfig:
                  - name: PodTopologySpread
                    args: {defaultingType: List}
                """);
        try (LiveCluster newest = new LiveCluster(Release.NEWEST);
                Program program = Program.start(
                        folder,
                        "run",
                        "--master",
                        newest.cluster().url(),
                        "--config",
                        config.toString(),
                        "--status-address",
                        "0")) {
            newest.addNodes(2, "4");
            newest.api().createPod(Manifest.pod("first", "100m"));
            program.awaitMetric(
                    "scheduler_batch_attempts_total{profile=\"" + Manifest.SCHEDULER + "\",result=\"no_hint\"}", "1.0");
            newest.awaitBound("first");
        }
    }

    @Test
    void policiesChangeUnderLoad() throws IOException {
        Path policy = write("policy.json", ON_A);
        try (Program program = Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--scheduler-name",
                Manifest.SCHEDULER,
                "--policy-config-file",
                policy.toString(),
                "--status-address",
                "0")) {
            program.awaitMetric(GENERATION, "1.0");
            live.addPods("load", 100, "10m");
            create(Manifest.SCHEDULER, "first");
            assertPlaced("first", "on-a");

            write("policy.json", ON_B);
            live.addPods("more", 100, "10m");
            program.awaitMetric(GENERATION, "2.0");
            create(Manifest.SCHEDULER, "second");
            assertPlaced("second", "on-b");
            assertEquals("2", generationOfScheduledEvent("second"));

            write("policy.json", ON_B.replace("PodFitsResources", "PodFitsResource"));
            program.awaitOutput("rejected; the old policy stays in effect");
            assertTrue(program.output().contains("did you mean \"PodFitsResources\"?"), program.output());
            live.addPods("last", 100, "10m");
            create(Manifest.SCHEDULER, "third");
            assertPlaced("third", "on-b");
            assertEquals("2.0", program.metric(GENERATION));

            write("policy.json", ON_A);
            program.signal("HUP");
            program.awaitMetric(GENERATION, "3.0");
            create(Manifest.SCHEDULER, "fourth");
            assertPlaced("fourth", "on-a");
            live.awaitAllBound(304);
            live.assertSound();
            program.signal("TERM");
            program.awaitEnd();
        }
    }

    private String generationOfScheduledEvent(String pod) {
        live.awaitEvents(pod, "Scheduled");
        for (ObjectNode event : live.cluster().list("events")) {
            if (event.path("reason").asText().equals("Scheduled")
                    && event.path("involvedObject").path("name").asText().equals(pod)) {
                return event.path("metadata")
                        .path("annotations")
                        .path("policy-scheduler.io/generation")
                        .asText();
            }
        }
        return "";
    }

    @Test
    void aConfigMapIsWatched() throws IOException {
        live.cluster().load(configMap(ON_A));
        try (Program program = Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--policy-configmap",
                "policy",
                "--policy-configmap-namespace",
                "default",
                "--status-address",
                "0")) {
            program.awaitMetric(GENERATION, "1.0");
            create(Manifest.SCHEDULER, "first");
            assertPlaced("first", "on-a");
            live.api()
                    .mergePatch(
                            "/api/v1/namespaces/default/configmaps/policy",
                            "{'data':" + configMap(ON_B).path("data") + "}");
            program.awaitMetric(GENERATION, "2.0");
            create(Manifest.SCHEDULER, "second");
            assertPlaced("second", "on-b");
        }
    }

    private static ObjectNode configMap(String policy) {
        ObjectNode map = Manifest.json(
                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'policy','namespace':'default'},'data':{}}");
        map.withObject("/data").put("policy.cfg", policy.replace('\'', '"'));
        return map;
    }
}
