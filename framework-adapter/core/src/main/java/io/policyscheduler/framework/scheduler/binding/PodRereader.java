package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What to do with a pod whose attempt or bind has failed, once the API server has said how it is. */
public final class PodRereader {
    private static final Logger log = LoggerFactory.getLogger(PodRereader.class);

    private final SchedulerState state;
    private final SchedulerContext surroundings;
    private final Requeuer requeuer;
    private final BindingCycle bindings;
    private final BindResults results;
    private final Shown shown;

    /** What is known of pods. */
    public interface Shown {
        /** The server shows a pod. */
        void upserted(PodInfo pod);

        /** True for a pod that this scheduler must find a node for. */
        boolean isPending(PodInfo pod);
    }

    public PodRereader(
            SchedulerState state,
            SchedulerContext surroundings,
            Requeuer requeuer,
            BindingCycle bindings,
            BindResults results,
            Shown shown) {
        this.state = state;
        this.surroundings = surroundings;
        this.requeuer = requeuer;
        this.bindings = bindings;
        this.results = results;
        this.shown = shown;
    }

    /** The API server answered a read of a failed pod. */
    public void answered(String podId, long token, PodRead read) {
        Requeue requeue = requeuer.find(podId, token);
        if (requeue == null) {
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
            gone(requeue);
            return;
        }
        // Newer than what the watch has shown, or equal; may end the requeue, when the pod is bound or finished.
        shown.upserted(found.pod());
        requeue = requeuer.find(podId, token);
        if (requeue == null) {
            return;
        }
        Binding unconfirmed = requeue.unconfirmed;
        if (unconfirmed != null && results.mayStillArrive(unconfirmed)) {
            // The server gets a moment, and the last of several binds its time.
            if (requeue.failedReads == 0 || !bindings.again(requeue, unconfirmed)) {
                requeuer.retryLater(requeue);
            }
            return;
        }
        results.giveRoomBack(requeue);
        if (shown.isPending(found.pod())) {
            requeuer.complete(requeue);
        } else {
            state.inFlight().requeues().remove(podId);
        }
    }

    /** The pod is asked for again until the watch has said that it is gone: that has the last word. */
    private void gone(Requeue requeue) {
        if (requeue.failedReads == 0) {
            log.atWarn().addKeyValue("pod", requeue.entry.key()).log("the pod no longer exists");
        }
        results.giveRoomBack(requeue);
        requeuer.retryLater(requeue);
    }

    /** Bound as far as the API server said, but never shown: it is asked again, and the room stays taken until it answers. */
    public void overdue(PodInfo assumed) {
        surroundings.listener().onExpired(assumed);
        QueuedPod entry = state.inFlight().settled().remove(PodsInFlight.idOf(assumed));
        if (entry != null) {
            requeuer.startOverdue(entry, assumed);
        } else {
            results.giveRoomBack(assumed);
        }
    }
}
