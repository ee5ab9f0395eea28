package io.policyscheduler.cmd.shadow;

import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.time.Instant;
import java.util.Set;

/** Shows the placements of the watched scheduler as decisions on the web page, with the result of the comparison as the message. */
final class ShadowDecisions {
    private ShadowDecisions() {}

    /** Adds a placement to the page. Runs on the thread that owns the state. */
    static void tell(OwnPage page, PodInfo pod, Finding finding, Instant now) {
        Decision decision = new Decision(Decision.Kind.PLACED, finding.node(), 0, message(finding), 0, 0);
        QueuedPod entry = new QueuedPod(pod, now, 0, 1, now, now, Set.of());
        page.history().onAttempt(entry);
        page.history().onDecision(pod, decision, 0);
        page.history().onBound(entry, finding.node(), 0);
        page.rates().onBound(entry, finding.node(), 0);
    }

    /** Returns {@code agrees}, or the node that the scheduler would choose and why. */
    static String message(Finding finding) {
        String best = finding.best().isEmpty() ? "another node" : finding.best().get(0);
        return switch (finding.kind()) {
            case SAME -> "agrees";
            case OTHER_NODE -> "would choose " + best + ": " + finding.cause();
            case NOT_THERE -> "would choose " + best + ", because this node is rejected: " + finding.cause();
            case NOWHERE -> "would find no feasible node: " + finding.cause();
            case UNDECIDED -> "not decided: " + finding.cause();
        };
    }
}
