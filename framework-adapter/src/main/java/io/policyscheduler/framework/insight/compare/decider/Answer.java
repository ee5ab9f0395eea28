package io.policyscheduler.framework.insight.compare.decider;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.Ranking;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a way of deciding makes of a pod: where it goes, and everything else once somebody asks for it. That holds for as long as the
 * cluster stays as it is. For one thread at a time.
 */
public final class Answer {
    private final Ranking ranking;
    private final Supplier<Evaluation> work;
    private final Function<String, Evaluation> onOne;
    private @Nullable Evaluation evaluation;

    /**
     * One of which more can be found out.
     *
     * @param work finds out everything, with the same ranking
     * @param onOne finds out about the node of a name, at least
     */
    Answer(Ranking ranking, Supplier<Evaluation> work, Function<String, Evaluation> onOne) {
        this.ranking = ranking;
        this.work = work;
        this.onOne = onOne;
    }

    /** One of which everything is known. */
    public static Answer of(Evaluation evaluation) {
        Answer answer = new Answer(Ranking.of(evaluation), () -> evaluation, node -> evaluation);
        answer.evaluation = evaluation;
        return answer;
    }

    /** Which nodes take the pod. */
    public Ranking ranking() {
        return ranking;
    }

    /** The best nodes, sorted by name. */
    public List<String> best() {
        return ranking.best();
    }

    /**
     * What it would be with other weights, worked out where that takes no other look at the nodes.
     *
     * @param weights from those of the scores to others; left out is what does not score any more
     * @return null when the nodes have to be looked at again
     */
    public @Nullable Answer weighted(UnaryOperator<Map<String, Long>> weights) {
        Evaluation known = evaluation;
        Evaluation other = known == null ? null : known.weighted(weights.apply(known.weights()));
        return other == null ? null : of(other);
    }

    /** Why a node does not take the pod, asking about this node only; null when it does, or when an error ends the attempt. */
    public @Nullable NodeFailure failure(String node) {
        if (ranking.error() != null && !ranking.fitError()) {
            return null;
        }
        Evaluation known = evaluation;
        return (known == null ? onOne.apply(node) : known).failures().get(node);
    }

    /** Everything about every node. */
    public Evaluation evaluation() {
        Evaluation known = evaluation;
        if (known == null) {
            known = work.get();
            evaluation = known;
        }
        return known;
    }
}
