package io.policyscheduler.cmd.playground;

import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.insight.explain.Explanation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An explanation, cut down to what is remembered of an attempt. */
final class ExplanationDetails {
    private ExplanationDetails() {}

    /** @param nodes of the cluster */
    static AttemptDetails of(Explanation explanation, int nodes) {
        Evaluation evaluation = explanation.evaluation();
        List<AttemptDetails.Rejection> rejections = rejections(evaluation.failures());
        List<AttemptDetails.Algorithm> algorithms = new ArrayList<>();
        if (!evaluation.totals().isEmpty()) {
            evaluation.weights().forEach((name, weight) -> algorithms.add(new AttemptDetails.Algorithm(name, weight)));
        }
        List<AttemptDetails.Algorithm> kept =
                algorithms.stream().limit(AttemptDetails.MOST_ALGORITHMS).toList();
        List<AttemptDetails.Scored> best = algorithms.isEmpty()
                ? List.of()
                : explanation.ranking().stream()
                        .limit(AttemptDetails.MOST_BEST)
                        .map(node -> new AttemptDetails.Scored(
                                node, explanation.total(node), scores(evaluation, kept, node)))
                        .toList();
        return new AttemptDetails(
                nodes,
                rejections.stream().limit(AttemptDetails.MOST_REASONS).toList(),
                Math.max(0, rejections.size() - AttemptDetails.MOST_REASONS),
                kept,
                algorithms.size() - kept.size(),
                best,
                evaluation.best().size());
    }

    private static ImmutableLongArray scores(
            Evaluation evaluation, List<AttemptDetails.Algorithm> algorithms, String node) {
        ImmutableLongArray.Builder scores = ImmutableLongArray.builder(algorithms.size());
        for (AttemptDetails.Algorithm algorithm : algorithms) {
            scores.add(evaluation
                    .scores()
                    .getOrDefault(algorithm.name(), NodeValues.NONE)
                    .getOrDefault(node, 0L));
        }
        return scores.build();
    }

    private static List<AttemptDetails.Rejection> rejections(Map<String, NodeFailure> failures) {
        Map<String, List<String>> nodes = new TreeMap<>();
        failures.forEach((node, failure) -> failure.reasons()
                .forEach(reason ->
                        nodes.computeIfAbsent(reason, one -> new ArrayList<>()).add(node)));
        return nodes.entrySet().stream()
                .sorted(Comparator.comparingInt((Map.Entry<String, List<String>> one) ->
                                one.getValue().size())
                        .reversed())
                .map(one -> new AttemptDetails.Rejection(
                        AttemptDetails.bounded(one.getKey()),
                        one.getValue().size(),
                        one.getValue().stream().limit(AttemptDetails.MOST_NAMES).toList()))
                .toList();
    }
}
