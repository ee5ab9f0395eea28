package io.policyscheduler.framework.insight.whatif;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.TableScheduler;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import io.policyscheduler.framework.insight.whatif.Audit.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class AuditTest {
    private static final PodInfo WEB = web("web").build();
    private static final PodInfo AGENT =
            pod("agent").onNode("a").controller("DaemonSet", "agent", "ds").build();
    private static final PodInfo STATIC =
            pod("static").onNode("a").controller("Node", "a", "node").build();

    private static PodBuilder web(String name) {
        return pod(name).onNode("a").controller("ReplicaSet", "web", "rs");
    }

    private static TableScheduler table() {
        return new TableScheduler("table", SchedulerSpec.Kind.MODERN);
    }

    private static List<Finding> audit(SchedulerSpec source, double threshold, PodInfo... running) {
        List<PodInfo> pods = List.of(running);
        ClusterSnapshot snapshot = new ClusterSnapshot(
                List.of(node("a").build(), node("b").build(), node("c").build()), List.of(), pods, List.of());
        return new Audit(source, threshold).run(snapshot, pods, done -> {});
    }

    private static Obstacle no(String filter) {
        return new Obstacle(filter, List.of("no " + filter));
    }

    static Stream<Arguments> onePod() {
        TableScheduler rejected = table().filter("First", "a").filter("Second", "a", "b");
        TableScheduler nowhere = table().filter("First", "a", "b", "c");
        TableScheduler better = table().score("Score", 1, "b", 50);
        return Stream.of(
                Arguments.of("nothing speaks against it", table(), WEB, List.of()),
                Arguments.of("the best node", table().score("Score", 1, "a", 9, "b", 8), WEB, List.of()),
                Arguments.of("one of two best", table().score("Score", 1, "a", 9, "b", 9), WEB, List.of()),
                Arguments.of("another is better", better, WEB, List.of(Finding.better(WEB, "b", 50))),
                Arguments.of("a daemon's other node is no choice", better, AGENT, List.of()),
                Arguments.of("a static pod's neither", better, STATIC, List.of()),
                Arguments.of(
                        "reports all filters that reject, in their order",
                        rejected,
                        WEB,
                        List.of(Finding.violation(WEB, List.of(no("First"), no("Second")), "c"))),
                Arguments.of(
                        "a daemon on a node that rejects it has nowhere to go",
                        rejected,
                        AGENT,
                        List.of(Finding.violation(AGENT, List.of(no("First"), no("Second")), null))),
                Arguments.of(
                        "no node is left", nowhere, WEB, List.of(Finding.violation(WEB, List.of(no("First")), null))),
                Arguments.of(
                        "a node that does not fit is no better one",
                        table().filter("First", "b").score("Score", 1, "b", 90),
                        WEB,
                        List.of()),
                Arguments.of(
                        "an error decides nothing",
                        table().failing("First"),
                        WEB,
                        List.of(Finding.undecided(WEB, "First is broken"))),
                Arguments.of(
                        "it is decided as if it were new",
                        table().filter(
                                        "First",
                                        (pod, node) -> !pod.nodeName().isEmpty()
                                                || !pod.nominatedNodeName().isEmpty()),
                        web("web").nominatedTo("a").build(),
                        List.of()),
                Arguments.of(
                        "its own room is free",
                        table().filter("Full", (pod, node) -> node.podCount() > 0),
                        WEB,
                        List.of()),
                Arguments.of(
                        "it is being deleted",
                        rejected,
                        web("web").terminating().build(),
                        List.of()),
                Arguments.of(
                        "its node is gone", rejected, web("web").onNode("gone").build(), List.of()),
                Arguments.of("it has no node", rejected, web("web").onNode("").build(), List.of()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("onePod")
    void judges(String title, TableScheduler table, PodInfo pod, List<Finding> expected) {
        assertEquals(expected, audit(table.source(), 10, pod));
    }

    /** The gain is in percent of the highest total, and counts when it is above the threshold. */
    @ParameterizedTest
    @CsvSource({
        "1, 20, 20, ''",
        "1, 20, 19.9, 20",
        "3, 20, 19.9, 20",
        "1, 100, 99, 100",
        "1, 0, 0, ''",
        "1, 1, 0, 1",
        // Weights add to the highest total, whatever a node gets by them.
        "0, 20, 0, ''",
    })
    void aGainAboveTheThresholdIsTold(long weight, int ofB, double threshold, String gain) {
        TableScheduler table = table().score("Score", weight, "b", ofB);
        assertEquals(
                gain.isEmpty() ? List.of() : List.of(Finding.better(WEB, "b", Double.parseDouble(gain))),
                audit(table.source(), threshold, WEB));
    }

    @ParameterizedTest
    @CsvSource({"NodePreferAvoidPods", "NodePreferAvoidPodsPriority"})
    void theWeightThatKeepsPodsOffNodesIsNotPartOfTheHighestTotal(String avoid) {
        TableScheduler alone = table().score(avoid, 10_000, "a", 0, "b", 100);
        assertEquals(List.of(Finding.better(WEB, "b", 100)), audit(alone.source(), 10, WEB));
        TableScheduler beside =
                table().score(avoid, 10_000, "a", 100, "b", 100, "c", 100).score("Score", 1, "b", 50);
        assertEquals(List.of(Finding.better(WEB, "b", 50)), audit(beside.source(), 10, WEB));
    }

    @Test
    void theOtherPodsStay() {
        TableScheduler oneEach = table().filter("Full", (pod, node) -> node.podCount() > 0);
        PodInfo first = web("first").build();
        PodInfo second = web("second").build();
        PodInfo alone = web("alone").onNode("b").build();
        assertEquals(
                List.of(
                        Finding.violation(first, List.of(no("Full")), "c"),
                        Finding.violation(second, List.of(no("Full")), "c")),
                audit(oneEach.source(), 10, first, second, alone));
    }

    /** A rejection that no single filter gives is reported as it was given. */
    @Test
    void whatNoFilterRejectsAloneIsToldAsItIs() {
        SchedulerSpec table = table().filter("First", "a").source();
        SchedulerSpec nameless = new SchedulerSpec(
                table.name(), table.kind(), List.of(), table.scores(), table.factory(), table.volumes());
        assertEquals(List.of(Finding.violation(WEB, List.of(no("First")), "b")), audit(nameless, 10, WEB));
    }

    @Test
    void progressCountsAllPods() {
        List<PodInfo> pods = List.of(
                WEB,
                web("going").terminating().build(),
                web("gone").onNode("gone").build());
        ClusterSnapshot snapshot = new ClusterSnapshot(List.of(node("a").build()), List.of(), pods, List.of());
        List<Integer> reported = new ArrayList<>();
        new Audit(table().source(), 10).run(snapshot, pods, reported::add);
        assertEquals(List.of(1, 2, 3), reported);
    }
}
