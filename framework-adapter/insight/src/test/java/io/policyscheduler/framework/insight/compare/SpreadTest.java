package io.policyscheduler.framework.insight.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary.Spread;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void spreads() {
        assertEquals(new Spread(0, 0, 0, 0), Spread.of(new double[0]));
        assertEquals(new Spread(3, 0, 3, 3), Spread.of(new double[] {3}));
        assertEquals(new Spread(5, 2, 2, 9), Spread.of(new double[] {2, 4, 4, 4, 5, 5, 7, 9}));
    }
}
