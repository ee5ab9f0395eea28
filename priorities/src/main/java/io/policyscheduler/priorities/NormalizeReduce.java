package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.Priority;
import java.util.Arrays;

/** The common reduce step. Mirrors {@code NormalizeReduce} of {@code algorithm/priorities/reduce.go}. */
final class NormalizeReduce {
    private NormalizeReduce() {}

    /** Scales so that the highest score becomes 100. Leaves scores alone when none is above 0. */
    static void ascending(long[] scores) {
        long max = max(scores);
        for (int i = 0; max != 0 && i < scores.length; i++) {
            scores[i] = Priority.MAX_SCORE * scores[i] / max;
        }
    }

    /** Scales so that the highest score becomes 0 and 0 becomes 100. All become 100 when none is above 0. */
    static void reversed(long[] scores) {
        long max = max(scores);
        if (max == 0) {
            Arrays.fill(scores, Priority.MAX_SCORE);
            return;
        }
        for (int i = 0; i < scores.length; i++) {
            scores[i] = Priority.MAX_SCORE - Priority.MAX_SCORE * scores[i] / max;
        }
    }

    private static long max(long[] scores) {
        long max = 0;
        for (long score : scores) {
            max = Math.max(max, score);
        }
        return max;
    }
}
