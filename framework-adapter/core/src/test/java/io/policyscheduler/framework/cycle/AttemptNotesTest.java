package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.cycle.AttemptDetails.Algorithm;
import io.policyscheduler.framework.cycle.AttemptDetails.AttemptNotes;
import io.policyscheduler.framework.cycle.AttemptDetails.Rejection;
import io.policyscheduler.framework.cycle.AttemptDetails.Scored;
import io.policyscheduler.framework.cycle.NodeRejections.Notes;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AttemptNotesTest {
    private static List<NodeInfo> nodes(int count) {
        ClusterState cluster = new ClusterState();
        IntStream.range(0, count).forEach(i -> cluster.putNode(node("n" + i).build()));
        cluster.startCycle();
        return cluster.nodes();
    }

    @Test
    void toldOnce() {
        List<NodeInfo> nodes = nodes(3);
        ScoreRecorder scores = new ScoreRecorder();
        AttemptNotes notes = new AttemptNotes(scores);
        long[] first = {1, 2, 3};
        assertNotSame(first, scores.taken("A", 2, first));
        scores.uniform("B", 5, 7);
        scores.ofNode("C", 1, node -> node == nodes.get(0) ? 9 : 0);
        notes.rejections().rejected("bad", List.of("full"));
        notes.counted(Map.of("full", 1));
        notes.chosen(nodes, new long[] {46, 39, 46}, 2);
        assertEquals(
                new AttemptDetails(
                        4,
                        List.of(new Rejection("full", 1, List.of("bad"))),
                        0,
                        List.of(new Algorithm("A", 2), new Algorithm("B", 5), new Algorithm("C", 1)),
                        0,
                        List.of(
                                new Scored(nodes.get(2).name(), 46, ImmutableLongArray.of(3, 7, 0)),
                                new Scored(nodes.get(0).name(), 46, ImmutableLongArray.of(1, 7, 9)),
                                new Scored(nodes.get(1).name(), 39, ImmutableLongArray.of(2, 7, 0))),
                        2),
                notes.details(4));
        assertEquals(AttemptDetails.NONE, new AttemptNotes(scores).details(0));
    }

    /** Otherwise, each decision of the history would keep its own copies, and the log would encode them again. */
    @Test
    void attemptsShareEqualAlgorithmsAndNodesShareEqualScores() {
        ScoreRecorder scores = new ScoreRecorder();
        AttemptDetails first = attempt(scores, 2, 9);
        assertSame(first.best().get(0).scores(), first.best().get(1).scores());
        assertEquals(ImmutableLongArray.of(7, 9), first.best().get(2).scores());
        AttemptDetails second = attempt(scores, 2, 8);
        assertSame(first.algorithms(), second.algorithms());
        assertEquals(ImmutableLongArray.of(7, 8), second.best().get(2).scores());
        AttemptDetails third = attempt(scores, 3, 8);
        assertEquals(List.of(new Algorithm("A", 1), new Algorithm("B", 3)), third.algorithms());
        assertEquals(List.of(new Algorithm("A", 1), new Algorithm("B", 2)), first.algorithms());
    }

    /** Three nodes of which the last one has another score. */
    private static AttemptDetails attempt(ScoreRecorder scores, long weight, long ofLast) {
        List<NodeInfo> nodes = nodes(3);
        AttemptNotes notes = new AttemptNotes(scores);
        scores.uniform("A", 1, 7);
        scores.ofNode("B", weight, node -> node == nodes.get(2) ? ofLast : 10);
        notes.chosen(nodes, new long[] {20, 20, 15}, 0);
        return notes.details(3);
    }

    @Test
    void aPluginThatFailsTheSecondTimeCostsOnlyTheScores() {
        ScoreRecorder scores = new ScoreRecorder();
        AttemptNotes notes = new AttemptNotes(scores);
        scores.ofNode("A", 1, node -> {
            throw new IllegalStateException("asked twice");
        });
        notes.chosen(nodes(2), new long[] {1, 0}, 0);
        assertEquals(new AttemptDetails(2, List.of(), 0, List.of(), 0, List.of(), 1), notes.details(2));
    }

    /** Compared with sorting all nodes, with many equal totals. */
    @Test
    void theBestAreThoseThatSortingFinds() {
        Random random = new Random(7);
        for (int round = 0; round < 500; round++) {
            List<NodeInfo> nodes = nodes(1 + random.nextInt(40));
            long[] totals = random.longs(nodes.size(), -3, 8).toArray();
            long most = Arrays.stream(totals).max().orElseThrow();
            int[] winners = IntStream.range(0, totals.length)
                    .filter(i -> totals[i] == most)
                    .toArray();
            int chosen = winners[random.nextInt(winners.length)];
            List<Long> expected = IntStream.range(0, totals.length)
                    .filter(i -> i != chosen)
                    .mapToObj(i -> -totals[i])
                    .sorted()
                    .map(total -> -total)
                    .limit(AttemptDetails.MOST_BEST - 1)
                    .toList();
            List<Scored> best = new ScoreRecorder().best(nodes, totals, chosen);
            assertEquals(nodes.get(chosen).name(), best.get(0).node());
            assertEquals(expected, best.stream().skip(1).map(Scored::total).toList());
            assertEquals(best.size(), best.stream().map(Scored::node).distinct().count());
            assertEquals(winners.length, ScoreRecorder.tied(totals, most));
        }
    }

    @Test
    void algorithmsAreCut() {
        ScoreRecorder scores = new ScoreRecorder();
        AttemptNotes notes = new AttemptNotes(scores);
        IntStream.range(0, AttemptDetails.MOST_ALGORITHMS + 3).forEach(i -> scores.uniform("A" + i, 1, i));
        notes.chosen(nodes(2), new long[] {1, 0}, 0);
        AttemptDetails details = notes.details(2);
        assertEquals(AttemptDetails.MOST_ALGORITHMS, details.algorithms().size());
        assertEquals(3, details.otherAlgorithms());
    }

    @Test
    void namesAndReasonsAreCutAndNumbersAreNot() {
        Notes notes = new Notes();
        Map<String, Integer> counts = new LinkedHashMap<>();
        String frequent = "x".repeat(AttemptDetails.MOST_CHARACTERS + 1);
        int many = AttemptDetails.MOST_NAMES + 9;
        for (int i = 0; i < many; i++) {
            notes.rejected("n" + i, List.of(frequent));
        }
        counts.put(frequent, many);
        for (int i = 0; i < AttemptDetails.MOST_REASONS + 5; i++) {
            notes.rejected("m" + i, List.of("reason " + (char) ('a' + i)));
            counts.put("reason " + (char) ('a' + i), 1);
        }
        List<Rejection> rejections = notes.of(counts);
        assertEquals(AttemptDetails.MOST_REASONS, rejections.size());
        Rejection first = rejections.get(0);
        assertEquals("x".repeat(AttemptDetails.MOST_CHARACTERS - 3) + "...", first.reason());
        assertEquals(many, first.nodes());
        assertEquals(
                IntStream.range(0, AttemptDetails.MOST_NAMES)
                        .mapToObj(i -> "n" + i)
                        .toList(),
                first.names());
        assertEquals(new Rejection("reason a", 1, List.of("m0")), rejections.get(1));
    }
}
