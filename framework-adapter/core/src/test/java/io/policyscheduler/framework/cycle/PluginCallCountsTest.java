package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.algorithm.Scope.PodClass;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.framework.cycle.SchedulingCycle.DecisionPath;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.profile.Profile.WeightedScore;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A plugin runs PreFilter once in an attempt, and Filter once for each node, also if the attempt ends with preemption. */
class PluginCallCountsTest {
    private static final Preemption RULES = new Preemption(true, true);

    private final ClusterState cluster = new ClusterState();
    private final SortedMap<String, Integer> calls = new TreeMap<>();

    /** Rejects or passes every node, and counts its calls. */
    private final class CountingPlugin implements PreFilterPlugin, CacheableFilter {
        private final Scope scope;
        private final boolean passes;

        CountingPlugin(Scope scope, boolean passes) {
            this.scope = scope;
            this.passes = passes;
        }

        @Override
        public String name() {
            return "Counting";
        }

        @Override
        public FilterReads filterReads(CycleState state, PodInfo pod) {
            return scope == Scope.NODE ? FilterReads.of(new PodClass(pod)) : FilterReads.CLUSTER;
        }

        @Override
        public PreFilterResult preFilter(CycleState state, PodContext context) {
            calls.merge("preFilter", 1, Integer::sum);
            return PreFilterResult.ALL_NODES;
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            calls.merge("filter " + node.name(), 1, Integer::sum);
            return passes ? Status.SUCCESS : Status.unresolvable("no");
        }
    }

    static Stream<Arguments> cases() {
        return Stream.of(Family.values())
                .flatMap(family -> Stream.of(DecisionPath.values())
                        .flatMap(path -> Stream.of(Scope.NODE, Scope.CLUSTER)
                                .flatMap(scope -> Stream.of(true, false)
                                        .flatMap(passes -> Stream.of(true, false)
                                                .map(scores -> Arguments.of(family, path, scope, passes, scores))))));
    }

    /** A profile without a score does not use the result cache. */
    private static final class EqualScore implements ScorePlugin {
        @Override
        public String name() {
            return "Equal";
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return 1;
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void onceInAnAttempt(Family family, DecisionPath path, Scope scope, boolean passes, boolean scores) {
        for (int i = 1; i <= 3; i++) {
            cluster.putNode(node("n" + i).cpu("4").build());
        }
        CountingPlugin plugin = new CountingPlugin(scope, passes);
        Profile.Builder builder = Profile.builder("test", family, new StateKeys())
                .preFilter(plugin)
                .filter(plugin);
        Profile profile = (scores ? builder.score(new EqualScore(), 1) : builder).build();
        SchedulingCycle cycle =
                SchedulingCycle.builder(profile, cluster).path(path).build();
        PodInfo pod = pod("p").priority(5).build();
        Decision decision = cycle.decide(pod, NominatedPods.NONE, cycle.newState());
        assertEquals(passes, decision.node() != null);
        if (!passes) {
            assertNotNull(cycle.failures(pod, NominatedPods.NONE));
            cycle.preemption().preempt(pod, NominatedPods.NONE, RULES);
            cycle.preemption().mayFit(pod, NominatedPods.NONE, "n9");
        }
        // Profiles of current releases that score nothing end the search at the first feasible node.
        boolean isWhole = !passes || scores || family == Family.LEGACY;
        assertEquals(
                new TreeMap<>(
                        isWhole
                                ? Map.of("preFilter", 1, "filter n1", 1, "filter n2", 1, "filter n3", 1)
                                : Map.of("preFilter", 1, "filter n1", 1, "filter n2", 1)),
                calls);
    }

    static Stream<Release> releases() {
        return IntStream.rangeClosed(Release.V1_34.minor(), Release.NEWEST.minor())
                .mapToObj(Release::new);
    }

    /** One plugin that has to score every node for a pod without claims, affinity, or constraints makes decisions about ten times slower. */
    @ParameterizedTest
    @MethodSource("releases")
    void reusesAllScoresOfOrdinaryPods(Release release) {
        cluster.putNode(node("n1").cpu("4").build());
        cluster.putNode(node("n2").cpu("4").build());
        Profile profile = ModernProfile.of(cluster).release(release).build();
        PodInfo pod = pod("p").cpu("1").build();
        SchedulingCycle cycle = SchedulingCycle.of(profile, cluster);
        PodContext context = PodContext.of(pod, cluster);
        CycleState state = cycle.newState();
        FilterRun filters = FilterRun.start(profile, context, state);
        cluster.nodes().forEach(node -> assertNull(filters.check(node, NominatedPods.NONE)));
        Set<String> skipped = new HashSet<>();
        assertNull(ScoreRun.preScore(profile, context, state, cluster.nodes(), skipped));
        List<String> scoring = profile.scores().stream()
                .map(WeightedScore::plugin)
                .filter(plugin -> !skipped.contains(plugin.name()))
                .filter(plugin -> {
                    ScoreReads reads = ScoreReads.of(plugin, state, pod);
                    return reads.key() == null && reads.uniform().isEmpty();
                })
                .map(Plugin::name)
                .toList();
        assertEquals(List.of(), scoring);
    }
}
