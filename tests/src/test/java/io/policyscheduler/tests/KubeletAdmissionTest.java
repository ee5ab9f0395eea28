package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cluster.GeneralPredicatesAdmission;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.cmd.replay.Replayer;
import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The kubelet of 1.34 rejects no pod that a policy places on such a cluster, whatever fields the pod uses. {@code -Dsnapshots=10000} tries more random
 * snapshots, {@code -Dseed=...} only one.
 */
class KubeletAdmissionTest {
    private static final int SNAPSHOTS = 150;
    private static final Release RELEASE = Release.parse("1.34");
    private static final String OUT_OF = "OutOf";

    private final Replayer replayer = new Replayer(ReplayRules.inClusterOf(RELEASE, "DefaultProvider"));
    private final GeneralPredicatesAdmission kubelet = new GeneralPredicatesAdmission(RELEASE);

    /** Node manifests by name, each with the manifests of its pods. */
    private record Cluster(Map<String, ObjectNode> nodes, Map<String, List<ObjectNode>> pods) {
        Cluster(JsonNode scenario) {
            this(new LinkedHashMap<>(), new LinkedHashMap<>());
            for (JsonNode object : scenario.path("cluster")) {
                if (object.path("kind").asText().equals("Node")) {
                    nodes.put(object.path("metadata").path("name").asText(), (ObjectNode) object);
                }
            }
            for (JsonNode object : scenario.path("cluster")) {
                if (object.path("kind").asText().equals("Pod")) {
                    place(
                            (ObjectNode) object,
                            object.path("spec").path("nodeName").asText());
                }
            }
        }

        void place(ObjectNode pod, String node) {
            pods.computeIfAbsent(node, name -> new ArrayList<>()).add(pod);
        }

        List<ObjectNode> on(String node) {
            return pods.getOrDefault(node, List.of());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ReplayMode.class,
            names = {"FUNCTIONS", "FRAMEWORK"})
    void whatIsPlacedIsAdmitted(ReplayMode mode) throws IOException {
        int placed = 0;
        for (long seed : seeds()) {
            ObjectNode scenario = NewerCluster.scenario(seed);
            JsonNode outcome = replayer.replay(scenario, mode);
            Cluster cluster = new Cluster(scenario);
            for (int i = 0; i < scenario.path("pending").size(); i++) {
                ObjectNode pod = (ObjectNode) scenario.path("pending").path(i);
                String node = outcome.path("pods").path(i).path("bound").asText();
                if (!node.isEmpty()) {
                    placed++;
                    ObjectNode target = Objects.requireNonNull(cluster.nodes().get(node), node);
                    String where = "-Dseed=" + seed + " "
                            + pod.path("metadata").path("name").asText() + " on " + node;
                    assertNull(kubelet.reject(pod, target, cluster.on(node)), where);
                    assertEquals(new TreeSet<>(), KubeletCount.lacking(pod, target, cluster.on(node)), where);
                    cluster.place(pod, node);
                }
            }
        }
        assertTrue(System.getProperty("seed") != null || placed > SNAPSHOTS, "too few pods placed: " + placed);
    }

    /** Checks the embedded kubelet against independent code; otherwise both could be wrong in the same way. */
    @Test
    void theKubeletCountsAsItShould() {
        GeneralPredicatesAdmission ofV117 = new GeneralPredicatesAdmission(Release.V1_17);
        int refused = 0;
        int onlyToday = 0;
        for (long seed : seeds()) {
            ObjectNode scenario = NewerCluster.scenario(seed);
            Cluster cluster = new Cluster(scenario);
            for (JsonNode pod : scenario.path("pending")) {
                for (Map.Entry<String, ObjectNode> node : cluster.nodes().entrySet()) {
                    List<ObjectNode> there = cluster.on(node.getKey());
                    String refusal = kubelet.reject((ObjectNode) pod, node.getValue(), there);
                    SortedSet<String> lacking = KubeletCount.lacking(pod, node.getValue(), there);
                    String where = "-Dseed=" + seed + " "
                            + pod.path("metadata").path("name").asText() + " on " + node.getKey() + ": " + refusal
                            + ", lacking " + lacking;
                    assertEquals(!lacking.isEmpty(), isOutOfSomething(refusal), where);
                    assertTrue(lacking.isEmpty() || lacking.contains(resource(refusal)), where);
                    refused += lacking.isEmpty() ? 0 : 1;
                    boolean before = isOutOfSomething(ofV117.reject((ObjectNode) pod, node.getValue(), there));
                    onlyToday += lacking.isEmpty() || before ? 0 : 1;
                }
            }
        }
        int found = onlyToday;
        assertTrue(System.getProperty("seed") != null || refused > SNAPSHOTS, "too few refusals: " + refused);
        assertTrue(System.getProperty("seed") != null || found > SNAPSHOTS / 10, "too few that 1.17 lacks: " + found);
    }

    /** The reason of each check by release; the message starts with the text of that release. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            17 | nodeSelector | MatchNodeSelector: Predicate MatchNodeSelector failed
            18 | nodeSelector | NodeAffinity: Predicate NodeAffinity failed
            34 | nodeSelector | NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector
            17 | hostPort | PodFitsHostPorts: Predicate PodFitsHostPorts failed
            36 | hostPort | NodePorts: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports
            17 | cpu | OutOfcpu: Node didn't have enough resource: cpu, requested: 3000, used: 100, capacity: 2000
            36 | cpu | OutOfcpu: Node didn't have enough resource: cpu, requested: 3000, used: 100, capacity: 2000
            17 | noExecute |
            21 | noExecute |
            22 | noExecute | TaintToleration: Predicate TaintToleration failed
            34 | noExecute | TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate
            35 | restart |
            36 | restart | PodFeatureUnsupported: Pod requires node features that are not available: RestartAllContainersOnContainerExits
            22 | windows |
            23 | windows | PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS
            """)
    void theReasonIsThatOfTheRelease(int minor, String check, @Nullable String reason) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        String taint = check.equals("noExecute") ? "{'key':'k','effect':'NoExecute'}" : "";
        ObjectNode node = object(
                mapper,
                "{'kind':'Node','metadata':{'name':'n','uid':'n'},'spec':{'taints':[" + taint
                        + "]},'status':{'allocatable':{'cpu':'2','memory':'4Gi','pods':'9'}}}");
        String spec = switch (check) {
            case "nodeSelector" -> "'nodeSelector':{'nowhere':'1'},'containers':[]";
            case "hostPort" -> "'containers':[{'name':'c','ports':[{'containerPort':80,'hostPort':80}]}]";
            case "cpu" -> "'containers':[{'name':'c','resources':{'requests':{'cpu':'3'}}}]";
            case "restart" ->
                "'containers':[{'name':'c','restartPolicyRules':[{'action':'RestartAllContainers',"
                        + "'exitCodes':{'operator':'In','values':[1]}}]}]";
            case "windows" -> "'os':{'name':'windows'},'containers':[]";
            default -> "'containers':[]";
        };
        ObjectNode pod = object(mapper, "{'kind':'Pod','metadata':{'name':'p','uid':'p'},'spec':{" + spec + "}}");
        ObjectNode other = object(
                mapper,
                "{'kind':'Pod','metadata':{'name':'q','uid':'q'},'spec':{'nodeName':'n','containers':[{'name':'c',"
                        + "'resources':{'requests':{'cpu':'100m'}},'ports':[{'containerPort':80,'hostPort':80}]}]}}");
        assertEquals(reason, new GeneralPredicatesAdmission(new Release(minor)).reject(pod, node, List.of(other)));
    }

    private static ObjectNode object(ObjectMapper mapper, String json) throws IOException {
        return (ObjectNode) mapper.readTree(json.replace('\'', '"'));
    }

    private static boolean isOutOfSomething(@Nullable String refusal) {
        return refusal != null && refusal.startsWith(OUT_OF);
    }

    private static String resource(@Nullable String refusal) {
        return refusal == null ? "" : refusal.substring(OUT_OF.length(), refusal.indexOf(':'));
    }

    private static long[] seeds() {
        Long seed = Long.getLong("seed");
        return seed != null
                ? new long[] {seed}
                : LongStream.rangeClosed(1, Integer.getInteger("snapshots", SNAPSHOTS))
                        .toArray();
    }
}
