package io.policyscheduler.framework.modern;

import io.policyscheduler.framework.plugin.ScorePlugin;
import java.util.Arrays;

/** The usual way to bring scores into 0..100. Mirrors {@code plugins/helper/normalize_score.go}. */
final class Normalizing {
    private Normalizing() {}

    /**
     * Scales scores by the highest, in place.
     *
     * @param reverse the lowest score becomes the best
     */
    static void byHighest(long[] scores, boolean reverse) {
        long highest = 0;
        for (long score : scores) {
            highest = Math.max(highest, score);
        }
        if (highest == 0) {
            if (reverse) {
                Arrays.fill(scores, ScorePlugin.MAX_SCORE);
            }
            return;
        }
        for (int i = 0; i < scores.length; i++) {
            long scaled = ScorePlugin.MAX_SCORE * scores[i] / highest;
            scores[i] = reverse ? ScorePlugin.MAX_SCORE - scaled : scaled;
        }
    }
}
