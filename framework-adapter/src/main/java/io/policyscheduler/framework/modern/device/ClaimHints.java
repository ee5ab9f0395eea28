package io.policyscheduler.framework.modern.device;

import static io.policyscheduler.framework.plugin.event.EventAction.ADD;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE_NODE_ALLOCATABLE;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE_POD_GENERATED_RESOURCE_CLAIM;
import static io.policyscheduler.framework.plugin.event.EventResource.DEVICE_CLASS;
import static io.policyscheduler.framework.plugin.event.EventResource.NODE;
import static io.policyscheduler.framework.plugin.event.EventResource.POD;
import static io.policyscheduler.framework.plugin.event.EventResource.RESOURCE_CLAIM;
import static io.policyscheduler.framework.plugin.event.EventResource.RESOURCE_SLICE;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.event.EventHint;
import io.policyscheduler.framework.plugin.event.EventHint.Hint;
import io.policyscheduler.framework.plugin.event.ObjectEvent;
import java.util.List;

/** Which changes may help pods that DynamicResources has rejected or holds back. Mirrors its {@code EventsToRegister}. */
final class ClaimHints {
    private ClaimHints() {}

    /** What is known of claims. */
    interface Claims {
        /** True when all claims of the pod are there, are its own and stay. */
        boolean resolve(PodInfo pod);

        /** True when the claim is one of the pod's. */
        boolean isOf(PodInfo pod, ClusterObject claim);

        /** True when the claim had devices and has none any more. */
        boolean lostAllocation(ClusterObject old, ClusterObject now);

        /** True when the status of the claim differs. */
        boolean changedStatus(ClusterObject old, ClusterObject now);
    }

    /** What a plugin that knows claims registers. */
    static List<EventHint> all(Claims claims) {
        Hint ofClaim = (pod, event) -> mayHelp(claims, pod, event);
        Hint ofPod =
                (pod, event) -> event.object() instanceof PodInfo changed && changed.isSame(pod) && claims.resolve(pod);
        return List.of(
                EventHint.of(Hint.ALWAYS, NODE, ADD, UPDATE_NODE_LABEL, UPDATE_NODE_ALLOCATABLE),
                EventHint.of(ofClaim, RESOURCE_CLAIM, ADD, UPDATE),
                EventHint.of(ofPod, POD, UPDATE_POD_GENERATED_RESOURCE_CLAIM),
                EventHint.of(Hint.ALWAYS, DEVICE_CLASS, ADD, UPDATE),
                EventHint.of(Hint.ALWAYS, RESOURCE_SLICE, ADD, UPDATE));
    }

    private static boolean mayHelp(Claims claims, PodInfo pod, ObjectEvent event) {
        if (!claims.resolve(pod)) {
            return false;
        }
        ClusterObject old = event.old();
        ClusterObject now = event.object();
        if (old != null && claims.lostAllocation(old, now)) {
            return true;
        }
        return claims.isOf(pod, now) && (old == null || claims.changedStatus(old, now));
    }
}
