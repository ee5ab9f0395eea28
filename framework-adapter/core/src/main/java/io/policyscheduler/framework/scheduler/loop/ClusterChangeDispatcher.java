package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;

/** Dispatches each change to the components that handle it. */
final class ClusterChangeDispatcher implements ClusterChange.Handler {
    private final Scheduler scheduler;
    private final SchedulerComponents parts;

    ClusterChangeDispatcher(Scheduler scheduler, SchedulerComponents parts) {
        this.scheduler = scheduler;
        this.parts = parts;
    }

    private void synced(ResourceKind kind) {
        parts.state.store().synced().add(kind);
    }

    @Override
    public void on(ClusterChange.PodsReplaced change) {
        parts.shownPods.replaced(
                parts.unreadablePods.listed(change.pods(), change.unreadable()), change.resourceVersion());
        synced(ResourceKind.PODS);
    }

    @Override
    public void on(ClusterChange.PodUpserted change) {
        parts.shownPods.upserted(change.pod());
        parts.unreadablePods.drop(change.pod().key());
    }

    @Override
    public void on(ClusterChange.PodUnreadable change) {
        parts.unreadablePods.found(change.pod());
    }

    @Override
    public void on(ClusterChange.PodDeleted change) {
        parts.shownPods.deleted(change.namespace(), change.name(), change.uid());
        parts.unreadablePods.deleted(change.namespace() + "/" + change.name(), change.uid());
    }

    @Override
    public void on(ClusterChange.NodesReplaced change) {
        parts.nodeEvents.replaced(change.nodes());
        synced(ResourceKind.NODES);
    }

    @Override
    public void on(ClusterChange.NodeUpserted change) {
        parts.nodeEvents.upserted(change.node());
    }

    @Override
    public void on(ClusterChange.NodeDeleted change) {
        parts.nodeEvents.deleted(change.name());
    }

    @Override
    public void on(ClusterChange.ObjectsReplaced change) {
        parts.objectEvents.replaced(change.kind(), change.objects());
        synced(change.kind());
    }

    @Override
    public void on(ClusterChange.ObjectUpserted change) {
        parts.objectEvents.upserted(change.object());
    }

    @Override
    public void on(ClusterChange.ObjectDeleted change) {
        String key = change.namespace().isEmpty() ? change.name() : change.namespace() + "/" + change.name();
        parts.objectEvents.deleted(change.kind(), key);
    }

    @Override
    public void on(ClusterChange.SchedulingEnabled change) {
        scheduler.setEnabled(change.enabled());
    }

    @Override
    public void on(ClusterChange.ProfilesReplaced change) {
        scheduler.replaceProfiles(change.profiles());
    }

    /** Applied between two attempts, so that each attempt sees consistent tables. */
    @Override
    public void on(ClusterChange.TableChanged change) {
        if (change.tables().put(change.state())) {
            parts.state.queue().moveAll(ClusterEvent.TABLE_CHANGE, null);
        }
    }

    @Override
    public void on(ClusterChange.PermitAllowed change) {
        parts.bindings.permitted(change.podId(), change.token(), change.plugin());
    }

    @Override
    public void on(ClusterChange.PermitRejected change) {
        parts.bindings.rejected(change.podId(), change.token(), change.plugin(), change.message());
    }

    @Override
    public void on(ClusterChange.ServerBack change) {
        parts.requeuer.readNow();
    }

    @Override
    public void on(ClusterChange.BindAnswered change) {
        parts.bindings.answered(change);
    }

    @Override
    public void on(ClusterChange.VolumesAnswered change) {
        parts.bindings.answered(change);
    }

    @Override
    public void on(ClusterChange.PluginsRan change) {
        parts.bindings.answered(change);
    }

    @Override
    public void on(ClusterChange.DoubtAnswered change) {
        parts.shownPods.answered(change.token(), change.read());
    }

    @Override
    public void on(ClusterChange.PodEndRead change) {
        parts.refusals.finished(change.pod());
    }

    @Override
    public void on(ClusterChange.PreemptionStarted change) {
        parts.profiles.all().runtimes().forEach(runtime -> runtime.preemptor().started(change.pod()));
    }

    @Override
    public void on(ClusterChange.PreemptionDropped change) {
        parts.profiles.all().runtimes().forEach(runtime -> runtime.preemptor().dropped(change.pod()));
    }

    @Override
    public void on(ClusterChange.PreemptionFailed change) {
        if (!change.keepsNomination()) {
            parts.state.queue().nominated().end(change.pod());
        }
        parts.state.queue().retry(change.pod());
    }

    @Override
    public void on(ClusterChange.PreemptionCarriedOut change) {
        // Gated during preemption, it may have missed the deletion of a victim, or the victim was only assumed on its
        // node.
        if (parts.state.queue().partOf(change.pod().key()) == Part.GATED) {
            parts.state.queue().retry(change.pod());
        }
    }

    @Override
    public void on(ClusterChange.PodReRead change) {
        parts.rereads.answered(change.podId(), change.token(), change.read());
    }
}
