package io.policyscheduler.cmd.playground;

import com.google.common.base.Strings;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reports decisions of the playground to the page, as a scheduler does. Belongs to one thread, except {@link #setListener}. */
final class PlaygroundDecisions {
    private final InstantSource clock;
    private volatile SchedulerListener listener = new SchedulerListener() {};
    private final Map<String, Integer> attempts = new HashMap<>();

    PlaygroundDecisions(InstantSource clock) {
        this.clock = clock;
    }

    /** Sets the listener. */
    void setListener(SchedulerListener value) {
        listener = value;
    }

    /** Removes all decisions. */
    void forget() {
        attempts.clear();
    }

    void decided(Explanation explanation, int nodes, long nanos) {
        PodInfo pod = explanation.pod();
        attempts.merge(pod.uid(), 1, Integer::sum);
        SchedulerListener current = listener;
        current.onAttempt(entry(pod));
        current.onAttempted(pod, ExplanationDetails.of(explanation, nodes));
        current.onDecision(pod, decision(explanation, nodes), nanos);
    }

    private static Decision decision(Explanation explanation, int nodes) {
        Evaluation evaluation = explanation.evaluation();
        String winner = explanation.winner();
        Decision.Kind kind;
        if (winner != null) {
            kind = Decision.Kind.PLACED;
        } else if (nodes == 0) {
            kind = Decision.Kind.NO_NODES;
        } else {
            kind = evaluation.fitError() ? Decision.Kind.UNSCHEDULABLE : Decision.Kind.ERROR;
        }
        return new Decision(
                kind,
                winner,
                winner == null ? 0 : explanation.total(winner),
                Strings.nullToEmpty(evaluation.error()),
                evaluation.feasible().size(),
                nodes);
    }

    void bound(PodInfo pod, String node) {
        listener.onBound(entry(pod), node, 0);
        attempts.remove(pod.uid());
    }

    /** @param node the selected node; null for none */
    void notBound(PodInfo pod, @Nullable String node, String message) {
        if (node == null) {
            listener.onFailure(entry(pod), "Unschedulable", message);
        } else {
            listener.onBindFailed(entry(pod), node, message);
        }
    }

    private QueuedPod entry(PodInfo pod) {
        Instant now = clock.instant();
        return new QueuedPod(pod, now, 0, attempts.getOrDefault(pod.uid(), 1), now, now, Set.of());
    }

    /** An explanation, reduced to the details of an attempt. */
    static final class ExplanationDetails {
        private ExplanationDetails() {}

        /** @param nodes of the cluster */
        static AttemptDetails of(Explanation explanation, int nodes) {
            Evaluation evaluation = explanation.evaluation();
            List<AttemptDetails.Rejection> rejections = rejections(evaluation.failures());
            List<AttemptDetails.Algorithm> algorithms = new ArrayList<>();
            if (!evaluation.totals().isEmpty()) {
                evaluation
                        .weights()
                        .forEach((name, weight) -> algorithms.add(new AttemptDetails.Algorithm(name, weight)));
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
                    .forEach(reason -> nodes.computeIfAbsent(reason, one -> new ArrayList<>())
                            .add(node)));
            return nodes.entrySet().stream()
                    .sorted(Comparator.comparingInt((Map.Entry<String, List<String>> one) ->
                                    one.getValue().size())
                            .reversed())
                    .map(one -> new AttemptDetails.Rejection(
                            AttemptDetails.bounded(one.getKey()),
                            one.getValue().size(),
                            one.getValue().stream()
                                    .limit(AttemptDetails.MOST_NAMES)
                                    .toList()))
                    .toList();
        }
    }
}
