package io.policyscheduler.engine.algorithm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReductionTest {
    static Stream<Arguments> scores() {
        return Stream.of(
                arguments(new long[] {27, 7, 0}, new long[] {100, 25, 0}, new long[] {0, 75, 100}),
                arguments(new long[] {3, 2, 1}, new long[] {100, 66, 33}, new long[] {0, 34, 67}),
                arguments(new long[] {0, 0}, new long[] {0, 0}, new long[] {100, 100}),
                arguments(new long[] {4, -1}, new long[] {100, -25}, new long[] {0, 125}),
                arguments(new long[] {0, -1}, new long[] {0, -1}, new long[] {100, 100}),
                arguments(new long[] {}, new long[] {}, new long[] {}));
    }

    @ParameterizedTest
    @MethodSource("scores")
    void scales(long[] scores, long[] ascending, long[] reversed) {
        long[] up = scores.clone();
        Reduction.BY_HIGHEST.apply(up);
        assertArrayEquals(ascending, up);
        long[] down = scores.clone();
        Reduction.BY_HIGHEST_REVERSED.apply(down);
        assertArrayEquals(reversed, down);
    }
}
