package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PodPreemption.NodeTrial;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ModernPreemptionTest {
    private static final PodInfo PREEMPTOR = pod("p").priority(10).build();
    private static final NodeFailure RESOLVABLE = new NodeFailure(List.of("full"), false, "Fit");
    private static final NodeFailure UNRESOLVABLE = new NodeFailure(List.of("wrong"), true, "Name");

    /** A node accepts a number of pods; evaluating the nodes in {@code broken} fails. */
    private record Trial(NodeInfo node, int limit, Set<String> broken) implements NodeTrial {
        @Override
        public boolean remove(PodInfo pod) {
            return node.removePod(pod) != null;
        }

        @Override
        public boolean add(PodInfo pod) {
            node.addPod(pod);
            return true;
        }

        @Override
        public @Nullable Misfit check() {
            if (broken.contains(node.name())) {
                return new Misfit(List.of("broken"), true);
            }
            return node.podCount() < limit ? null : new Misfit(List.of("still full", "really"), false);
        }

        @Override
        public String error() {
            return "";
        }
    }

    private static Function<NodeInfo, NodeTrial> limit(int pods, String... broken) {
        return node -> new Trial(node.copy(), pods, Set.of(broken));
    }

    private static PodBuilder running(String name, String node, int priority) {
        return pod(name).onNode(node).priority(priority).startTime(1000);
    }

    private static ClusterState nodes(PodInfo... pods) {
        ClusterState cluster =
                cluster(node("n1").build(), node("n2").build(), node("n3").build());
        for (PodInfo pod : pods) {
            cluster.addPod(pod);
        }
        cluster.startCycle();
        return cluster;
    }

    private static PreemptionResult decide(
            PodInfo preemptor,
            ClusterState cluster,
            Map<String, NodeFailure> failures,
            Function<NodeInfo, NodeTrial> trials) {
        return Preemption.current(Release.NEWEST)
                .forPod(preemptor, cluster, NominatedPods.NONE)
                .decide(failures, trials);
    }

    private static String victims(PreemptionResult result) {
        StringBuilder text = new StringBuilder();
        result.candidates()
                .forEach((node, victims) -> text.append(node)
                        .append(names(victims))
                        .append(victims.budgetViolations() == 0 ? "" : "!" + victims.budgetViolations())
                        .append(' '));
        return text.toString().strip();
    }

    private static List<String> names(Victims victims) {
        return victims.pods().stream().map(PodInfo::name).toList();
    }

    @Test
    void theLeastImportantPodsGo() {
        ClusterState cluster = nodes(
                running("a", "n1", 5).build(),
                running("b", "n1", 1).startTime(2000).build(),
                running("c", "n1", 1).startTime(1000).build(),
                running("d", "n1", 10).build(),
                running("e", "n2", 2).build());
        PreemptionResult result = decide(PREEMPTOR, cluster, Map.of("n3", UNRESOLVABLE), limit(3));
        assertEquals(List.of("n1", "n2"), result.potentialNodes());
        // Nothing need go from n2, which cannot be after an attempt that failed.
        assertEquals("n1[c, b]", victims(result));
        assertEquals("n1", result.chosen());
        assertEquals("", result.message());
        assertNull(result.error());
    }

    @Test
    void whyNothingIsDone() {
        ClusterState cluster =
                nodes(running("a", "n1", 20).build(), running("b", "n2", 1).build());
        PreemptionResult result =
                decide(PREEMPTOR, cluster, Map.of("n1", RESOLVABLE, "n2", RESOLVABLE, "n3", UNRESOLVABLE), limit(0));
        assertEquals(
                "0/3 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful"
                        + " for scheduling, 1 really, 1 still full.",
                result.message());
        assertEquals(true, result.clearOwn());
        assertEquals(
                "0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
                decide(PREEMPTOR, cluster, Map.of("n1", UNRESOLVABLE, "n2", UNRESOLVABLE, "n3", UNRESOLVABLE), limit(0))
                        .message());
    }

    @Test
    void aTrialThatFailsCountsOnlyIfNothingHelps() {
        ClusterState cluster =
                nodes(running("a", "n1", 1).build(), running("b", "n2", 1).build());
        Map<String, NodeFailure> failures = Map.of("n3", UNRESOLVABLE);
        assertEquals("n2[b]", victims(decide(PREEMPTOR, cluster, failures, limit(1, "n1"))));
        PreemptionResult failed = decide(PREEMPTOR, cluster, failures, limit(1, "n1", "n2"));
        assertEquals("broken", failed.error());
        assertEquals("", failed.message());
    }

    @Test
    void budgetsAreUsedUpPodByPod() {
        PodInfo[] pods = new PodInfo[3];
        for (int i = 0; i < pods.length; i++) {
            pods[i] = running("a" + i, "n1", 5 - i).label("app", "w").build();
        }
        ClusterState cluster = nodes(pods);
        cluster.putObject(budget(1, Set.of()));
        Map<String, NodeFailure> failures = Map.of("n2", UNRESOLVABLE, "n3", UNRESOLVABLE);
        // The most important pod is within the budget, the other two break it and so are spared first.
        assertEquals("n1[a0]", victims(decide(PREEMPTOR, cluster, failures, limit(3))));
        assertEquals("n1[a0, a2]!1", victims(decide(PREEMPTOR, cluster, failures, limit(2))));
        // An eviction that is under way is already taken off, so that only the last pod breaks the budget.
        cluster.putObject(budget(1, Set.of("a0")));
        assertEquals("n1[a1]", victims(decide(PREEMPTOR, cluster, failures, limit(3))));
    }

    private static DisruptionBudgetInfo budget(int allowed, Set<String> disrupted) {
        return new DisruptionBudgetInfo(
                "default", "b", LabelSelector.of(Labels.of("app", "w"), List.of()), allowed, disrupted);
    }

    @Test
    void whoMayNotPreempt() {
        ClusterState cluster = nodes(running("a", "n1", 1).terminating().build());
        PodInfo never = pod("p").priority(10).preemptionPolicy("Never").build();
        PreemptionResult result = decide(never, cluster, Map.of(), limit(1));
        assertEquals(
                List.of(false, "not eligible due to preemptionPolicy=Never.", false),
                List.of(result.eligible(), result.message(), result.clearOwn()));
        // Going, but not because of a preemption.
        PodInfo promised = PREEMPTOR.withNominatedNodeName("n1");
        assertEquals(true, decide(promised, cluster, Map.of(), limit(1)).eligible());
        PodInfo going = running("b", "n1", 1).terminating().build();
        cluster.addPod(new PodInfo(
                going.namespace(),
                going.name(),
                going.uid(),
                going.resourceVersion(),
                going.labels(),
                going.annotations(),
                going.controller(),
                true,
                "n1",
                going.spec(),
                going.phase(),
                going.failure(),
                going.startTimeMillis(),
                "",
                null,
                true,
                going.createdMillis(),
                List.of(),
                0));
        PreemptionResult waiting = decide(promised, cluster, Map.of("n1", RESOLVABLE), limit(1));
        assertEquals("not eligible due to a terminating pod on the nominated node.", waiting.message());
        assertEquals(false, waiting.eligible());
        assertEquals(
                true,
                decide(promised, cluster, Map.of("n1", UNRESOLVABLE), limit(1)).eligible());
    }
}
