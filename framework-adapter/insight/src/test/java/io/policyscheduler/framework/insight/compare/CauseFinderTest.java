package io.policyscheduler.framework.insight.compare;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.CauseFinder.EvaluationPair;
import io.policyscheduler.framework.insight.compare.CauseTexts.Formulas;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CauseFinderTest {
    private final TableScheduler old = new TableScheduler("legacy:dir/old.json", SchedulerSpec.Kind.FUNCTIONS);
    private final TableScheduler modern = new TableScheduler("modern", SchedulerSpec.Kind.MODERN);

    private Difference find() {
        return find("a", "b", "c");
    }

    private Difference find(String... nodes) {
        ClusterState cluster = new ClusterState();
        for (String name : nodes) {
            cluster.putNode(node(name).build());
        }
        SnapshotSchedulers one = new SnapshotSchedulers(old.source(), cluster);
        SnapshotSchedulers two = new SnapshotSchedulers(modern.source(), cluster);
        PodInfo pod = pod("p").build();
        EvaluationPair pair = new EvaluationPair(
                one.decide(pod, NominatedPods.NONE, Adjustment.NONE),
                two.decide(pod, NominatedPods.NONE, Adjustment.NONE));
        return new CauseFinder(one, two).find(pod, NominatedPods.NONE, pair);
    }

    private void expect(String label, String text) {
        Difference difference = find();
        assertEquals(label + "\n" + text, difference.label() + "\n" + difference.text());
    }

    @Test
    void aFilterThatOnlyOneHas() {
        old.score("LeastRequestedPriority", 1, "a", 10);
        modern.filter("TaintToleration", "a").score("NodeResourcesFit", 1, "a", 10, "b", 5);
        expect(
                "TaintToleration filter",
                "TaintToleration of modern rejects a (no TaintToleration), old.json has no such filter. Without it,"
                        + " both choose a.");
    }

    @Test
    void aFilterThatBothHaveAndOneSaysNo() {
        old.filter("MatchNodeSelector", "a", "b");
        modern.filter("NodeAffinity", "a", "b", "c");
        Difference difference = find();
        assertEquals(Agreement.ONLY_REFERENCE, difference.agreement());
        assertEquals(
                "NodeAffinity of modern rejects c (no NodeAffinity), MatchNodeSelector of old.json accepts it. Without it,"
                        + " both choose a.",
                difference.text());
        Cause cause = difference.causes().get(0);
        assertEquals(Set.of("MatchNodeSelector"), cause.reference());
        assertEquals(Set.of("NodeAffinity"), cause.other());
        assertEquals("c", cause.node());
    }

    /** Several filters reject the node one after the other, and without them it is not the best one. */
    @Test
    void filtersAndAScore() {
        old.score("LeastRequestedPriority", 1, "a", 10).score("Rule", 1, "a", 5);
        modern.filter("TaintToleration", "a")
                .filter("NodePorts", "a")
                .score("NodeResourcesFit", 1, "a", 10, "b", 20)
                .score("Rule", 1, "a", 5);
        assertEquals("NodePorts filter + NodeResourcesFit score + TaintToleration filter", find().label());
        modern.filter("NodeName", "b");
        assertEquals("NodePorts filter + TaintToleration filter", find().label());
    }

    /** TaintToleration has to go only as long as NodeAffinity is gone, which is not needed either. */
    @Test
    void whatWasNeededBesideOneThatIsNot() {
        old.filter("MatchNodeSelector", "a", "c")
                .score("LeastRequestedPriority", 1, "a", 30, "c", 25, "y", 20, "w", 10)
                .score("Rule", 1, "w", 40);
        modern.filter("TaintToleration", "a", "w")
                .filter("NodeAffinity", "a", "x")
                .score("NodeResourcesFit", 1, "a", 50, "x", 40, "y", 20, "c", 5)
                .score("Rule", 1, "c", 60);
        Difference difference = find("a", "c", "w", "x", "y");
        assertEquals("Rule score", difference.label());
        assertEquals("y", difference.agreeOn());
    }

    @Test
    void aScoreThatOnlyOneHas() {
        old.score("LeastRequestedPriority", 1, "a", 10)
                .score("NodePreferAvoidPodsPriority", 10_000, "b", 100, "c", 100);
        modern.score("NodeResourcesFit", 1, "a", 10);
        expect(
                "NodePreferAvoidPods score",
                "NodePreferAvoidPodsPriority of old.json (weight 10000) gives b 100 and a 0, modern has no such score."
                        + " Without it, both choose a.");
        assertEquals(Cause.Kind.ONE_SIDED, find().causes().get(0).kind());
    }

    @Test
    void anotherWeight() {
        old.score("TaintTolerationPriority", 1, "a", 100).score("ImageLocalityPriority", 2, "b", 100);
        modern.score("TaintToleration", 3, "a", 100).score("ImageLocality", 2, "b", 100);
        expect(
                "ImageLocality score",
                "ImageLocalityPriority of old.json (weight 2) gives b 100 and a 0, ImageLocality of modern (weight 2)"
                        + " gives b 100 and a 0. Without it, both choose a.");
        modern.score("ImageLocality", 4, "b", 100);
        old.score("ImageLocalityPriority", 4, "b", 50);
        modern.score("TaintToleration", 5, "a", 100);
        old.score("TaintTolerationPriority", 1, "a", 100);
        Cause cause = find().causes().get(0);
        assertEquals(Cause.Kind.WEIGHT, cause.kind());
        assertEquals(new Cause.WeightChange(false, "TaintToleration", 5, 1), cause.weight());
        assertEquals(
                "TaintTolerationPriority of old.json (weight 1) and TaintToleration of modern (weight 5) both give b 0 and"
                        + " a 100. With weight 1 instead of 5 for TaintToleration of modern, they agree",
                cause.text());
    }

    /** A rejected node has no score. The scores of the other nodes show that only the weights differ. */
    @Test
    void aRejectedNodeHasNoScore() {
        old.filter("PodToleratesNodeTaints", "c").score("LeastRequestedPriority", 2, "a", 60, "b", 10);
        modern.score("NodeResourcesFit", 1, "a", 60, "b", 10, "c", 90);
        Difference difference = find();
        assertEquals(
                "LeastRequestedPriority of old.json (weight 2) and NodeResourcesFit of modern (weight 1) both give a 60 (c"
                        + " has no score, because PodToleratesNodeTaints of old.json rejects it). Without it, both choose a.",
                difference.text());
        assertEquals("", difference.note());
        modern.score("NodeResourcesFit", 1, "a", 70, "b", 10, "c", 90);
        assertEquals(
                "LeastRequestedPriority of old.json (weight 2) gives a 60 (c has no score, because PodToleratesNodeTaints of"
                        + " old.json rejects it), NodeResourcesFit of modern (weight 1) gives a 70 and c 90. Without it, both"
                        + " choose a.",
                find().text());
    }

    /** Without the filter, the scores differ, too. */
    @Test
    void scoresWithoutTheFilter() {
        old.filter("PodToleratesNodeTaints", "a").score("LeastRequestedPriority", 1, "b", 50);
        modern.score("NodeResourcesFit", 1, "a", 80).filter("TaintToleration", "b", "c");
        assertEquals(
                "TaintToleration of modern rejects b (no TaintToleration), PodToleratesNodeTaints of old.json accepts"
                        + " it. Without this filter, LeastRequestedPriority of old.json (weight 1) gives b 50 and a 0,"
                        + " NodeResourcesFit of modern (weight 1) gives b 0 and a 80. Without these, both choose a.",
                find().text());
    }

    @Test
    void anotherFormula() {
        old.score("BalancedResourceAllocation", 1, "a", 90, "b", 80);
        modern.score("NodeResourcesBalancedAllocation", 1, "a", 70, "b", 80);
        Difference difference = find();
        assertEquals(Cause.Kind.FORMULA, difference.causes().get(0).kind());
        assertEquals(
                "BalancedResourceAllocation of old.json (weight 1) gives a 90 and b 80, NodeResourcesBalancedAllocation of"
                        + " modern (weight 1) gives a 70 and b 80. Without it, both choose a.",
                difference.text());
        assertEquals(Formulas.difference(List.of("BalancedResourceAllocation"), name -> name), difference.note());
    }

    /** Neither of the two alone is enough. */
    @Test
    void severalScores() {
        old.score("LeastRequestedPriority", 1, "a", 100).score("ImageLocalityPriority", 1, "a", 100);
        modern.score("NodeResourcesFit", 1, "b", 100).score("ImageLocality", 1, "b", 100);
        Difference difference = find();
        assertEquals("ImageLocality score + NodeResourcesFit score", difference.label());
        assertEquals("a", difference.agreeOn());
    }

    @Test
    void manyScores() {
        for (int i = 0; i < 7; i++) {
            old.score("Rule" + i, 1, "a", 100);
            modern.score("Rule" + i, 1, "b", 100);
        }
        assertEquals(7, find().causes().size());
    }

    @Test
    void anError() {
        old.score("LeastRequestedPriority", 1, "a", 10);
        modern.filter("NodePorts").failing("VolumeBinding").score("NodeResourcesFit", 1, "a", 10);
        expect(
                "VolumeBinding filter",
                "VolumeBinding of modern fails with the error \"VolumeBinding is broken\". Without it, both choose a.");
    }

    @Test
    void theKindTellsApartWaysToRunOneFile() {
        TableScheduler twin =
                new TableScheduler("framework:dir/old.json", SchedulerSpec.Kind.LEGACY).filter("NodeName", "a");
        CauseTexts texts = new CauseTexts(old.source(), twin.source());
        assertEquals(
                "NodeName of framework:old.json rejects a (x), legacy:old.json has no such filter",
                texts.filter(
                                new AlgorithmConcept(AlgorithmConcept.Role.FILTER, "NodeName"),
                                new CauseFinder.Rejection(false, "a", List.of("x")))
                        .text());
    }
}
