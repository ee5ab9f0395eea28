package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.decider.Adjustment;
import io.policyscheduler.framework.insight.compare.decider.Answer;
import io.policyscheduler.framework.insight.compare.decider.DeciderPool;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why two ways of deciding differ about a pod in the same state of a cluster: a set of algorithms without which both
 * agree, and of which none can be put back. Candidates come from what the two said; whether they are causes is seen by deciding
 * without them.
 */
final class CauseFinder {
    private final DeciderPool reference;
    private final DeciderPool other;
    private final CauseTexts texts;
    private final Workers workers;

    /** Both pools are at work on the same cluster, one after the other. */
    CauseFinder(DeciderPool reference, DeciderPool other) {
        this(reference, other, Workers.ONE);
    }

    /** @param workers are used if each pool is at work on a copy of its own of the cluster */
    CauseFinder(DeciderPool reference, DeciderPool other, Workers workers) {
        this.workers = workers;
        this.reference = reference;
        this.other = other;
        this.texts = new CauseTexts(reference.source(), other.source());
    }

    /**
     * The causes of a difference.
     *
     * @param found what both made of the pod as they are; does not agree
     */
    Difference find(PodInfo pod, NominatedPods nominated, EvaluationPair found) {
        return new Search(pod, nominated, found).run();
    }

    /** Who rejected which node. */
    record Rejection(boolean byReference, String node, List<String> reasons) {}

    private final class Search {
        private final PodInfo pod;
        private final NominatedPods nominated;
        private final EvaluationPair found;
        private final Map<Concept, Rejection> rejections = new LinkedHashMap<>();
        private final Map<Concept, Rejection> errors = new LinkedHashMap<>();
        private Set<Concept> left = new LinkedHashSet<>();
        /** What both make of the pod without {@link #left}. */
        private EvaluationPair now;

        Search(PodInfo pod, NominatedPods nominated, EvaluationPair found) {
            this.pod = pod;
            this.nominated = nominated;
            this.found = found;
            this.now = found;
        }

        Difference run() {
            while (!now.agreement().agrees()) {
                Set<Concept> more = new LinkedHashSet<>(left);
                if (!more.addAll(next())) {
                    return notFound();
                }
                now = without(more);
                left = more;
            }
            putBack();
            return new Difference(found.agreement(), describe(), now.common());
        }

        private EvaluationPair without(Collection<Concept> concepts) {
            List<Answer> answers =
                    workers.all(List.<Supplier<Answer>>of(() -> answer(true, concepts), () -> answer(false, concepts)));
            return new EvaluationPair(answers.get(0), answers.get(1));
        }

        private Answer answer(boolean ofReference, Collection<Concept> concepts) {
            DeciderPool pool = ofReference ? reference : other;
            Adjustment adjustment = Concepts.without(pool.source(), concepts);
            if (adjustment.isNone()) {
                return found.get(ofReference);
            }
            Answer known = pool.source().independent() ? fromNow(ofReference, pool.source(), adjustment) : null;
            return known == null ? pool.answer(pod, nominated, adjustment) : known;
        }

        /** Without scores besides those that are left out now, if only those; null when the nodes have to be looked at. */
        private @Nullable Answer fromNow(boolean ofReference, DeciderSource source, Adjustment wanted) {
            Adjustment before = Concepts.without(source, left);
            boolean onlyScores = wanted.withoutFilters().equals(before.withoutFilters())
                    && wanted.withoutScores().containsAll(before.withoutScores());
            return onlyScores
                    ? now.get(ofReference).weighted(weights -> without(weights, wanted.withoutScores()))
                    : null;
        }

        private static Map<String, Long> without(Map<String, Long> weights, Set<String> names) {
            Map<String, Long> left = new LinkedHashMap<>(weights);
            left.keySet().removeAll(names);
            return left;
        }

        /** What to leave out next. */
        private Set<Concept> next() {
            if (now.agreement() == Agreement.ERROR) {
                return behindError(now.reference().best().isEmpty());
            }
            Set<Concept> rejecting = rejecting(true);
            if (rejecting.isEmpty()) {
                rejecting = rejecting(false);
            }
            return rejecting.isEmpty() ? ScoreSearch.fewest(now.evaluated(workers)) : rejecting;
        }

        /** The filters by which one of the two rejects all best nodes of the other one; empty when it does not. */
        private Set<Concept> rejecting(boolean bestOfReference) {
            String winner = now.winner(bestOfReference);
            if (winner == null || now.fits(!bestOfReference, winner)) {
                return Set.of();
            }
            NodeFailure failure = now.get(!bestOfReference).failure(winner);
            if (failure == null) {
                return Set.of();
            }
            Set<Concept> concepts = Concepts.rejecting(failure);
            for (Concept concept : concepts) {
                rejections.putIfAbsent(concept, new Rejection(!bestOfReference, winner, failure.reasons()));
            }
            return concepts;
        }

        /** The algorithm that ends the attempt with an error; all of them when it takes several. */
        private Set<Concept> behindError(boolean ofReference) {
            DeciderSource source = (ofReference ? reference : other).source();
            Set<Concept> all = new LinkedHashSet<>();
            source.filters().forEach(filter -> all.addAll(Concepts.ofFilter(filter)));
            source.scores().keySet().forEach(score -> all.add(Concepts.ofScore(score)));
            all.removeAll(left);
            String error = String.valueOf(now.get(ofReference).ranking().error());
            for (Concept concept : all) {
                Set<Concept> tried = new LinkedHashSet<>(left);
                tried.add(concept);
                if (!isError(answer(ofReference, tried))) {
                    errors.put(concept, new Rejection(ofReference, "", List.of(error)));
                    return Set.of(concept);
                }
            }
            Set<Concept> everything = new LinkedHashSet<>(left);
            everything.addAll(all);
            if (isError(answer(ofReference, everything))) {
                return Set.of();
            }
            all.forEach(concept -> errors.putIfAbsent(concept, new Rejection(ofReference, "", List.of(error))));
            return all;
        }

        private boolean isError(Answer answer) {
            return answer.ranking().error() != null && !answer.ranking().fitError();
        }

        private Difference notFound() {
            if (now.agreement() != Agreement.ERROR) {
                return new Difference(found.agreement(), List.of(), null);
            }
            boolean ofReference = now.reference().best().isEmpty();
            String error = String.valueOf(now.get(ofReference).ranking().error());
            return new Difference(found.agreement(), List.of(texts.check(ofReference, error)), null);
        }

        /** Keeps only what is needed; of scores alone the fewest have been found already. */
        private void putBack() {
            boolean onlyScores = left.stream().allMatch(concept -> concept.role() == Concept.Role.SCORE);
            if (left.size() == 1 || (onlyScores && left.size() <= ScoreSearch.EXHAUSTIVE && errors.isEmpty())) {
                return;
            }
            while (putOneBack()) {
                // What was needed beside one that is back may be needed no longer.
            }
        }

        private boolean putOneBack() {
            for (Concept concept : left) {
                Set<Concept> fewer = new LinkedHashSet<>(left);
                fewer.remove(concept);
                EvaluationPair pair = without(fewer);
                if (pair.agreement().agrees()) {
                    left = fewer;
                    now = pair;
                    return true;
                }
            }
            return false;
        }

        private List<Cause> describe() {
            List<Concept> filters = left.stream()
                    .filter(concept -> concept.role() == Concept.Role.FILTER)
                    .toList();
            EvaluationPair scored = filters.isEmpty() || filters.size() == left.size() ? found : without(filters);
            List<Cause> causes = new ArrayList<>();
            for (Concept concept : left) {
                Rejection error = errors.get(concept);
                Rejection rejection = rejections.get(concept);
                if (error != null) {
                    causes.add(texts.error(concept, error));
                } else if (rejection != null) {
                    causes.add(texts.filter(concept, rejection));
                } else {
                    causes.add(score(concept, scored));
                }
            }
            return causes;
        }

        private Cause score(Concept concept, EvaluationPair scored) {
            Cause cause = texts.score(concept, scored);
            Cause.WeightChange change = left.size() == 1 ? otherWeight(cause) : null;
            return change == null ? cause : texts.withWeight(cause, change);
        }

        /** A weight for one of the two, taken from the other one, with which both agree; null when there is none. */
        private Cause.@Nullable WeightChange otherWeight(Cause cause) {
            if (cause.kind() != Cause.Kind.WEIGHT) {
                return null;
            }
            Cause.ScorePair one = cause.scores().get(0);
            Cause.ScorePair two = cause.scores().get(1);
            Answer changed = weighing(false, two.algorithm(), one.weight());
            if (new EvaluationPair(found.reference(), changed).agreement().agrees()) {
                return new Cause.WeightChange(false, two.algorithm(), two.weight(), one.weight());
            }
            changed = weighing(true, one.algorithm(), two.weight());
            return new EvaluationPair(changed, found.other()).agreement().agrees()
                    ? new Cause.WeightChange(true, one.algorithm(), one.weight(), two.weight())
                    : null;
        }

        private Answer weighing(boolean ofReference, String algorithm, long weight) {
            DeciderPool pool = ofReference ? reference : other;
            Answer known = pool.source().independent()
                    ? found.get(ofReference).weighted(weights -> with(weights, algorithm, weight))
                    : null;
            return known == null ? pool.answer(pod, nominated, Adjustment.NONE.withWeight(algorithm, weight)) : known;
        }

        private static Map<String, Long> with(Map<String, Long> weights, String algorithm, long weight) {
            Map<String, Long> changed = new LinkedHashMap<>(weights);
            changed.put(algorithm, weight);
            return changed;
        }
    }
}
