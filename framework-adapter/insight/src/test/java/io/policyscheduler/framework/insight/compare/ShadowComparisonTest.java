package io.policyscheduler.framework.insight.compare;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.FakeAlgorithms.priority;
import static io.policyscheduler.engine.testing.FakeAlgorithms.rejecting;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.framework.insight.compare.PolicySchedulers.FunctionScheduler;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Counter;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import io.policyscheduler.framework.insight.compare.ShadowComparison.RecentChanges;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ShadowComparisonTest {
    private final ClusterState three =
            cluster(node("n1").build(), node("n2").build(), node("n3").build());

    /** Rejects nodes, and scores 10 and twice 5 by the number in a node's name, highest for n2. */
    private static SchedulerSpec rejectingNodes(String... nodes) {
        return new SchedulerSpec(
                "fake",
                SchedulerSpec.Kind.FUNCTIONS,
                List.of("No"),
                Map.of("Big", 1L, "Small", 2L),
                (cluster, tieBreak, adjustment) -> new FunctionScheduler(
                        new FunctionAlgorithm(
                                List.of(rejecting("No", List.of(nodes), "not here")),
                                List.of(
                                        new WeightedPriority(
                                                priority(
                                                        "Big",
                                                        node -> node.name().equals("n2") ? 50 : 10),
                                                1),
                                        new WeightedPriority(
                                                priority(
                                                        "Small",
                                                        node -> node.name().equals("n3") ? 0 : 15),
                                                2)),
                                false),
                        cluster,
                        tieBreak),
                SchedulerSpec.Volumes.NONE);
    }

    private Finding judge(String node, String... rejected) {
        return new ShadowComparison(rejectingNodes(rejected), three)
                .evaluate(pod("p").onNode(node).build());
    }

    @Test
    void opinions() {
        assertEquals(new Finding("default/p", "n2", Finding.Kind.SAME, List.of("n2"), "", List.of()), judge("n2"));
        assertEquals(
                new Finding(
                        "default/p",
                        "n1",
                        Finding.Kind.OTHER_NODE,
                        List.of("n2"),
                        "n2 scores 40 more in total (Big +40)",
                        List.of("Big")),
                judge("n1"));
        assertEquals(
                new Finding(
                        "default/p",
                        "n3",
                        Finding.Kind.OTHER_NODE,
                        List.of("n2"),
                        "n2 scores 70 more in total (Big +40, Small +30)",
                        List.of("Big", "Small")),
                judge("n3"));
        assertEquals(
                new Finding("default/p", "n3", Finding.Kind.NOT_THERE, List.of("n2"), "No: not here", List.of("No")),
                judge("n3", "n3"));
        assertEquals(
                new Finding("default/p", "n1", Finding.Kind.NOWHERE, List.of(), "No: not here", List.of("No")),
                judge("n1", "n1", "n2", "n3"));
        assertEquals(
                new Finding("default/p", "n9", Finding.Kind.UNDECIDED, List.of(), "node n9 is not known", List.of()),
                judge("n9"));
    }

    @Test
    void aCounterNamesTheLargestShare() {
        Counter counter = new Counter();
        assertEquals(100, counter.agreement());
        List.of(judge("n2"), judge("n3"), judge("n1"), judge("n3", "n3"), judge("n9"))
                .forEach(counter::add);
        assertEquals(5, counter.evaluated());
        assertEquals(2, counter.of(Finding.Kind.OTHER_NODE));
        assertEquals(0, counter.of(Finding.Kind.NOWHERE));
        assertEquals(25, counter.agreement());
        assertEquals(
                List.of(Map.entry("Big", 2), Map.entry("No", 1)),
                List.copyOf(counter.causes().entrySet()));
    }

    private static int podsOn(ClusterState cluster, String node) {
        return Objects.requireNonNull(cluster.node(node)).podCount();
    }

    /** Prefers the node with the fewest pods. */
    private static ShadowComparison fewestPods(ClusterState cluster, RecentChanges changes) {
        return new ShadowComparison(
                new SchedulerSpec(
                        "fewest",
                        SchedulerSpec.Kind.FUNCTIONS,
                        List.of(),
                        Map.of("Pods", 1L),
                        (state, tieBreak, adjustment) -> new FunctionScheduler(
                                new FunctionAlgorithm(
                                        List.of(),
                                        List.of(new WeightedPriority(
                                                priority("Pods", node -> 10 - podsOn(state, node.name())), 1)),
                                        false),
                                state,
                                tieBreak),
                        SchedulerSpec.Volumes.NONE),
                cluster,
                NominatedPods.NONE,
                changes);
    }

    /** Binds pods {@code name@node} in this order, and returns {@code name kind} as it becomes final. */
    private static List<String> bindAll(ClusterState cluster, int waiting, String... binds) {
        ShadowComparison comparison = fewestPods(cluster, RecentChanges.NONE);
        List<ShadowComparison.Placement> results = new ArrayList<>();
        for (String bind : binds) {
            PodInfo pod = pod(bind.replaceAll("@.*", ""))
                    .onNode(bind.replaceAll(".*@", ""))
                    .build();
            results.addAll(comparison.place(pod, Instant.EPOCH));
            cluster.addPod(pod);
        }
        assertEquals(List.of(), comparison.expire(Instant.EPOCH.plusMillis(1999)));
        List<ShadowComparison.Placement> expired = comparison.expire(Instant.EPOCH.plusSeconds(2));
        assertEquals(waiting, expired.size());
        results.addAll(expired);
        return results.stream()
                .map(result -> result.pod().name() + " " + result.finding().kind())
                .toList();
    }

    private static ClusterState withPodOnN1() {
        ClusterState cluster = cluster(node("n1").build(), node("n2").build());
        cluster.addPod(pod("x").onNode("n1").build());
        return cluster;
    }

    @Test
    void bindsThatArriveInAnotherOrderAgree() {
        ClusterState cluster = withPodOnN1();
        // a was decided for n2, then b for n1; the bind of b arrives first.
        assertEquals(List.of("b SAME", "a SAME"), bindAll(cluster, 0, "b@n1", "a@n2"));
        assertEquals(2, podsOn(cluster, "n1"));
        assertEquals(1, podsOn(cluster, "n2"));
        // b was decided last; its bind arrives first.
        ClusterState three =
                cluster(node("n1").build(), node("n2").build(), node("n3").build());
        three.addPod(pod("x").onNode("n1").build());
        assertEquals(List.of("c SAME", "b SAME", "a SAME"), bindAll(three, 0, "b@n1", "c@n2", "a@n3"));
        // e was decided last; its bind arrives first.
        ClusterState five = cluster(
                node("n1").build(),
                node("n2").build(),
                node("n3").build(),
                node("n4").build(),
                node("n5").build());
        five.addPod(pod("x").onNode("n5").build());
        assertEquals(
                List.of("a SAME", "b SAME", "c SAME", "e SAME", "d SAME"),
                bindAll(five, 0, "e@n5", "a@n1", "b@n2", "c@n3", "d@n4"));
    }

    @Test
    void aDifferenceThatNoOrderExplainsIsFinalAfterFourBindsOrTwoSeconds() {
        // In no order, two pods belong on n1.
        assertEquals(List.of("a OTHER_NODE"), bindAll(withPodOnN1(), 1, "a@n1"));
        assertEquals(List.of("a SAME", "c SAME", "b OTHER_NODE"), bindAll(withPodOnN1(), 1, "a@n1", "b@n1", "c@n2"));
        ClusterState full = withPodOnN1();
        for (int i = 0; i < 8; i++) {
            full.addPod(pod("x" + i).onNode("n1").build());
        }
        assertEquals(
                List.of("b SAME", "c SAME", "d SAME", "a OTHER_NODE", "e SAME"),
                bindAll(full, 0, "a@n1", "b@n2", "c@n2", "d@n2", "e@n2"));
        ClusterState two = cluster(node("n1").build(), node("n2").build());
        assertEquals(List.of("a SAME", "b OTHER_NODE", "c OTHER_NODE"), bindAll(two, 2, "a@n1", "b@n1", "c@n1"));
    }

    @Test
    void noChangeIsUndoneAfterTheLastAllowedComparison() {
        AtomicInteger undone = new AtomicInteger();
        ShadowComparison comparison = fewestPods(withPodOnN1(), new RecentChanges() {
            @Override
            public long count() {
                return 20_000;
            }

            @Override
            public long received() {
                return 0;
            }

            @Override
            public void rewind(long count) {
                undone.incrementAndGet();
            }
        });
        assertEquals(List.of(), comparison.place(pod("a").onNode("n1").build(), Instant.EPOCH));
        // 12,800 comparisons without changes, and the restored state.
        assertEquals(12_801, undone.get());
    }
}
