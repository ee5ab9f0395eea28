package io.policyscheduler.cmd.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.workload.Workload;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class BenchTest {
    static Stream<Arguments> rates() {
        return Stream.of(
                Arguments.of(List.of(7.0), 7.0),
                Arguments.of(List.of(9.0, 1.0), 5.0),
                Arguments.of(List.of(9.0, 1.0, 2.0), 2.0),
                Arguments.of(List.of(9.0, 1.0, 2.0, 4.0), 3.0));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void theMedianIsTheMiddle(List<Double> rates, double median) {
        assertEquals(median, new Bench.Result(Workload.BASIC, rates, 0).median());
    }

    private static Function<ClusterState, Profile> defaults() throws PolicyException {
        AlgorithmRegistry registry = Algorithms.registry();
        EffectivePolicy policy =
                new PolicyResolver(FeatureGates.defaults(), 1, false, registry).resolveProvider("DefaultProvider");
        ProviderAdapter adapter = new ProviderAdapter(registry, Algorithms.environment());
        return cluster -> adapter.adapt(policy, cluster);
    }

    /** Nodes, pods on them, decisions, and how many of these find a place: no more than there is room for. */
    @ParameterizedTest
    @CsvSource({
        "BASIC, 3, 6, 5, 5",
        "BASIC, 1, 109, 5, 1",
        "BASIC, 1, 110, 5, 0",
        "BASIC, 0, 0, 5, 0",
        "MIXED, 6, 12, 7, 7"
    })
    void decidesOnAFreshWorldInEachRun(Workload workload, int nodes, int pods, int decisions, int placed)
            throws PolicyException, IOException {
        List<Integer> told = new ArrayList<>();
        Bench.Result result =
                new Bench(nodes, pods, decisions, 2, 100, 1, 100).measure(workload, defaults(), null, told::add);
        assertEquals(List.of(0, 1, 2), told);
        assertEquals(workload, result.workload());
        assertEquals(placed, result.placed());
        assertEquals(2, result.podsPerSecond().size());
        assertTrue(result.podsPerSecond().stream().allMatch(rate -> rate > 0), result.toString());
    }

    @Test
    void withThePageOpen() throws PolicyException, IOException {
        Bench.Result result =
                new Bench(3, 6, 40, 2, 100, 1, 100).measure(Workload.BASIC, defaults(), BenchPage::new, run -> {});
        assertEquals(2, result.beside().size());
        assertTrue(result.ratio() > 0, result.toString());
        assertEquals(
                0.5, new Bench.Result(Workload.BASIC, List.of(2.0, 4.0, 8.0), 1, List.of(1.0, 4.0, 1.0), 3).ratio());
    }

    @Test
    void resultsDoNotChange() {
        List<Double> rates = new ArrayList<>(List.of(1.0));
        Bench.Result result = new Bench.Result(Workload.BASIC, rates, 3);
        rates.add(100.0);
        assertEquals(new Bench.Result(Workload.BASIC, List.of(1.0), 3), result);
    }
}
