package io.policyscheduler.engine.cluster;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The fast path for matching one pod against thousands gives the same results. */
class PodMatchingTest {
    private static final LabelSelector WEB = LabelSelector.of(Labels.of("app", "web"), List.of());

    @Test
    void memoizedSelectorAnswersAsTheSelectorDoes() {
        MemoizedSelector memo = new MemoizedSelector(WEB);
        List<Labels> sets = new ArrayList<>();
        // More sets than slots, so that they push one another out.
        for (int i = 0; i < 100; i++) {
            sets.add(Labels.of("app", i % 3 == 0 ? "web" : "db", "n", "v" + i));
        }
        for (int round = 0; round < 3; round++) {
            for (Labels labels : sets) {
                assertEquals(WEB.matches(labels), memo.matches(labels), labels::toString);
            }
        }
    }

    @Test
    void nodeConstraints() {
        Node ssd = node("n1").label("disk", "ssd").label("gen", "5").build();
        Node hdd = node("n2").label("disk", "hdd").build();
        NodeSelectorTerm newer =
                new NodeSelectorTerm(List.of(LabelRequirement.ofNodeSelector("gen", "Gt", List.of("4"))), List.of());
        NodeSelectorTerm byName = new NodeSelectorTerm(
                List.of(), List.of(LabelRequirement.ofNodeSelector("metadata.name", "In", List.of("n2"))));

        NodeConstraints none = NodeConstraints.of(pod("p").build());
        assertTrue(none.accept(ssd) && none.accept(hdd));
        NodeConstraints selector =
                NodeConstraints.of(pod("p").nodeSelector("disk", "ssd").build());
        assertTrue(selector.accept(ssd));
        assertFalse(selector.accept(hdd));
        // An illegal value voids the whole nodeSelector.
        assertTrue(
                NodeConstraints.of(pod("p").nodeSelector("disk", "-x").build()).accept(hdd));
        NodeConstraints either =
                NodeConstraints.of(pod("p").requiredNode(newer, byName).build());
        assertTrue(either.accept(ssd) && either.accept(hdd));
        assertFalse(NodeConstraints.of(pod("p").requiredNode().build()).accept(ssd));
        assertFalse(NodeConstraints.of(
                        pod("p").nodeSelector("disk", "hdd").requiredNode(newer).build())
                .accept(ssd));
    }
}
