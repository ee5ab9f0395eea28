package io.policyscheduler.framework.profile;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.FakeAlgorithms.predicate;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PredicatePluginTest {
    private static final FailureReason A = FailureReason.resolvable("a");
    private static final FailureReason B = FailureReason.resolvable("b");
    private static final FailureReason X = FailureReason.unresolvable("x");
    private static final FailureReason Y = FailureReason.unresolvable("y");
    private static final PodInfo POD = pod("p").build();

    private final ClusterState cluster = cluster(node("n1").build());
    private final StateKeys keys = new StateKeys();

    private Status run(Predicate predicate, boolean allReasons, boolean metadata) {
        PredicatePlugin plugin = new PredicatePlugin("Plugin", predicate, allReasons, keys, cluster);
        CycleState state = keys.newState();
        assertEquals(PreFilterResult.ALL_NODES, plugin.preFilter(state, new PodContext(POD, cluster, metadata)));
        return plugin.filter(state, POD, cluster.nodes().get(0));
    }

    static Stream<Arguments> verdicts() {
        return Stream.of(
                arguments(Verdict.FITS, Status.SUCCESS, Status.SUCCESS),
                arguments(Verdict.of(List.of()), Status.SUCCESS, Status.SUCCESS),
                arguments(Verdict.error("broken"), Status.error("broken"), Status.error("broken")),
                arguments(Verdict.unfit(A), Status.rejected(true, List.of("a")), Status.rejected(true, List.of("a"))),
                arguments(
                        Verdict.unfit(A, B),
                        Status.rejected(true, List.of("a")),
                        Status.rejected(true, List.of("a", "b"))),
                arguments(
                        Verdict.unfit(A, X, B, Y),
                        Status.rejected(false, List.of("x")),
                        Status.rejected(false, List.of("a", "x", "b", "y"))),
                arguments(
                        Verdict.unfit(Y, X),
                        Status.rejected(false, List.of("y")),
                        Status.rejected(false, List.of("y", "x"))));
    }

    /** Returns one reason: the first one that preemption cannot resolve, otherwise the first. */
    @ParameterizedTest
    @MethodSource("verdicts")
    void reducesReasons(Verdict verdict, Status one, Status all) {
        Predicate predicate = predicate("P", node -> verdict);
        assertEquals(one, run(predicate, false, true));
        assertEquals(all, run(predicate, true, true));
    }

    @Test
    void metadataIsNeededByThoseThatSaySo() {
        Predicate needing = predicate("P", context -> node -> Verdict.FITS, true);
        Predicate careless = predicate("P", context -> node -> Verdict.FITS, false);
        assertEquals(Status.SUCCESS, run(needing, false, true));
        assertEquals(Status.SUCCESS, run(careless, false, false));
        assertEquals(
                Status.error("invalid label selector: convert to predicates.Metadata error"),
                run(needing, false, false));
    }

    @Test
    void whatFitsEverywhereIsSkipped() {
        PredicatePlugin plugin = new PredicatePlugin(
                "Plugin", predicate("P", context -> PodFilter.FITS_ALL, false), false, keys, cluster);
        assertEquals("Plugin", plugin.name());
        assertEquals(PreFilterResult.SKIP, plugin.preFilter(keys.newState(), new PodContext(POD, cluster, true)));
    }
}
