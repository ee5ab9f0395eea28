package io.policyscheduler.framework.scheduler.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.framework.scheduler.loop.PodAttempts.DecisionBudget;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DecisionBudgetTest {
    private static final long MILLI = 1_000_000;

    private final DecisionBudget budget = new DecisionBudget(Duration.ofMillis(200));

    private int exceeded(int times, long millis) {
        int exceeded = 0;
        for (int i = 0; i < times; i++) {
            exceeded += budget.isExceededBy(millis * MILLI) ? 1 : 0;
        }
        return exceeded;
    }

    @Test
    void aDecisionFarAboveTheOthersIsTooLong() {
        assertEquals(0, exceeded(100, 2));
        assertEquals(1, exceeded(1, 201));
        assertEquals(2 * MILLI, budget.usual());
    }

    @Test
    void aDecisionWithinTheLimitIsNot() {
        exceeded(100, 2);
        assertEquals(0, exceeded(1, 200));
    }

    @Test
    void nothingIsBeforeAnythingIsUsual() {
        assertEquals(0, exceeded(DecisionBudget.LEARNED, 900));
    }

    @Test
    void inABigClusterLongDecisionsAreUsual() {
        exceeded(DecisionBudget.REMEMBERED, 300);
        assertEquals(0, exceeded(100, 1_100));
        assertFalse(budget.isExceededBy(1_199 * MILLI));
    }

    @Test
    void whenAllDecisionsGetLongNobodyIsBlamedForLong() {
        exceeded(DecisionBudget.REMEMBERED, 2);
        int blamed = exceeded(DecisionBudget.REMEMBERED, 300);
        assertTrue(blamed < DecisionBudget.REMEMBERED, blamed + " blamed");
        assertEquals(0, exceeded(1_000, 300));
    }

    @Test
    void costlyPodsDoNotBecomeUsualWhileOthersAreDecided() {
        exceeded(DecisionBudget.REMEMBERED, 2);
        for (int i = 0; i < 500; i++) {
            assertEquals(0, exceeded(1, 2));
            assertEquals(2, exceeded(2, 5_000));
        }
    }

    @Test
    void withoutALimitNothingIsTooLong() {
        DecisionBudget none = new DecisionBudget(Duration.ZERO);
        for (int i = 0; i < 100; i++) {
            assertFalse(none.isExceededBy(i < 50 ? MILLI : 60_000 * MILLI));
        }
    }
}
