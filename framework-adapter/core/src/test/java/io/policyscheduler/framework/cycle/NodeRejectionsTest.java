package io.policyscheduler.framework.cycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.plugin.Status;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeRejectionsTest {
    private static final NodeInfo NODE = new NodeInfo("n");

    @Test
    void countsEachReasonOnceForEachNode() {
        NodeRejections rejections = new NodeRejections(null);
        Status full = Status.unschedulable("Insufficient cpu");
        Status both = Status.rejected(true, List.of("Insufficient cpu", "Insufficient memory"));
        Status waits = new Status(Status.Code.PENDING, List.of("not now"));
        rejections.add(NODE, "Fit", full);
        rejections.add(NODE, "Fit", both);
        rejections.add(NODE, "Fit", full);
        rejections.add(NODE, "Other", full);
        rejections.add(NODE, "Wait", waits);
        assertEquals(Map.of("Insufficient cpu", 4, "Insufficient memory", 1, "not now", 1), rejections.reasons());
        assertEquals(Set.of("Fit", "Other", "Wait"), rejections.by());
        assertEquals(Set.of("Wait"), rejections.pending());
    }

    /** More statuses than are cached, and equal ones that are different objects. */
    @Test
    void anySequenceGivesTheCountsOfItsParts() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            int texts = 1 + random.nextInt(40);
            NodeRejections rejections = new NodeRejections(null);
            Map<String, Integer> expected = new HashMap<>();
            Set<String> by = new HashSet<>();
            for (int i = 0; i < 300; i++) {
                String text = "reason " + random.nextInt(texts);
                String plugin = "plugin " + random.nextInt(3);
                rejections.add(NODE, plugin, Status.unschedulable(text));
                expected.merge(text, 1, Integer::sum);
                by.add(plugin);
                if (random.nextInt(50) == 0) {
                    assertEquals(expected, rejections.reasons());
                }
            }
            assertEquals(expected, rejections.reasons());
            assertEquals(by, rejections.by());
        }
    }
}
