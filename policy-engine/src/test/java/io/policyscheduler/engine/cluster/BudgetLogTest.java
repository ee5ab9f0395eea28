package io.policyscheduler.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState.BudgetLog;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BudgetLogTest {
    private final ClusterState cluster = new ClusterState();
    private final BudgetLog log = cluster.budgetLog();

    private static DisruptionBudgetInfo budget(String name, int allowed) {
        return new DisruptionBudgetInfo("default", name, LabelSelector.EVERYTHING, allowed, Set.of());
    }

    private List<String> since(long revision) {
        List<String> changes = new ArrayList<>();
        assertTrue(log.changedSince(
                revision,
                (before, now) -> changes.add((before == null ? "-" : before.name() + before.disruptionsAllowed()) + ">"
                        + (now == null ? "-" : now.name() + now.disruptionsAllowed()))));
        return changes;
    }

    @Test
    void tellsWhatCameChangedAndWent() {
        cluster.putObject(budget("a", 1));
        long first = log.revision();
        cluster.putObject(budget("a", 1));
        cluster.putObject(budget("a", 2));
        cluster.putObject(budget("b", 0));
        cluster.removeObject(budget("a", 7));
        cluster.removeObject(budget("unknown", 7));
        assertEquals(List.of("->a1", "a1>a2", "->b0", "a2>-"), since(0));
        assertEquals(List.of("a1>a2", "->b0", "a2>-"), since(first));
        assertEquals(List.of(), since(log.revision()));
    }

    @Test
    void saysThatItDoesNotRemember() {
        for (int i = 0; i <= 1024; i++) {
            cluster.putObject(budget("a", i));
        }
        assertFalse(log.changedSince(0, (before, now) -> {
            throw new AssertionError("visited");
        }));
        assertEquals(1024, since(1).size());
    }
}
