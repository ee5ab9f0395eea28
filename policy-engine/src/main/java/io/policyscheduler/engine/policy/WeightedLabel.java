package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.document.SourcePosition;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A label of an argument entry and the weight of the entry. The entries of one kind are one algorithm with the sum of their
 * weights, in which each label counts as often as it is listed.
 *
 * @param presence whether the label is wanted or unwanted
 * @param weight positive
 */
record WeightedLabel(String label, boolean presence, long weight, SourcePosition position) {
    /** Scores are 0 to 100, so finer shares make no difference. */
    private static final long MOST_SHARES = 200;

    /** The wanted or the unwanted labels of a list, each once if all weights are equal, else as often as its weight asks for. */
    static List<String> shares(List<WeightedLabel> all, boolean presence) {
        long unit = unit(all);
        List<String> labels = new ArrayList<>();
        for (WeightedLabel label : all) {
            if (label.presence == presence) {
                int times = (int) Math.max(1, Math.round((double) label.weight / (double) unit));
                labels.addAll(Collections.nCopies(times, label.label));
            }
        }
        return labels;
    }

    /** The first entry that does not have the weight of the first one. */
    static Optional<WeightedLabel> firstOfOtherWeight(List<WeightedLabel> all) {
        return all.stream().filter(label -> label.weight != all.get(0).weight).findFirst();
    }

    /** The weight of one share: the greatest common divisor, or more where that would be too many shares. */
    private static long unit(List<WeightedLabel> all) {
        BigInteger divisor = BigInteger.ZERO;
        BigInteger total = BigInteger.ZERO;
        for (WeightedLabel label : all) {
            divisor = divisor.gcd(BigInteger.valueOf(label.weight));
            total = total.add(BigInteger.valueOf(label.weight));
        }
        return divisor.max(total.divide(BigInteger.valueOf(MOST_SHARES)))
                .max(BigInteger.ONE)
                .longValue();
    }
}
