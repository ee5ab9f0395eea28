package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.functions.FunctionAlgorithm.FunctionAssembly;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects that no API server would store, or that contradict each other: nothing throws, and the result names the reason. */
class MalformedClusterTest {
    private static final String GOOD_NODE = """
            {"kind":"Node","metadata":{"name":"good","labels":{"zone":"a","kubernetes.io/hostname":"good"}},
             "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}}
            """;
    private static final String OK = "good";
    private static final String INVALID_SCORE = "returns an invalid score";

    private final AlgorithmRegistry registry = Algorithms.registry();

    /** Returns the results of both executors for the pending pods, in order: a node or an error. */
    private List<String> decide(String... objects) throws IOException, PolicyException {
        DumpedCluster dump = dump(objects);
        assertEquals(List.of(), dump.malformed());
        return decide(dump);
    }

    private static DumpedCluster dump(String... objects) throws IOException {
        DumpedCluster dump = new DumpedCluster();
        for (String object : objects) {
            dump.load(object);
        }
        return dump;
    }

    private List<String> decide(DumpedCluster dump) throws PolicyException {
        return decide(dump, false);
    }

    private List<String> decide(DumpedCluster dump, boolean strict) throws PolicyException {
        FeatureGates gates = FeatureGates.defaults().with(FeatureGates.EVEN_PODS_SPREAD, true);
        EffectivePolicy policy = new PolicyResolver(gates, 1, strict, registry).resolveProvider("DefaultProvider");
        SchedulingCycle cycle = SchedulingCycle.of(
                new ProviderAdapter(registry, name -> "").adapt(policy, dump.cluster()), dump.cluster());
        List<String> answers = new ArrayList<>();
        dump.cluster().startCycle();
        for (PodInfo pod : dump.pending()) {
            Evaluation plugins = cycle.evaluate(pod, NominatedPods.NONE);
            Evaluation functions = FunctionAssembly.assemble(policy, registry, name -> "")
                    .evaluate(pod, dump.cluster(), NominatedPods.NONE);
            String error = plugins.error();
            // v1.17 checks the range of scores of plugins only.
            if (error == null || !error.contains(INVALID_SCORE)) {
                assertEquals(functions.best(), plugins.best(), pod.name());
            }
            answers.add(error != null ? error : String.join(",", plugins.best()));
        }
        return answers;
    }

    private static String pod(String name, String spec) {
        return "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"default\",\"name\":\"" + name
                + "\",\"labels\":{\"app\":\"web\"}},\"spec\":" + spec + "}";
    }

    private static String asking(String resource, String quantity) {
        return pod(
                "p", "{\"containers\":[{\"resources\":{\"requests\":{\"" + resource + "\":\"" + quantity + "\"}}}]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // In 1.17, an exponent out of range gives 0, and other numbers wrap around.
                "memory | 1e30 | 0/1 nodes are available: 1 Insufficient memory.",
                "memory | 1000000000000000000000000000000 | 0/1 nodes are available: 1 Insufficient memory.",
                "cpu | 9223372036854775807 | 0/1 nodes are available: 1 Insufficient cpu.",
                "memory | 9223372036854775807 | 0/1 nodes are available: 1 Insufficient memory.",
                "example.com/gpu | 1 | 0/1 nodes are available: 1 Insufficient example.com/gpu.",
            })
    void oddQuantities(String resource, String quantity, String answer) throws IOException, PolicyException {
        assertEquals(List.of(answer), decide(GOOD_NODE, asking(resource, quantity)));
    }

    /** Negative requests lead to scores above 100; in 1.17 the last one wraps around to -1. */
    @ParameterizedTest
    @CsvSource({
        "cpu, -1, 111, good",
        "memory, -1Gi, 104, good",
        "cpu, 9223372036854775807, 111, 0/1 nodes are available: 1 Insufficient cpu."
    })
    void scoresOutOfRange(String resource, String quantity, long score, String answer)
            throws IOException, PolicyException {
        assertEquals(List.of(answer), decide(GOOD_NODE, asking(resource, quantity)));
        DumpedCluster dump = new DumpedCluster(FeatureGates.defaults().exactlyV117());
        dump.load(GOOD_NODE);
        dump.load(asking(resource, quantity));
        String error = "error while applying score defaultWeights for pod \"p\": score plugin"
                + " \"NodeResourcesLeastAllocated\" " + INVALID_SCORE + " " + score
                + ", it should in the range of [0, 100] after normalizing";
        assertEquals(List.of(error), decide(dump, true));
    }

    /** The sum of the requests exceeds 64 bits; other pods still see a full node with a valid score. */
    @Test
    void requestsThatWrapTogether() throws IOException, PolicyException {
        String running = "{\"nodeName\":\"good\",\"containers\":["
                + "{\"resources\":{\"requests\":{\"memory\":\"9223372036854775807\"}}},"
                + "{\"resources\":{\"requests\":{\"memory\":\"9223372028264841217\"}}}]}";
        assertEquals(
                List.of("0/1 nodes are available: 1 Insufficient memory.", OK),
                decide(GOOD_NODE, pod("hostile", running), asking("memory", "1"), pod("p", "{}")));
    }

    @ParameterizedTest
    @CsvSource({"cpu, lots", "memory, 1Kb", "memory, ''", "cpu, --1", "memory, 1e"})
    void quantitiesThatAreNone(String resource, String quantity) throws IOException {
        DumpedCluster dump = dump(GOOD_NODE, asking(resource, quantity));
        assertAll(
                () -> assertEquals(1, dump.malformed().size()),
                () -> assertEquals("Pod default/p", dump.malformed().get(0).substring(0, 13)),
                () -> assertEquals(0, dump.pending().size()));
    }

    @Test
    void nodeWithoutAnything() throws IOException, PolicyException {
        assertEquals(
                List.of("0/1 nodes are available: 1 Insufficient pods."),
                decide("{\"kind\":\"Node\",\"metadata\":{\"name\":\"bare\"}}", pod("p", "{}")));
    }

    @Test
    void emptyCluster() throws IOException, PolicyException {
        assertEquals(List.of("no nodes available to schedule pods"), decide(pod("p", "{}")));
    }

    @Test
    void danglingClaim() throws IOException, PolicyException {
        assertEquals(
                List.of("persistentvolumeclaim \"gone\" not found"),
                decide(
                        GOOD_NODE,
                        pod(
                                "p",
                                "{\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"gone\"}}]}")));
    }

    @Test
    void claimOfAVolumeThatIsGone() throws IOException, PolicyException {
        String claim = """
                {"kind":"PersistentVolumeClaim","metadata":{"namespace":"default","name":"c",
                 "annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
                 "spec":{"volumeName":"gone","storageClassName":"gone"}}
                """;
        assertEquals(
                1,
                decide(
                                GOOD_NODE,
                                claim,
                                pod(
                                        "p",
                                        "{\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}]}"))
                        .size());
    }

    @Test
    void badSelectors() throws IOException, PolicyException {
        String bad = "{\"matchExpressions\":[{\"key\":\"a b\",\"operator\":\"Near\",\"values\":[\"x\"]}]}";
        String anti = "{\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
                + "[{\"topologyKey\":\"zone\",\"labelSelector\":" + bad + "}]}}}";
        String service = "{\"kind\":\"ReplicaSet\",\"metadata\":{\"namespace\":\"default\",\"name\":\"r\"},"
                + "\"spec\":{\"selector\":" + bad + "}}";
        String badNodeTerm = "{\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
                + "{\"nodeSelectorTerms\":[" + bad + "]}}}}";
        assertEquals(
                List.of(OK, "0/1 nodes are available: 1 node(s) didn't match node selector."),
                decide(GOOD_NODE, service, pod("anti", anti), pod("term", badNodeTerm)));
    }

    @Test
    void hugeLabels() throws IOException, PolicyException {
        String value = "x".repeat(5_000);
        String node = GOOD_NODE.replace("\"zone\":\"a\"", "\"zone\":\"" + value + "\"");
        assertEquals(List.of(OK), decide(node, pod("p", "{\"nodeSelector\":{\"zone\":\"" + value + "\"}}")));
    }

    @Test
    void duplicateNames() throws IOException, PolicyException {
        String full = GOOD_NODE.replace("\"pods\":\"10\"", "\"pods\":\"0\"");
        assertEquals(
                List.of(
                        "0/1 nodes are available: 1 Insufficient pods.",
                        "0/1 nodes are available: 1 Insufficient pods."),
                decide(GOOD_NODE, full, pod("p", "{}"), pod("p", "{}")));
    }

    @Test
    void podsOnNodesThatAreGone() throws IOException, PolicyException {
        assertEquals(List.of(OK), decide(GOOD_NODE, pod("running", "{\"nodeName\":\"gone\"}"), pod("p", "{}")));
    }

    @Test
    void wrongTypesAreNamedAndLeftOut() throws IOException {
        DumpedCluster dump = dump("{\"kind\":\"List\",\"items\":[" + GOOD_NODE + ",3,null,"
                + pod("strings", "{\"containers\":\"none\"}") + "," + pod("list", "[]") + ","
                + pod("taken", "{}") + "]}");
        assertAll(
                () -> assertEquals(
                        List.of("default/taken"),
                        dump.pending().stream().map(PodInfo::key).toList()),
                () -> assertEquals(1, dump.cluster().nodeCount()),
                () -> assertEquals(
                        4, dump.malformed().size(), () -> dump.malformed().toString()));
    }
}
