package io.policyscheduler.framework.insight.explain;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.explain.Explainer.RequiredLabels;
import io.policyscheduler.framework.modern.ModernProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NearestFitsSearchTest {
    private static final SchedulerSpec MODERN =
            ProfileSchedulers.of("modern", ModernProfile::defaults, SchedulerSpec.Volumes.NONE, Extenders.NONE);
    private static final LabelSelector WEB = LabelSelector.of(Labels.of("app", "web"), List.of());
    private static final PodAffinityTerm NEAR_WEB = new PodAffinityTerm(WEB, List.of(), "zone", null);

    private static NodeBuilder small(String name) {
        return node(name).cpu("1").memory("1Gi").pods(5);
    }

    private static NodeSelectorTerm term(String key, String operator, String... values) {
        return new NodeSelectorTerm(
                List.of(LabelRequirement.ofNodeSelector(key, operator, List.of(values))), List.of());
    }

    static Stream<Arguments> oneNode() {
        return Stream.of(
                Arguments.of(small("n"), pod("p").cpu("1500m"), "add 0.5 CPU (pod requests 1.5, node has 1 of 1 free)"),
                Arguments.of(
                        small("n").taint("dedicated", "gpu", "NoSchedule"),
                        pod("p"),
                        "add a toleration for dedicated=gpu:NoSchedule"),
                Arguments.of(
                        small("n").taint("a", "", "NoExecute").taint("b", "x", "NoSchedule"),
                        pod("p"),
                        "add a toleration for a:NoExecute; add a toleration for b=x:NoSchedule"),
                Arguments.of(
                        small("n").taint("node.kubernetes.io/not-ready", "", "NoExecute"),
                        pod("p"),
                        "repair the node, which has the taint node.kubernetes.io/not-ready:NoExecute"),
                Arguments.of(
                        small("n").unschedulable().taint("node.kubernetes.io/unschedulable", "", "NoSchedule"),
                        pod("p"),
                        "uncordon the node"),
                Arguments.of(small("n"), pod("p").nodeSelector("disktype", "ssd"), "add the label disktype=ssd"),
                Arguments.of(
                        small("n").label("kubernetes.io/hostname", "n"),
                        pod("p").nodeSelector("kubernetes.io/hostname", "m"),
                        "remove the pod's requirement of kubernetes.io/hostname=m"),
                Arguments.of(
                        small("n").label("disk", "hdd"),
                        pod("p").requiredNode(term("disk", "NotIn", "hdd")),
                        "remove the label disk"),
                Arguments.of(
                        small("n").label("cores", "8"),
                        pod("p").requiredNode(term("cores", "Gt", "16")),
                        "add the label cores=17"),
                Arguments.of(
                        small("n"),
                        pod("p").requiredNode(term("a", "In", "1", "2"), term("b", "Exists")),
                        "add the label a=1"),
                Arguments.of(
                        small("n").pods(0), pod("p"), "room for 1 more pod (pod requests 1, node has 0 of 0 free)"),
                Arguments.of(
                        small("n"),
                        pod("p").scalar("example.com/gpu", 2),
                        "add 2 example.com/gpu (pod requests 2, node has 0 of 0 free)"),
                Arguments.of(
                        small("n"),
                        pod("p").podAffinity(NEAR_WEB),
                        "remove the pod affinity to app=web by zone (no such pod runs)"),
                Arguments.of(small("n"), pod("p").requiredNode(), "-"));
    }

    @ParameterizedTest
    @MethodSource
    void oneNode(NodeBuilder node, PodBuilder pod, String expected) {
        ClusterSnapshot snapshot =
                new ClusterSnapshot(List.of(node.build()), List.of(), List.of(), List.of(pod.build()));
        assertEquals(expected.equals("-") ? List.of() : List.of(expected + " @ n"), fits(snapshot, "p"));
    }

    @Test
    void otherPodsAreInTheWay() {
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(
                        small("a").label("zone", "1").build(),
                        small("b").label("zone", "2").build(),
                        small("c").label("zone", "3").build(),
                        small("d").label("zone", "4").build()),
                List.of(),
                List.of(
                        pod("port").hostPort("", "", 8080).onNode("a").build(),
                        pod("full").cpu("700m").onNode("b").build(),
                        pod("web").label("app", "web").onNode("c").build(),
                        pod("shy")
                                .podAntiAffinity(new PodAffinityTerm(
                                        LabelSelector.of(Labels.of("app", "new"), List.of()), List.of(), "zone", null))
                                .onNode("d")
                                .build()),
                List.of(pod("p").label("app", "new")
                        .cpu("500m")
                        .hostPort("", "", 8080)
                        .podAntiAffinity(NEAR_WEB)
                        .build()));
        assertEquals(
                List.of(
                        "free up 0.2 CPU (pod requests 0.5, node has 0.3 of 1 free) @ b",
                        "remove the pod default/port (it uses host port 8080) @ a",
                        "remove the pod default/web (the anti-affinity of the new pod matches it) @ c",
                        "remove the pod default/shy (its anti-affinity matches the new pod) @ d"),
                fits(snapshot, "p"));
    }

    @Test
    void theSmallestSkewIsNamed() {
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(
                        small("a").label("zone", "1").build(),
                        small("b").label("zone", "2").unschedulable().build(),
                        small("c").build()),
                List.of(),
                List.of(
                        pod("w1").label("app", "web").onNode("a").build(),
                        pod("w2").label("app", "web").onNode("a").build()),
                List.of(pod("p").label("app", "web")
                        .spread(new TopologySpreadConstraint(1, "zone", "DoNotSchedule", WEB))
                        .build()));
        assertEquals(
                List.of(
                        "uncordon the node @ b",
                        "set maxSkew to 3 instead of 1 for spreading app=web by zone @ a",
                        "remove the constraint for spreading app=web by zone @ c"),
                fits(snapshot, "p"));
    }

    @Test
    void promisedPlacesCount() {
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(small("a").build()),
                List.of(),
                List.of(),
                List.of(
                        pod("promised").cpu("800m").priority(5).nominatedTo("a").build(),
                        pod("p").cpu("500m").build()));
        assertEquals(List.of("free up 0.3 CPU (pod requests 0.5, node has 0.2 of 1 free) @ a"), fits(snapshot, "p"));
    }

    @Test
    void changesOfThePodHoldForAllNodesAndAreGrouped() {
        List<NodeBuilder> nodes = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            nodes.add(small("n" + i).taint("dedicated", "gpu", "NoSchedule"));
        }
        ClusterSnapshot snapshot = new ClusterSnapshot(
                nodes.stream().map(NodeBuilder::build).toList(), List.of(), List.of(), List.of(pod("p").build()));
        NearestFits nearest = Objects.requireNonNull(explain(snapshot, "p").nearest());
        assertEquals(
                List.of(List.of("add a toleration for dedicated=gpu:NoSchedule")),
                List.copyOf(nearest.groups().keySet()));
        assertEquals(12, nearest.fits().size());
    }

    @Test
    void nothingIsLookedForWhenNoneIsWanted() {
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(small("a").build()),
                List.of(),
                List.of(),
                List.of(pod("p").cpu("64").build()));
        Explanation explanation = new Explainer(MODERN, RequiredLabels.NONE, new Preemption(true, true))
                .explain(snapshot, snapshot.pending().get(0), null, 0);
        assertNull(explanation.nearest());
        assertEquals(Map.of(), explanation.obstacles());
        assertEquals(
                "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are"
                        + " available: 1 Preemption is not helpful for scheduling.",
                explanation.evaluation().error());
    }

    private static List<String> fits(ClusterSnapshot snapshot, String name) {
        NearestFits nearest = Objects.requireNonNull(explain(snapshot, name).nearest());
        return nearest.fits().stream()
                .map(fit -> String.join(
                                "; ", fit.remedies().stream().map(Remedy::text).toList()) + " @ " + fit.node())
                .toList();
    }

    private static Explanation explain(ClusterSnapshot snapshot, String name) {
        PodInfo pod = snapshot.pending().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return new Explainer(MODERN, RequiredLabels.NONE, new Preemption(true, true)).explain(snapshot, pod, null, 20);
    }
}
