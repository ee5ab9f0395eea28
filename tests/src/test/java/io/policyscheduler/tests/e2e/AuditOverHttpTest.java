package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The audit command on a running cluster: which pods it evicts, and which ones disruption budgets protect. */
class AuditOverHttpTest {
    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void evictsWithinBudgets(Release release) throws IOException {
        try (LiveCluster live = new LiveCluster(release)) {
            live.addNodes(2, "16");
            run(live, "free", "ReplicaSet", Map.of());
            run(live, "guarded-1", "ReplicaSet", Map.of("guarded", "yes"));
            run(live, "guarded-2", "ReplicaSet", Map.of("guarded", "yes"));
            run(live, "agent", "DaemonSet", Map.of());
            run(live, "bare", "", Map.of());
            live.cluster().load(budget(release));
            assertEquals(
                    "{}",
                    evictions(live, "--evict", "--dry-run=false", "--rate=100/s")
                            .toString(),
                    "nothing is wrong yet");

            live.api().patchNode("n0", "{'spec':{'taints':[{'key':'gpu','effect':'NoSchedule'}]}}");
            assertEquals(
                    "{agent=spared, bare=spared, free=planned, guarded-1=planned, guarded-2=planned}",
                    evictions(live, "--evict").toString());
            assertEquals(List.of("agent", "bare", "free", "guarded-1", "guarded-2"), pods(live));

            assertEquals(
                    "{agent=spared, bare=spared, free=evicted, guarded-1=evicted, guarded-2=budget}",
                    evictions(live, "--evict", "--dry-run=false", "--rate=100/s", "--attempts=2")
                            .toString());
            awaitPods(live, List.of("agent", "bare", "guarded-2"));

            live.api()
                    .mergePatch(
                            "/apis/" + policyVersion(release) + "/namespaces/default/poddisruptionbudgets/b/status",
                            "{'status':{'disruptionsAllowed':1}}");
            assertEquals(
                    "{agent=spared, bare=spared, guarded-2=evicted}",
                    evictions(live, "--evict", "--dry-run=false", "--rate=100/s")
                            .toString());
            awaitPods(live, List.of("agent", "bare"));
        }
    }

    /** A pod on n0 that would not be placed there now. */
    private static void run(LiveCluster live, String name, String ownerKind, Map<String, String> labels) {
        ObjectNode pod = Manifest.pod(name, "1");
        pod.withObject("/spec").put("nodeName", "n0");
        labels.forEach((key, value) -> pod.withObject("/metadata/labels").put(key, value));
        if (!ownerKind.isEmpty()) {
            pod.withObject("/metadata")
                    .putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "apps/v1")
                    .put("kind", ownerKind)
                    .put("name", "owner")
                    .put("uid", "owner-uid")
                    .put("controller", true);
        }
        live.cluster().load(pod);
        Await.until(
                LiveCluster.PATIENCE,
                name + " runs",
                () -> live.cluster()
                        .get("pods", "default", name)
                        .filter(object ->
                                object.path("status").path("phase").asText().equals("Running"))
                        .isPresent(),
                live::state);
    }

    private static String policyVersion(Release release) {
        return release.equals(Release.V1_17) ? "policy/v1beta1" : "policy/v1";
    }

    private static ObjectNode budget(Release release) {
        return Manifest.json(
                "{'apiVersion':'" + policyVersion(release) + "','kind':'PodDisruptionBudget','metadata':{'name':'b',"
                        + "'namespace':'default'},'spec':{'minAvailable':1,'selector':{'matchLabels':{'guarded':'yes'}}},"
                        + "'status':{'disruptionsAllowed':1,'currentHealthy':2,'desiredHealthy':1,'expectedPods':2}}");
    }

    /** Runs the command. Returns the result of each pod's eviction. */
    private static Map<String, String> evictions(LiveCluster live, String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of(
                "audit",
                "--provider=DefaultProvider",
                "--master=" + live.cluster().url(),
                "-o",
                "json"));
        args.addAll(List.of(options));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Main.run(args.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
        assertEquals("", err.toString());
        Map<String, String> results = new TreeMap<>();
        for (JsonNode eviction : new ObjectMapper().readTree(out.toString()).path("evictions")) {
            results.put(
                    eviction.path("pod").asText().replace("default/", ""),
                    eviction.path("result").asText());
        }
        return results;
    }

    private static List<String> pods(LiveCluster live) {
        return live.cluster().list("pods").stream()
                .map(pod -> pod.path("metadata").path("name").asText())
                .sorted()
                .toList();
    }

    private static void awaitPods(LiveCluster live, List<String> expected) {
        Await.until(
                LiveCluster.PATIENCE, "left are " + expected, () -> pods(live).equals(expected), live::state);
    }
}
