package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import java.util.List;

/**
 * The changes that may help pods that InterPodAffinity has rejected. Mirrors the {@code EventsToRegister} of the plugin, but misses no
 * change: a namespace selector may match any namespace here, because a hint does not see the labels of namespaces, and the terms of a
 * pod that is deleted count as well as those of the pod that waits. Release 1.34 does not requeue pods in these two cases.
 */
final class PodAffinityHints {
    private PodAffinityHints() {}

    static List<EventHint> all() {
        return List.of(
                EventHint.of(PodAffinityHints::ofPod, POD, ADD, UPDATE_POD_LABEL, DELETE),
                EventHint.of(PodAffinityHints::ofNode, NODE, ADD, UPDATE_NODE_LABEL, DELETE));
    }

    private static List<PodAffinityTerm> wanted(PodInfo pod) {
        return RequiredPodAffinity.required(pod.affinity().podAffinity());
    }

    private static List<PodAffinityTerm> unwanted(PodInfo pod) {
        return RequiredPodAffinity.required(pod.affinity().podAntiAffinity());
    }

    private static boolean ofPod(PodInfo pod, ObjectEvent event) {
        if (event.isAbout(pod)) {
            // Its own labels decide about the terms of other pods, and about its own where no pod matches them.
            return true;
        }
        PodInfo old = event.old() instanceof PodInfo before && counted(before) ? before : null;
        PodInfo now = event.now() instanceof PodInfo after && counted(after) ? after : null;
        if (now != null && old == null) {
            return isMeantByAll(wanted(pod), pod, now);
        }
        if (old != null && now == null) {
            return isFirstOfSeries(pod, old)
                    || isMeantByAny(unwanted(pod), pod, old)
                    || isMeantByAny(unwanted(old), old, pod);
        }
        if (old == null || now == null) {
            return false;
        }
        boolean wasMeant = isMeantByAll(wanted(pod), pod, old);
        boolean isMeant = isMeantByAll(wanted(pod), pod, now);
        return (isMeant && !wasMeant)
                || (!isMeant && isFirstOfSeries(pod, old))
                || unwanted(pod).stream().anyMatch(term -> isMeant(term, pod, old) && !isMeant(term, pod, now));
    }

    /** Returns true for a pod that matches its own terms, and may run anywhere once no other pod matches them. */
    private static boolean isFirstOfSeries(PodInfo pod, PodInfo gone) {
        return isMeantByAll(wanted(pod), pod, gone) && isMeantByAll(wanted(pod), pod, pod);
    }

    /** True for a pod that filters see on a node. */
    private static boolean counted(PodInfo pod) {
        return !pod.nodeName().isEmpty() || !pod.nominatedNodeName().isEmpty();
    }

    /** False without terms. */
    private static boolean isMeantByAll(List<PodAffinityTerm> terms, PodInfo owner, PodInfo other) {
        return !terms.isEmpty() && terms.stream().allMatch(term -> isMeant(term, owner, other));
    }

    private static boolean isMeantByAny(List<PodAffinityTerm> terms, PodInfo owner, PodInfo other) {
        return terms.stream().anyMatch(term -> isMeant(term, owner, other));
    }

    /** Returns true when the term means the pod, or may mean it because it selects namespaces by label. */
    private static boolean isMeant(PodAffinityTerm term, PodInfo owner, PodInfo other) {
        boolean inNamespace = term.namespaceSelector() != null
                || (term.namespaces().isEmpty()
                        ? owner.namespace().equals(other.namespace())
                        : term.namespaces().contains(other.namespace()));
        LabelSelector selector = term.selector();
        return inNamespace && selector != null && selector.matches(other.labels());
    }

    private static boolean ofNode(PodInfo pod, ObjectEvent event) {
        if (event.old() != null) {
            // Pods leave a topology domain with their node, and the terms of any pod may concern this domain.
            return true;
        }
        Labels labels = event.node().labels();
        return wanted(pod).isEmpty() || wanted(pod).stream().anyMatch(term -> labels.has(term.topologyKey()));
    }
}
