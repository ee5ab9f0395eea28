package io.policyscheduler.engine.cluster.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.resource.RequestTotals.ExactSum;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExactSumTest {
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final BigInteger MIN = BigInteger.valueOf(Long.MIN_VALUE);

    @Test
    void whatIsTakenAwayLeavesWhatWasThereBefore() {
        ExactSum sum = new ExactSum();
        sum.add(1000);
        sum.add(Long.MAX_VALUE);
        sum.add(Long.MAX_VALUE);
        ExactSum copy = new ExactSum(sum);
        assertEquals(Long.MAX_VALUE, sum.value(Arithmetic.SATURATING));
        assertEquals(998, sum.value(Arithmetic.WRAPPING));
        sum.subtract(Long.MAX_VALUE);
        sum.subtract(Long.MAX_VALUE);
        assertEquals(1000, sum.value(Arithmetic.SATURATING));
        assertEquals(Long.MAX_VALUE, copy.value(Arithmetic.SATURATING));
    }

    @Test
    void anyOrderOfAnyAmounts() {
        Random random = new Random(42);
        ExactSum sum = new ExactSum();
        BigInteger exact = BigInteger.ZERO;
        List<Long> inside = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (inside.isEmpty() || random.nextInt(3) > 0) {
                long amount = switch (random.nextInt(5)) {
                    case 0 -> Long.MAX_VALUE - random.nextInt(3);
                    case 1 -> Long.MIN_VALUE + random.nextInt(3);
                    case 2 -> random.nextLong();
                    default -> random.nextInt(2000) - 1000;
                };
                inside.add(amount);
                sum.add(amount);
                exact = exact.add(BigInteger.valueOf(amount));
            } else {
                long amount = inside.remove(random.nextInt(inside.size()));
                sum.subtract(amount);
                exact = exact.subtract(BigInteger.valueOf(amount));
            }
            assertEquals(exact.max(MIN).min(MAX).longValue(), sum.value(Arithmetic.SATURATING));
            assertEquals(exact.longValue(), sum.value(Arithmetic.WRAPPING));
        }
    }
}
