package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles a pod whose attempt or bind has failed, after it was read from the API server. */
public final class PodRereader {
    private static final Logger log = LoggerFactory.getLogger(PodRereader.class);

    private final SchedulerState state;
    private final SchedulerContext context;
    private final Requeuer requeuer;
    private final BindingCycle bindings;
    private final BindResults results;
    private final ReceivedPods received;

    /** The observed pods. */
    public interface ReceivedPods {
        /** Handles an observed pod. */
        void upserted(PodInfo pod);

        /** Whether this scheduler has to schedule the pod. */
        boolean isPending(PodInfo pod);
    }

    public PodRereader(
            SchedulerState state,
            SchedulerContext context,
            Requeuer requeuer,
            BindingCycle bindings,
            BindResults results,
            ReceivedPods received) {
        this.state = state;
        this.context = context;
        this.requeuer = requeuer;
        this.bindings = bindings;
        this.results = results;
        this.received = received;
    }

    /** Handles the result of reading a failed pod. */
    public void completed(String podId, long token, PodRead read) {
        Requeue requeue = requeuer.find(podId, token);
        if (requeue == null) {
            requeuer.canceled();
            return;
        }
        if (read instanceof PodRead.Failed failed) {
            log.atError()
                    .addKeyValue("pod", requeue.entry.key())
                    .log("the pod cannot be read, retrying: {}", failed.message());
            requeuer.retryUnanswered(requeue);
            return;
        }
        requeuer.responded(requeue);
        if (!(read instanceof PodRead.Found found) || !found.pod().isSame(requeue.entry.pod())) {
            deleted(requeue);
            return;
        }
        // As new as the watch, or newer. Ends the requeue if the pod is bound or finished.
        received.upserted(found.pod());
        requeue = requeuer.find(podId, token);
        if (requeue == null) {
            return;
        }
        Binding unconfirmed = requeue.unconfirmed;
        if (unconfirmed != null && results.mayStillArrive(unconfirmed)) {
            // The first reads give the server time for the bind; with several binds, for the last one.
            if (requeue.failedReads == 0 || !bindings.again(requeue, unconfirmed)) {
                requeuer.retryLater(requeue);
            }
            return;
        }
        results.releaseResources(requeue);
        if (received.isPending(found.pod())) {
            requeuer.complete(requeue);
        } else {
            state.inFlight().requeues().remove(podId);
        }
    }

    /** Reads again until the watch reports the deletion, which is authoritative. */
    private void deleted(Requeue requeue) {
        if (requeue.failedReads == 0) {
            log.atWarn().addKeyValue("pod", requeue.entry.key()).log("the pod no longer exists");
        }
        results.releaseResources(requeue);
        requeuer.retryLater(requeue);
    }

    /**
     * Reads a pod that was bound according to the API server but never observed as bound; its resources stay reserved meanwhile.
     */
    public void overdue(PodInfo assumed) {
        context.listener().onExpired(assumed);
        QueuedPod entry = state.inFlight().settled().remove(PodsInFlight.idOf(assumed));
        if (entry != null) {
            requeuer.startOverdue(entry, assumed);
        } else {
            results.releaseResources(assumed);
        }
    }
}
