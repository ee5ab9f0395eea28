package io.policyscheduler.cmd.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.bench.Bench.Path;
import io.policyscheduler.cmd.bench.Bench.Result;
import io.policyscheduler.cmd.bench.BenchReport.Medians;
import io.policyscheduler.cmd.bench.BenchReport.Row;
import io.policyscheduler.cmd.bench.MeasuredTables.OpenPage;
import io.policyscheduler.cmd.bench.ScaleBench.ScaleRow;
import io.policyscheduler.cmd.bench.ScaleBench.Size;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.snapshot.BenchCluster;
import io.policyscheduler.cmd.snapshot.Workload;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.AttemptListener;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

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
        assertEquals(median, Medians.of(rates));
    }

    private static Function<ClusterState, Profile> defaults() throws PolicyException {
        AlgorithmRegistry registry = Algorithms.registry();
        EffectivePolicy policy =
                new PolicyResolver(FeatureGates.defaults(), 1, false, registry).resolveProvider("DefaultProvider");
        ProviderAdapter adapter = new ProviderAdapter(registry, Algorithms.environment());
        return cluster -> adapter.adapt(policy, cluster);
    }

    private static Bench bench(int nodes, int pods, int decisions, int runs, Path... paths) {
        return new Bench(nodes, pods, decisions, runs, 100, 1, 100, List.of(paths));
    }

    private static Row row(Workload workload) throws PolicyException {
        return new Row("DefaultProvider", workload, defaults());
    }

    /** Number of nodes, of running pods, of decisions, and of placements, which the free room limits. */
    @ParameterizedTest
    @CsvSource({
        "BASIC, 3, 6, 5, 5",
        "BASIC, 1, 109, 5, 1",
        "BASIC, 1, 110, 5, 0",
        "BASIC, 0, 0, 5, 0",
        "MIXED, 6, 12, 7, 7",
        "PREEMPTION, 3, 0, 7, 7",
        "PREEMPTION, 1, 0, 5, 4",
    })
    void decidesOnAFreshWorldInEachRun(Workload workload, int nodes, int pods, int decisions, int placed)
            throws PolicyException, IOException {
        List<Integer> reported = new ArrayList<>();
        Result result = bench(nodes, pods, decisions, 2, Path.usual()).measure(row(workload), null, reported::add);
        assertEquals(List.of(0, 1, 2), reported);
        assertEquals(workload, result.workload());
        assertEquals(placed, result.placed());
        assertEquals(2, result.usual().podsPerSecond().size());
        assertEquals(2, result.usual().cpuMicros().size());
        assertTrue(result.usual().podsPerSecond().stream().allMatch(rate -> rate > 0), result.toString());
    }

    /** Every decision on full nodes evicts two pods, and fills the node again. */
    @Test
    void eachPodMakesRoomForItself() throws PolicyException {
        BenchCluster benchCluster = new BenchCluster(Workload.PREEMPTION, 4, 0, 6, 1);
        SchedulingCycle cycle = Path.usual()
                .source()
                .cycle(defaults().apply(benchCluster.cluster), benchCluster.cluster, 100, AttemptListener.NONE);
        int before = pods(benchCluster);
        for (PodInfo pod : benchCluster.pending) {
            assertNull(cycle.decide(pod, NominatedPods.NONE).node());
            String node = Bench.makeRoom(cycle, benchCluster, pod);
            assertNotNull(node);
            benchCluster.cluster.addPod(pod.withNodeName(node));
        }
        assertEquals(before - 2 * 6 + 6, pods(benchCluster));
    }

    private static int pods(BenchCluster benchCluster) {
        return benchCluster.cluster.nodes().stream()
                .mapToInt(node -> node.pods().size())
                .sum();
    }

    @Test
    void waysOfDecidingAreRunInTurn() throws PolicyException, IOException {
        List<String> made = new ArrayList<>();
        Path usual = Path.usual();
        Path[] paths = Stream.of("one", "other")
                .map(name -> new Path(name, (profile, cluster, percentage, attempts) -> {
                    made.add(name);
                    return usual.source().cycle(profile, cluster, percentage, attempts);
                }))
                .toArray(Path[]::new);
        Result result = bench(3, 6, 4, 2, paths).measure(row(Workload.BASIC), null, run -> {});
        assertEquals(List.of("one", "other", "one", "other", "one", "other"), made);
        assertEquals(
                List.of("one", "other"),
                result.paths().stream().map(Result.PathRuns::name).toList());
        assertTrue(result.gain() > 0, result.toString());
    }

    @Test
    void withThePageOpen() throws PolicyException, IOException {
        Result result = bench(3, 6, 40, 2, Path.usual()).measure(row(Workload.BASIC), OpenPage::new, run -> {});
        assertEquals(2, result.beside().size());
        assertTrue(result.besideRatio() > 0, result.toString());
    }

    private static Result.PathRuns runs(String name, Double... rates) {
        return new Result.PathRuns(name, List.of(rates), List.of(10.0, 30.0, 20.0));
    }

    private static Result result(List<Double> beside, Result.PathRuns... paths) {
        return new Result("p", Workload.BASIC, List.of(paths), 4, beside, 3);
    }

    @Test
    void ratiosAreThoseOfPairs() {
        Result result = result(List.of(1.0, 4.0, 1.0), runs("plain", 1.0, 4.0, 2.0), runs("fast", 2.0, 4.0, 8.0));
        assertEquals(2, result.gain());
        assertEquals(0.5, result.besideRatio());
        assertEquals(2, result.plain().rate());
        assertEquals(4, result.usual().rate());
        assertEquals(20, result.usual().cpu());
    }

    private static String table(BenchReport.CompanionKind beside, Result... results) {
        StringWriter text = new StringWriter();
        new BenchReport(List.of(results), beside).print(new PrintWriter(text));
        return text.toString().replaceAll(" +", " ");
    }

    @Test
    void oneWayIsShownWithItsRange() {
        assertEquals(
                "WORKLOAD SCHEDULER PODS/S MIN MAX CPU US PLACED\nbasic p 2 1 4 20 4\n",
                table(BenchReport.CompanionKind.NOTHING, result(List.of(), runs("plain", 1.0, 4.0, 2.0))));
        assertEquals(
                "WORKLOAD SCHEDULER PODS/S MIN MAX CPU US PLACED FRAMES VIEWED\nbasic p 2 1 4 20 4 3 0.500\n",
                table(BenchReport.CompanionKind.PAGE, result(List.of(0.5, 2.0, 2.0), runs("plain", 1.0, 4.0, 2.0))));
    }

    @Test
    void twoWaysAreShownSideBySide() {
        assertEquals(
                "WORKLOAD SCHEDULER PLAIN PODS/S CPU US FAST PODS/S CPU US GAIN PLACED\nbasic p 2 20 4 20 2.00 4\n",
                table(
                        BenchReport.CompanionKind.NOTHING,
                        result(List.of(), runs("plain", 1.0, 4.0, 2.0), runs("fast", 2.0, 4.0, 8.0))));
    }

    @Test
    void theCostOfASizeIsToldAgainstTheFirst() throws PolicyException, IOException {
        List<String> reported = new ArrayList<>();
        List<ScaleRow> rows = new ScaleBench(List.of(new Size(2, 2), new Size(4, 9)), bench(1, 1, 3, 2, Path.usual()))
                .measure(row(Workload.BASIC), (size, run) -> reported.add(size.nodes() + "/" + run));
        assertEquals(List.of("2/0", "2/0", "2/1", "4/0", "4/1"), reported);
        assertEquals(1, rows.get(0).against());
        assertEquals(rows.get(1).micros() / rows.get(0).micros(), rows.get(1).against(), 1e-9);
        assertEquals(new Size(4, 9), rows.get(1).size());
        assertTrue(rows.get(1).heapBytes() > 1_000_000, rows.toString());
    }

    @ParameterizedTest
    @CsvSource({"7, 7, 7", "100000x1000000, 100000, 1000000", "3x0, 3, 0"})
    void sizes(String text, int nodes, int pods) {
        assertEquals(new Size(nodes, pods), new Size.Converter().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "x5", "5x", "5x5x5", "-1", "2000000", "1x99999999", "999999999999"})
    void textsThatAreNoSizes(String text) {
        assertThrows(TypeConversionException.class, () -> new Size.Converter().convert(text));
    }

    @Test
    void resultsDoNotChange() {
        List<Double> rates = new ArrayList<>(List.of(1.0));
        Result.PathRuns runs = new Result.PathRuns("plain", rates, rates);
        rates.add(100.0);
        assertEquals(new Result.PathRuns("plain", List.of(1.0), List.of(1.0)), runs);
    }
}
