package io.policyscheduler.engine.cluster.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArithmeticTest {
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final BigInteger MIN = BigInteger.valueOf(Long.MIN_VALUE);
    private static final List<Long> NUMBERS = List.of(
            0L,
            1L,
            -1L,
            2L,
            100L,
            -100L,
            1L << 31,
            1L << 32,
            3037000500L,
            -3037000500L,
            Long.MAX_VALUE / 2,
            Long.MAX_VALUE - 1,
            Long.MAX_VALUE,
            Long.MIN_VALUE / 2,
            Long.MIN_VALUE + 1,
            Long.MIN_VALUE);

    private static long held(BigInteger exact) {
        return exact.max(MIN).min(MAX).longValue();
    }

    @Test
    void operationsStopAtTheEnds() {
        for (long a : NUMBERS) {
            BigInteger left = BigInteger.valueOf(a);
            for (long b : NUMBERS) {
                BigInteger right = BigInteger.valueOf(b);
                String names = a + " and " + b;
                assertEquals(held(left.add(right)), Arithmetic.SATURATING.add(a, b), names);
                assertEquals(held(left.subtract(right)), Arithmetic.SATURATING.subtract(a, b), names);
                assertEquals(held(left.multiply(right)), Arithmetic.SATURATING.multiply(a, b), names);
                assertEquals(left.add(right).longValue(), Arithmetic.WRAPPING.add(a, b), names);
                assertEquals(left.subtract(right).longValue(), Arithmetic.WRAPPING.subtract(a, b), names);
                assertEquals(left.multiply(right).longValue(), Arithmetic.WRAPPING.multiply(a, b), names);
                if (b != 0) {
                    assertEquals(
                            held(left.multiply(BigInteger.valueOf(100)).divide(right)),
                            Arithmetic.SATURATING.share(a, 100, b),
                            names);
                }
            }
        }
    }

    @Test
    void sharesAreCutOffExactly() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 200_000; i++) {
            long all = 1 + random.nextLong(1L << (1 + random.nextInt(48)));
            // Around whole quotients, where rounding would show.
            long near = all * random.nextLong(101) / 100 + random.nextLong(3) - 1;
            long part = random.nextBoolean() ? near : random.nextLong(all);
            assertEquals(part * 100 / all, Arithmetic.SATURATING.share(part, 100, all), part + " of " + all);
            assertEquals(part * 100 / all, Arithmetic.WRAPPING.share(part, 100, all), part + " of " + all);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1,                          1,                    1,                    1000,                 1000",
        "1500m,                      2,                    2,                    1500,                 1500",
        "-1500m,                     -2,                   -2,                   -1500,                -1500",
        "9223372036854775807,        9223372036854775807,  9223372036854775807,  9223372036854775807,  -1000",
        "-9223372036854775809,       -9223372036854775808, 9223372036854775807,  -9223372036854775808, -1000",
        "18446744073709551616,       9223372036854775807,  0,                    9223372036854775807,  0",
        "1e30,                       9223372036854775807,  0,                    9223372036854775807,  0",
        "-1e30,                      -9223372036854775808, 0,                    -9223372036854775808, 0",
        "9Ei,                        9223372036854775807,  9223372036854775807,  9223372036854775807,  -1000",
        "1e-999999999,               1,                    1,                    1,                    1",
        "1e999999999,                9223372036854775807,  0,                    9223372036854775807,  0",
    })
    void quantities(String text, long whole, long wholeOfV117, long milli, long milliOfV117) {
        assertEquals(whole, Arithmetic.SATURATING.value(text));
        assertEquals(wholeOfV117, Arithmetic.WRAPPING.value(text));
        assertEquals(milli, Arithmetic.SATURATING.milliValue(text));
        assertEquals(milliOfV117, Arithmetic.WRAPPING.milliValue(text));
    }

    @Test
    void aMillionDigitsAreAmountsLikeOthers() {
        String many = "9".repeat(1_400_000);
        String zeros = "0".repeat(1_400_000);
        assertEquals(Long.MAX_VALUE, Arithmetic.SATURATING.value(many));
        assertEquals(Long.MIN_VALUE, Arithmetic.SATURATING.value("-" + many));
        assertEquals(Long.MAX_VALUE, Arithmetic.SATURATING.value(many + "Gi"));
        assertEquals(10, Arithmetic.SATURATING.value(many + "e-1399999"));
        assertEquals(1, Arithmetic.SATURATING.value("0." + many));
        assertEquals(1, Arithmetic.SATURATING.value("0." + zeros + "1"));
        assertEquals(2001, Arithmetic.SATURATING.milliValue("2." + zeros + "1"));
        assertEquals(2, Arithmetic.SATURATING.value("2." + zeros));
        assertEquals(0, Arithmetic.SATURATING.value(zeros));
        assertEquals(7, Arithmetic.SATURATING.value(zeros + "7"));
        assertEquals(7168, Arithmetic.SATURATING.value(zeros + "7Ki"));
    }

    @Test
    void whatIsNoQuantityIsNamedShortly() {
        String many = "9".repeat(1_000_000);
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> Arithmetic.SATURATING.value(many + "x"));
        assertEquals("\"" + "9".repeat(60) + "...\" is not a quantity", refused.getMessage());
    }
}
