package io.policyscheduler.cmd.bench;

import java.util.ArrayList;
import java.util.List;

/** The middle of what was measured. */
final class Medians {
    private Medians() {}

    /** The middle one, or half way between the two in the middle; of at least one value. */
    static double of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The middle of the ratios of each value to the one that was measured beside it. */
    static double ofRatios(List<Double> values, List<Double> to) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            ratios.add(values.get(i) / to.get(i));
        }
        return of(ratios);
    }
}
