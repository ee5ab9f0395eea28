package io.policyscheduler.tests;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyReader.RuleLibrary;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyResolver.RuleEnvironment;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The examples of rules decide as their descriptions say. */
class RuleExamplesTest {
    private static final Path RULES = RepositoryFiles.root().resolve("policy-files/rules");

    /** The policy in README.md that uses the library of rules. */
    private static final String LICENCES = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: GeneralPredicates
            - name: OracleLicences
              argument: {rule: {use: LicencesPerHostGroup}}
            - name: SapLicences
              argument:
                rule:
                  use: LicencesPerHostGroup
                  params: {product: sap, count: sap-licences}
                  reason: no SAP licence left in the host group
            """;

    private final AlgorithmRegistry registry = Algorithms.registry();
    private final List<ClusterObject> objects = new ArrayList<>();

    private static String text(String file) {
        try {
            return Files.readString(RULES.resolve(file));
        } catch (IOException e) {
            throw new AssertionError(file, e);
        }
    }

    private EffectivePolicy policy(String text, String file, List<RuleDefinition> libraries) throws PolicyException {
        RuleEnvironment environment = RuleEnvironment.of(new RuleLibrary(libraries, Map.of()), TableInput.NONE);
        EffectivePolicy policy = new PolicyResolver(FeatureGates.defaults(), 1, false, registry, environment)
                .resolve(new PolicyReader().read(text, file));
        assertEquals(List.of(), policy.warnings(), file);
        return policy;
    }

    private List<String> decide(String file, PodBuilder... pods) throws PolicyException {
        return decide(policy(text(file), file, List.of()), pods);
    }

    /** Schedules one pod after the other. Returns {@code pod -> node}, or {@code pod: message}. */
    private List<String> decide(EffectivePolicy policy, PodBuilder... pods) {
        ClusterState state = cluster(objects.toArray(ClusterObject[]::new));
        SchedulingCycle cycle =
                SchedulingCycle.of(new ProviderAdapter(registry, name -> "").adapt(policy, state), state);
        List<String> decisions = new ArrayList<>();
        for (PodBuilder builder : pods) {
            PodInfo pod = builder.build();
            Decision decision = cycle.decide(pod, NominatedPods.NONE);
            String node = decision.node();
            if (node == null) {
                decisions.add(pod.name() + ": " + decision.message());
            } else {
                decisions.add(pod.name() + " -> " + node);
                state.addPod(pod.withNodeName(node));
            }
        }
        assertEquals(Map.of(), policy.rules().failures().counts());
        return decisions;
    }

    private static NodeBuilder node(String name) {
        return NodeBuilder.node(name).cpu("16").memory("64Gi").pods(110);
    }

    private static PodBuilder pod(String name) {
        return PodBuilder.pod(name);
    }

    private void nodes(NodeBuilder... nodes) {
        for (NodeBuilder node : nodes) {
            objects.add(node.build());
        }
    }

    private void running(String node, int count, PodBuilder... pods) {
        for (int i = 0; i < count; i++) {
            for (PodBuilder pod : pods) {
                objects.add(pod.uid("running-" + objects.size()).onNode(node).build());
            }
        }
    }

    private static PodBuilder underlay(String name) {
        return pod(name).schedulerName("blueking-ip-scheduler");
    }

    @Test
    void underlayAddresses() throws PolicyException {
        nodes(node("n1"), node("n2"));
        running("n1", 9, underlay("old"));
        running("n2", 8, underlay("old"));
        running("n2", 5, pod("other"));
        assertEquals(
                List.of(
                        "a -> n2",
                        "b -> n1",
                        "c -> n2",
                        "d: 0/2 nodes are available: 2 no underlay IP left.",
                        "e -> n1"),
                decide(
                        "underlay-ip.yaml",
                        underlay("a"),
                        underlay("b"),
                        underlay("c"),
                        underlay("d"),
                        pod("e").schedulerName("default-scheduler")));
    }

    @Test
    void mastersHaveNoUnderlayAddresses() throws PolicyException {
        nodes(
                node("m1").label("node-role.kubernetes.io/master", ""),
                node("m2").label("node-role.kubernetes.io/control-plane", ""));
        assertEquals(
                List.of("a: 0/2 nodes are available: 2 control-plane nodes have no underlay IPs.", "b -> m1"),
                decide("underlay-ip.yaml", underlay("a"), pod("b").schedulerName("default-scheduler")));
    }

    @Test
    void nodeTypes() throws PolicyException {
        nodes(node("n1").label("node-type", "compute"), node("n2").label("node-type", "storage"), node("n3"));
        assertEquals(
                List.of(
                        "a -> n2",
                        "b: 0/3 nodes are available: 3 node(s) of another type.",
                        "c -> n1",
                        "d: 0/3 nodes are available: 3 node(s) of another type."),
                decide(
                        "node-type.yaml",
                        pod("a").label("node-type", "storage"),
                        pod("b").label("node-type", "gpu"),
                        pod("c"),
                        pod("d").label("node-type", "")));
    }

    @Test
    void podDensity() throws PolicyException {
        nodes(node("n1").pods(10), node("n2").pods(10), node("n3").pods(20));
        running("n1", 6, pod("old"));
        running("n2", 7, pod("old"));
        running("n3", 15, pod("old"));
        assertEquals(
                List.of(
                        "a -> n1",
                        "b -> n1",
                        "c -> n2",
                        "d -> n3",
                        "e: 0/3 nodes are available: 3 node(s) have as many pods as they should.",
                        "f -> n1"),
                decide(
                        "pod-density.yaml",
                        pod("a"),
                        pod("b"),
                        pod("c"),
                        pod("d"),
                        pod("e"),
                        pod("f").controller("DaemonSet", "agent", "u")));
    }

    @Test
    void licences() throws PolicyException {
        EffectivePolicy policy = policy(
                LICENCES,
                "policy.yaml",
                new PolicyReader()
                        .readLibrary(text("licences.yaml"), "licences.yaml")
                        .rules());
        nodes(
                node("a1").label("licence-group", "a").label("oracle-licences", "2"),
                node("a2").label("licence-group", "a").label("oracle-licences", "2"),
                node("b1")
                        .label("licence-group", "b")
                        .label("oracle-licences", "1")
                        .label("sap-licences", "1"),
                node("c1"));
        running("a2", 1, pod("old").label("licence", "oracle"));
        running("c1", 1, pod("old").label("licence", "oracle"));
        List<String> decisions = decide(
                policy,
                pod("o1").label("licence", "oracle").nodeSelector("licence-group", "a"),
                pod("o2").label("licence", "oracle"),
                pod("o3").label("licence", "oracle"),
                pod("s1").label("licence", "sap"),
                pod("s2").label("licence", "sap"));
        assertEquals(
                List.of(
                        "o1 -> a1",
                        "o2 -> b1",
                        "o3: 0/4 nodes are available: 4 no oracle licence left in the host group.",
                        "s1 -> b1",
                        "s2: 0/4 nodes are available: 4 no SAP licence left in the host group."),
                decisions);
        assertTrue(
                text("README.md").contains("```yaml\n" + LICENCES + "```"), "the policy of README.md is another one");
    }

    @Test
    void gpuPacking() throws PolicyException {
        nodes(
                node("c1"),
                node("g1").scalar("nvidia.com/gpu", 4),
                node("g2").scalar("nvidia.com/gpu", 4),
                node("g3").scalar("nvidia.com/gpu", 8));
        running("g2", 1, pod("old").scalar("nvidia.com/gpu", 2));
        assertEquals(
                List.of(
                        "one -> g2",
                        "two -> g1",
                        "three -> g2",
                        "web -> c1",
                        "eight -> g3",
                        "big: 0/4 nodes are available: 4 Insufficient cpu.",
                        "wide -> g1"),
                decide(
                        "gpu-packing.yaml",
                        pod("one").scalar("nvidia.com/gpu", 1),
                        pod("two").scalar("nvidia.com/gpu", 2),
                        pod("three").scalar("nvidia.com/gpu", 1),
                        pod("web").cpu("10"),
                        pod("eight").scalar("nvidia.com/gpu", 8),
                        pod("big").cpu("17"),
                        pod("wide").cpu("12")));
    }

    @Test
    void avoidLoad() throws PolicyException {
        String load = "load.example.com/cpu-percent";
        nodes(
                node("n1").label("name", "n1").annotation(load, "80"),
                node("n2").annotation(load, "79.5"),
                node("n3").annotation(load, "35"));
        assertEquals(
                List.of(
                        "a -> n3",
                        "b -> n2",
                        "c: 0/3 nodes are available: 1 node(s) under load, 2 node(s) didn't match node selector."),
                decide("avoid-load.yaml", pod("a").cpu("10"), pod("b").cpu("10"), pod("c").nodeSelector("name", "n1")));
    }

    @Test
    void emptyRack() throws PolicyException {
        nodes(node("n1").label("rack", "r1"), node("n2").label("rack", "r9"));
        assertEquals(
                List.of(
                        "a -> n1",
                        "b: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) in the rack that is kept empty.",
                        "c -> n2"),
                decide(
                        "empty-rack.yaml",
                        pod("a").cpu("10"),
                        pod("b").cpu("10").priority(99999),
                        pod("c").cpu("10").priority(100000)));
    }

    @Test
    void nightBatch() throws PolicyException {
        nodes(node("n1").label("shift", "day"), node("n2").label("shift", "night"), node("n3"));
        running("n3", 1, pod("old").cpu("4"));
        assertEquals(
                List.of(
                        "batch -> n2",
                        "web -> n1",
                        "more: 0/3 nodes are available: 1 Insufficient cpu, 2 node(s) on the other shift."),
                decide(
                        "night-batch.yaml",
                        pod("batch").label("workload", "batch").cpu("10"),
                        pod("web").cpu("1"),
                        pod("more").label("workload", "batch").cpu("10")));
    }

    @Test
    void namespaceLimit() throws PolicyException {
        nodes(node("n1"), node("n2"));
        running("n1", 3, pod("old").namespace("team-a"));
        running("n2", 2, pod("old").namespace("team-a"));
        running("n2", 1, pod("big").namespace("team-b").cpu("10"));
        assertEquals(
                List.of(
                        "a -> n2",
                        "b: 0/2 nodes are available: 2 node(s) have enough pods of the namespace.",
                        "c -> n1"),
                decide(
                        "namespace-limit.yaml",
                        pod("a").namespace("team-a"),
                        pod("b").namespace("team-a"),
                        pod("c").namespace("team-b")));
        objects.clear();
        nodes(node("n1"));
        running("n1", 3, pod("old").namespace("monitoring"));
        assertEquals(List.of("a -> n1"), decide("namespace-limit.yaml", pod("a").namespace("monitoring")));
    }

    @Test
    void sameImage() throws PolicyException {
        nodes(node("n1"), node("n2"), node("n3"));
        running("n2", 1, pod("old").image("web:1").cpu("2"));
        running("n3", 1, pod("old").image("web:1").image("proxy:2").cpu("4"));
        assertEquals(
                List.of("both -> n3", "one -> n2", "other -> n1"),
                decide(
                        "same-image.yaml",
                        pod("both").image("web:1").image("proxy:2"),
                        pod("one").image("web:1"),
                        pod("other").image("web:2")));
    }

    @Test
    void everyExampleHasAStory() {
        Set<String> files = RepositoryFiles.in(RULES, ".yaml").stream()
                .map(file -> file.getFileName().toString())
                .collect(Collectors.toCollection(TreeSet::new));
        String readme = text("README.md");
        assertTrue(files.size() >= 25, files.toString());
        files.forEach(file -> assertTrue(readme.contains("\n| [" + file + "](" + file + ") |"), file));
    }
}
