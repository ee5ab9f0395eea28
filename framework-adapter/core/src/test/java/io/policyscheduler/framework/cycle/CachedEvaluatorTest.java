package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Evaluator.CachedEvaluator;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CachedEvaluatorTest {
    private static final Preemption RULES = new Preemption(true, true);
    private static final PodInfo CHEAP = running("cheap", "n2", 1);
    private static final PodInfo DEAR = running("dear", "n1", 2);

    private final ClusterState cluster =
            cluster(node("n1").cpu("1").build(), node("n2").cpu("1").build(), CHEAP, DEAR);
    private final SchedulingCycle cycle = SchedulingCycle.of(ModernProfile.defaults(cluster), cluster);

    private static PodInfo running(String name, String node, int priority) {
        return pod(name).cpu("1").priority(priority).startTime(1).onNode(node).build();
    }

    private static PodBuilder urgent(int priority) {
        return pod("urgent").cpu("1").priority(priority);
    }

    /** Results that need no walk over the nodes. */
    private @Nullable PreemptionPlan quick(PodInfo pod) {
        cluster.startCurrentCycle();
        FilterRun filters = FilterRun.start(cycle.profile, PodContext.of(pod, cluster), cycle.newState());
        ResultCache kept = Objects.requireNonNull(cycle.cache(filters.context()));
        return new CachedEvaluator(cycle, filters, pod, NominatedPods.NONE, RULES).find(kept);
    }

    private PreemptionPlan whole(PodInfo pod) {
        return cycle.preemption().preempt(pod, NominatedPods.NONE, RULES);
    }

    @Test
    void makesRoomWhereItCostsLeast() {
        PodInfo pod = urgent(5).build();
        PreemptionPlan room = new PreemptionPlan("n2", List.of(CHEAP), List.of(), false, "", null);
        assertEquals(room, quick(pod));
        assertEquals(room, whole(pod));
        cluster.removePod(CHEAP);
        assertEquals(PreemptionPlan.NOTHING, quick(pod));
    }

    @Test
    void saysWhyNothingHelps() {
        String text = "0/2 nodes are available: 2 No preemption victims found for incoming pod.";
        PreemptionPlan room = new PreemptionPlan(null, List.of(), List.of(), true, text, null);
        assertEquals(room, quick(urgent(0).build()));
        assertEquals(room, whole(urgent(0).build()));
        String never = "not eligible due to preemptionPolicy=Never.";
        assertEquals(
                new PreemptionPlan(null, List.of(), List.of(), false, never, null),
                quick(urgent(5).preemptionPolicy("Never").build()));
    }

    @Test
    void leavesAloneWhatHangsOnOtherNodes() {
        PodInfo pod = urgent(5)
                .podAntiAffinity(new PodAffinityTerm(LabelSelector.EVERYTHING, List.of(), "zone", null))
                .build();
        assertNull(quick(pod));
        assertEquals("n2", Objects.requireNonNull(whole(pod).node()));
    }
}
