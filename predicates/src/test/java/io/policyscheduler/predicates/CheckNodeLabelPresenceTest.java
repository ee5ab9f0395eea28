package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CheckNodeLabelPresenceTest {
    static Stream<Arguments> lists() {
        return Stream.of(
                arguments(List.of(), List.of(), true),
                arguments(List.of("zone"), List.of(), true),
                arguments(List.of("blank"), List.of(), true),
                arguments(List.of("zone", "gone"), List.of(), false),
                arguments(List.of(), List.of("retiring"), true),
                arguments(List.of(), List.of("retiring", "blank"), false),
                arguments(List.of("zone"), List.of("retiring"), true),
                arguments(List.of("zone"), List.of("zone"), false));
    }

    @ParameterizedTest
    @MethodSource("lists")
    void keysDecide(List<String> present, List<String> absent, boolean fits) {
        ClusterState cluster = Clusters.cluster(
                node("n1").label("zone", "z").label("blank", "").build());
        assertEquals(
                fits ? Verdict.FITS : Verdict.unfit(FailureReasons.LABEL_PRESENCE),
                Checks.verdict(new CheckNodeLabelPresence(config(present, absent)), pod("p").build(), cluster, "n1"));
    }

    @Test
    void readsOneNode() {
        CheckNodeLabelPresence predicate = new CheckNodeLabelPresence(AlgorithmConfig.defaults());
        assertEquals("CheckNodeLabelPresence", predicate.name());
        assertEquals(Scope.NODE, predicate.scope());
    }

    private static AlgorithmConfig config(List<String> present, List<String> absent) {
        return new AlgorithmConfig(
                present,
                absent,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                Set.of(),
                1,
                FeatureGates.defaults(),
                name -> "",
                Set.of());
    }
}
