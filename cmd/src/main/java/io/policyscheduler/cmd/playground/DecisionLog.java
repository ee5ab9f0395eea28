package io.policyscheduler.cmd.playground;

import com.google.common.base.Strings;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells the page of what is decided here, as a scheduler would. Belongs to one thread, but for {@link #tell}. */
final class DecisionLog {
    private final InstantSource clock;
    private volatile SchedulerListener listener = new SchedulerListener() {};
    private final Map<String, Integer> attempts = new HashMap<>();

    DecisionLog(InstantSource clock) {
        this.clock = clock;
    }

    /** Who is told from now on. */
    void tell(SchedulerListener value) {
        listener = value;
    }

    /** Everything has gone. */
    void forget() {
        attempts.clear();
    }

    void decided(Explanation explanation, int nodes, long nanos) {
        PodInfo pod = explanation.pod();
        attempts.merge(pod.uid(), 1, Integer::sum);
        SchedulerListener told = listener;
        told.onAttempt(entry(pod));
        told.onAttempted(pod, ExplanationDetails.of(explanation, nodes));
        told.onDecision(pod, decision(explanation, nodes), nanos);
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

    /** @param node that was chosen; null when none was */
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
}
