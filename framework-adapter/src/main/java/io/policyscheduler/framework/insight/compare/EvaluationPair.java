package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the reference and another way of deciding make of the same pod. */
record EvaluationPair(Evaluation reference, Evaluation other) {
    Agreement agreement() {
        return Agreement.of(reference, other);
    }

    Evaluation get(boolean ofReference) {
        return ofReference ? reference : other;
    }

    /** A node that is best for one of the two, and fits for the other one if there is such a node; null when nothing fits. */
    @Nullable
    String winner(boolean ofReference) {
        List<String> best = get(ofReference).best();
        for (String node : best) {
            if (fits(!ofReference, node)) {
                return node;
            }
        }
        return best.isEmpty() ? null : best.get(0);
    }

    boolean fits(boolean ofReference, String node) {
        return get(ofReference).totals().containsKey(node);
    }

    /** The first node by name that is best for both; null when there is none. */
    @Nullable
    String common() {
        List<String> others = other.best();
        return reference.best().stream().filter(others::contains).findFirst().orElse(null);
    }
}
