package io.policyscheduler.cmd.shadow;

import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.compare.ShadowFinding;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.time.Instant;
import java.util.Set;

/** Placements of others as the live page shows decisions: bound where they are, with what is thought of that as the message. */
final class ShadowDecisions {
    private ShadowDecisions() {}

    /** Tells the page; on the thread that owns the state. */
    static void tell(OwnPage page, PodInfo pod, ShadowFinding finding, Instant now) {
        Decision decision = new Decision(Decision.Kind.PLACED, finding.node(), 0, message(finding), 0, 0);
        QueuedPod entry = new QueuedPod(pod, now, 0, 1, now, now, Set.of());
        page.history().onAttempt(entry);
        page.history().onDecision(pod, decision, 0);
        page.history().onBound(entry, finding.node(), 0);
        page.rates().onBound(entry, finding.node(), 0);
    }

    /** {@code agrees}, or where the decider would have placed it and why. */
    static String message(ShadowFinding finding) {
        return finding.agrees() ? "agrees" : finding.kind().text() + ": " + finding.cause();
    }
}
