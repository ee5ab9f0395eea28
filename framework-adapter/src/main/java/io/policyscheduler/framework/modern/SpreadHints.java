package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_TAINT;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_TOLERATION;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import java.util.List;
import java.util.function.Function;

/** Which changes may help pods that PodTopologySpread has rejected. Mirrors its {@code EventsToRegister}. */
final class SpreadHints {
    private final Function<PodInfo, List<SpreadConstraint>> hard;

    /** @param hard the constraints that forbid nodes to a pod; may throw when they make no sense */
    SpreadHints(Function<PodInfo, List<SpreadConstraint>> hard) {
        this.hard = hard;
    }

    List<EventHint> all() {
        return List.of(
                EventHint.of(this::ofPod, POD, ADD, UPDATE_POD_LABEL, UPDATE_POD_TOLERATION, DELETE),
                EventHint.of(this::ofNode, NODE, ADD, DELETE, UPDATE_NODE_LABEL, UPDATE_NODE_TAINT));
    }

    private boolean ofPod(PodInfo pod, ObjectEvent event) {
        PodInfo old = event.old() instanceof PodInfo before ? before : null;
        PodInfo now = event.now() instanceof PodInfo after ? after : null;
        if ((old != null && !isInvolved(pod, old)) || (now != null && !isInvolved(pod, now))) {
            return false;
        }
        List<SpreadConstraint> constraints = hard.apply(pod);
        if (old == null || now == null) {
            PodInfo only = event.pod();
            return constraints.stream().anyMatch(constraint -> constraint.selects(only.labels()));
        }
        boolean toleratesOthers =
                pod.uid().equals(now.uid()) && !old.tolerations().equals(now.tolerations());
        if (toleratesOthers && constraints.stream().anyMatch(SpreadConstraint::honorsTaints)) {
            return true;
        }
        return !old.labels().equals(now.labels())
                && constraints.stream()
                        .anyMatch(constraint -> constraint.selects(old.labels()) != constraint.selects(now.labels()));
    }

    private static boolean isInvolved(PodInfo pod, PodInfo other) {
        return other.uid().equals(pod.uid())
                || ((!other.nodeName().isEmpty() || !other.nominatedNodeName().isEmpty())
                        && other.namespace().equals(pod.namespace()));
    }

    private boolean ofNode(PodInfo pod, ObjectEvent event) {
        List<SpreadConstraint> constraints = hard.apply(pod);
        boolean hasKeys = SpreadConstraint.allKeysOn(event.node(), constraints);
        if (event.old() == null || event.now() == null) {
            return hasKeys;
        }
        Node old = event.nodeBefore();
        Node now = event.node();
        if (SpreadConstraint.allKeysOn(old, constraints) != hasKeys) {
            return true;
        }
        // Any label may be one by which node selectors choose the nodes that count.
        return hasKeys && (!old.taints().equals(now.taints()) || !old.labels().equals(now.labels()));
    }
}
