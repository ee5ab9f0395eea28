package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.profile.Profile;
import java.util.Arrays;

/** The weighted scores of each feasible node, added up. */
final class ScoreTotals {
    private final long[] totals;
    private final Arithmetic sums;
    /** Scores in their range, times their weights, come to no more than 64 bits hold: as they always do. */
    private final boolean plain;

    ScoreTotals(Profile profile, int nodes) {
        this.totals = new long[nodes];
        this.sums = profile.arithmetic();
        this.plain = sums == Arithmetic.WRAPPING || highest(profile) < Long.MAX_VALUE;
    }

    /** The highest total that there can be, if every score is in its range. */
    static long highest(Profile profile) {
        long highest = 0;
        for (Profile.WeightedScore weighted : profile.scores()) {
            highest = withMost(highest, weighted.weight());
        }
        for (WeightedPriority weighted : profile.functions()) {
            highest = withMost(highest, weighted.weight());
        }
        return highest;
    }

    private static long withMost(long highest, long weight) {
        long magnitude = weight == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(weight);
        return Arithmetic.SATURATING.add(highest, Arithmetic.SATURATING.multiply(magnitude, ScorePlugin.MAX_SCORE));
    }

    /** Scores that are in their range, or wrap around anyway. */
    void add(long[] scores, long weight) {
        if (plain) {
            for (int i = 0; i < scores.length; i++) {
                totals[i] += scores[i] * weight;
            }
        } else {
            addExactly(scores, weight);
        }
    }

    /** Scores of any size. */
    void addExactly(long[] scores, long weight) {
        for (int i = 0; i < scores.length; i++) {
            totals[i] = sums.add(totals[i], sums.multiply(scores[i], weight));
        }
    }

    /** A score in its range that all nodes have. */
    void addToAll(long score, long weight) {
        long same = sums.multiply(score, weight);
        for (int i = 0; i < totals.length; i++) {
            totals[i] = plain ? totals[i] + same : sums.add(totals[i], same);
        }
    }

    void fill(long total) {
        Arrays.fill(totals, total);
    }

    /** In the order of the feasible nodes. */
    long[] ofNodes() {
        return totals;
    }
}
