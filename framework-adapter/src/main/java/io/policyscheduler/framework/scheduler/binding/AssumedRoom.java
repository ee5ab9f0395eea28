package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.cache.CacheResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives back what pods took on nodes where they have not been shown yet. */
final class AssumedRoom {
    private static final Logger log = LoggerFactory.getLogger(AssumedRoom.class);

    private final SchedulerState state;
    private final PermitWaits waits;

    AssumedRoom(SchedulerState state, PermitWaits waits) {
        this.state = state;
        this.waits = waits;
    }

    /** Undoes what was assumed. A pod that the watch has confirmed meanwhile is no longer assumed and stays. */
    void giveBack(Binding binding) {
        if (isForgotten(binding.assumed)) {
            state.queue().roomFreed(binding.assumed, binding.rules().retriesWhenRoomIsGivenBack());
        }
        binding.volumes.undo();
        if (binding.reserved) {
            binding.reserved = false;
            binding.approval.unreserve();
        }
        waits.remove(binding.id());
    }

    /** A pod that was assumed too long ago for its binding to be known is not where it was assumed. */
    void giveBack(PodInfo assumed) {
        if (isForgotten(assumed)) {
            state.queue().roomFreed(assumed, true);
        }
    }

    private boolean isForgotten(PodInfo assumed) {
        if (!state.cache().isAssumed(assumed.uid())) {
            return false;
        }
        CacheResult result = state.cache().forget(assumed);
        if (!result.isApplied()) {
            log.atError()
                    .addKeyValue("pod", assumed.key())
                    .log("cannot remove the assumed pod from the cache: {}", result.message());
        }
        return result.isApplied();
    }
}
