package io.policyscheduler.framework.cycle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.framework.cycle.ScoreRun.Totals;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.ArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ScoreTotalsTest {
    private static Totals totals(Arithmetic arithmetic, long weight) {
        Profile profile = Profile.builder("test", Family.MODERN, new StateKeys())
                .score(new ScriptedPlugin("A", new ArrayList<>()), weight)
                .arithmetic(arithmetic)
                .build();
        return new Totals(profile, 2);
    }

    @ParameterizedTest
    @EnumSource
    void everyWayOfAddingCounts(Arithmetic arithmetic) {
        Totals totals = totals(arithmetic, 2);
        totals.fill(1);
        totals.add(new long[] {0, 100}, 2);
        totals.addExactly(new long[] {5, -7}, 3);
        totals.addToAll(10, 4);
        assertArrayEquals(new long[] {56, 220}, totals.ofNodes());
    }

    /** 100 times the weight exceeds 64 bits: the sum saturates, or wraps around as in v1.17. */
    @ParameterizedTest
    @CsvSource({"SATURATING, 9223372036854775807", "WRAPPING, -76"})
    void whatSixtyFourBitsCannotHold(Arithmetic arithmetic, long expected) {
        long weight = Long.MAX_VALUE / 2;
        Totals totals = totals(arithmetic, weight);
        totals.fill(24);
        totals.add(new long[] {100, 0}, weight);
        assertArrayEquals(new long[] {expected, 24}, totals.ofNodes());
        totals.fill(24);
        totals.addToAll(100, weight);
        assertArrayEquals(new long[] {expected, expected}, totals.ofNodes());
    }
}
