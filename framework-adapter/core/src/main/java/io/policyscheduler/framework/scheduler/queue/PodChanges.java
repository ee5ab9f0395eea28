package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import java.util.ArrayList;
import java.util.List;

/** In which ways a pod has changed. Mirrors {@code PodSchedulingPropertiesChange} of {@code pkg/scheduler/framework/events.go}. */
public final class PodChanges {
    private PodChanges() {}

    /**
     * One event for each way, in the order of kube-scheduler; a general one when it is none of those that are told apart.
     *
     * @param resource pods with a node, or without
     */
    public static List<ObjectEvent> of(EventResource resource, PodInfo old, PodInfo now) {
        List<EventAction> actions = new ArrayList<>();
        if (!old.labels().equals(now.labels())) {
            actions.add(EventAction.UPDATE_POD_LABEL);
        }
        if (isScaledDown(old, now)) {
            actions.add(EventAction.UPDATE_POD_SCALE_DOWN);
        }
        if (!old.spec().schedulingGates().isEmpty()
                && now.spec().schedulingGates().isEmpty()) {
            actions.add(EventAction.UPDATE_POD_SCHEDULING_GATES_ELIMINATED);
        }
        if (old.tolerations().size() != now.tolerations().size()) {
            actions.add(EventAction.UPDATE_POD_TOLERATION);
        }
        if (!old.madeClaims().equals(now.madeClaims())) {
            actions.add(EventAction.UPDATE_POD_GENERATED_RESOURCE_CLAIM);
        }
        if (actions.isEmpty()) {
            actions.add(EventAction.UPDATE);
        }
        return actions.stream()
                .map(action -> ObjectEvent.updated(resource, action, old, now))
                .toList();
    }

    /** Returns true when the change may help pods that do not wait for this pod: its labels differ, or it requests less. */
    static boolean mayHelpAny(PodInfo old, PodInfo now) {
        return !old.labels().equals(now.labels()) || isScaledDown(old, now);
    }

    private static boolean isScaledDown(PodInfo old, PodInfo now) {
        ResourceVector before = old.resources().current().filter();
        ResourceVector after = now.resources().current().filter();
        if (before.equals(after)) {
            return false;
        }
        boolean less = after.milliCpu() < before.milliCpu()
                || after.memory() < before.memory()
                || after.ephemeralStorage() < before.ephemeralStorage();
        for (int i = 0; !less && i < before.scalarCount(); i++) {
            String name = before.scalarName(i);
            less = !after.hasScalar(name) || after.scalar(name) < before.scalarAmount(i);
        }
        return less;
    }
}
