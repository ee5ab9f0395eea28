package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.framework.insight.compare.decider.Answer;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the reference and another way of deciding make of the same pod. */
record EvaluationPair(Answer reference, Answer other) {
    Agreement agreement() {
        return Agreement.of(reference.ranking(), other.ranking());
    }

    Answer get(boolean ofReference) {
        return ofReference ? reference : other;
    }

    /** Finds out everything that both know, side by side where each has a cluster of its own. */
    EvaluationPair evaluated(Workers workers) {
        workers.all(List.<Supplier<Evaluation>>of(reference::evaluation, other::evaluation));
        return this;
    }

    /** Everything that one of the two knows. */
    Evaluation evaluation(boolean ofReference) {
        return get(ofReference).evaluation();
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
        return get(ofReference).ranking().total(node).isPresent();
    }

    /** The first node by name that is best for both; null when there is none. */
    @Nullable
    String common() {
        return Agreement.common(reference.best(), other.best());
    }
}
