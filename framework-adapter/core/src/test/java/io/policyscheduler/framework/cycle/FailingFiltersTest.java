package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Scope.PodClass;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.SchedulingCycle.DecisionPath;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A filter that throws on a node that another filter is known to reject: the order of the filters counts. */
class FailingFiltersTest {
    /** Reads the node only, so that its results are cached. */
    private record Picky() implements CacheableFilter, ScorePlugin {
        @Override
        public String name() {
            return "Picky";
        }

        @Override
        public FilterReads filterReads(CycleState state, PodInfo pod) {
            return FilterReads.of(new PodClass(pod));
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return node.name().equals("n1") ? Status.unschedulable("not this one") : Status.SUCCESS;
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return 1;
        }
    }

    /** Reads more than the node, so that it is called for each one. */
    private record Failing() implements FilterPlugin {
        @Override
        public String name() {
            return "Failing";
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return node.name().equals("n1") ? Status.error("cannot tell") : Status.SUCCESS;
        }
    }

    @ParameterizedTest
    @CsvSource({"true, false, ERROR", "false, false, PLACED", "false, true, ERROR", "true, true, ERROR"})
    void theErrorEndsTheAttemptOnBothPaths(boolean failingFirst, boolean asksAll, Decision.Kind expected) {
        ClusterState cluster = new ClusterState();
        for (int i = 1; i <= 3; i++) {
            cluster.putNode(node("n" + i).build());
        }
        Profile.Builder profile = Profile.builder("test", Family.MODERN, new StateKeys());
        List<FilterPlugin> filters =
                failingFirst ? List.of(new Failing(), new Picky()) : List.of(new Picky(), new Failing());
        filters.forEach(profile::filter);
        profile.score(new Picky(), 1);
        PodInfo pod = pod("p").build();
        for (DecisionPath path : DecisionPath.values()) {
            SchedulingCycle cycle = SchedulingCycle.builder(
                            profile.checkAllFilters(asksAll).build(), cluster)
                    .path(path)
                    .build();
            for (int i = 0; i < 3; i++) {
                assertEquals(expected, cycle.decide(pod, NominatedPods.NONE).kind(), path + " " + i);
            }
        }
    }
}
