package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class EvictionCostTest {
    private static EvictionCost cost(int violations, PodInfo... victims) {
        return EvictionCost.of(new Victims(List.of(victims), violations));
    }

    private static PodInfo victim(int priority, long start) {
        return pod("v").priority(priority).startTime(start).build();
    }

    @Test
    void isMadeOfTheVictims() {
        long offset = 1L << 31;
        assertEquals(
                new EvictionCost(false, 2, 5, 12 + 3 * offset, 3, 100),
                cost(2, victim(5, 200), victim(5, 100), victim(2, 50)));
        assertEquals(
                new EvictionCost(false, 0, 1, 1 + offset, 1, Long.MAX_VALUE),
                cost(0, pod("unstarted").priority(1).build()));
        assertEquals(new EvictionCost(true, 0, 0, 0, 0, 0), cost(3));
    }

    @Test
    void isOrderedByOneMeasureAfterTheOther() {
        List<EvictionCost> ordered = List.of(
                cost(9),
                cost(0, victim(9, 1), victim(9, 1)),
                cost(1, victim(-5, 1)),
                cost(1, victim(1, 1)),
                cost(1, victim(2, 7)),
                cost(1, victim(2, 6)),
                cost(1, victim(2, 6), victim(-3, 9)));
        List<EvictionCost> shuffled = new ArrayList<>(ordered);
        Collections.reverse(shuffled);
        Collections.sort(shuffled);
        assertEquals(ordered, shuffled);
    }
}
