package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.event.EventAction.ADD;
import static io.policyscheduler.framework.plugin.event.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE_POD_LABEL;
import static io.policyscheduler.framework.plugin.event.EventResource.NODE;
import static io.policyscheduler.framework.plugin.event.EventResource.POD;

import io.policyscheduler.engine.cluster.object.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.plugin.event.EventHint;
import io.policyscheduler.framework.plugin.event.ObjectEvent;
import java.util.List;

/**
 * Which changes may help pods that InterPodAffinity has rejected. That a pod goes which did not want them near it is not among them.
 * Mirrors the {@code EventsToRegister} of the plugin.
 */
final class PodAffinityHints {
    private PodAffinityHints() {}

    static List<EventHint> all() {
        return List.of(
                EventHint.of(PodAffinityHints::ofPod, POD, ADD, UPDATE_POD_LABEL, DELETE),
                EventHint.of(PodAffinityHints::ofNode, NODE, ADD, UPDATE_NODE_LABEL));
    }

    private static List<PodAffinityTerm> wanted(PodInfo pod) {
        return RequiredPodAffinity.required(pod.affinity().podAffinity());
    }

    private static List<PodAffinityTerm> unwanted(PodInfo pod) {
        return RequiredPodAffinity.required(pod.affinity().podAntiAffinity());
    }

    private static boolean ofPod(PodInfo pod, ObjectEvent event) {
        PodInfo old = event.old() instanceof PodInfo before ? before : null;
        PodInfo now = event.now() instanceof PodInfo after ? after : null;
        if ((old != null && old.nodeName().isEmpty())
                || (now != null && now.nodeName().isEmpty())) {
            return false;
        }
        if (old == null) {
            return now != null && isMeantByAll(wanted(pod), pod, now);
        }
        if (now == null) {
            return isMeantByAll(unwanted(pod), pod, old);
        }
        return (!isMeantByAll(wanted(pod), pod, old) && isMeantByAll(wanted(pod), pod, now))
                || (isMeantByAll(unwanted(pod), pod, old) && !isMeantByAll(unwanted(pod), pod, now));
    }

    /** False without terms. Selectors of namespaces are asked about one without labels here. */
    private static boolean isMeantByAll(List<PodAffinityTerm> terms, PodInfo owner, PodInfo other) {
        return !terms.isEmpty() && terms.stream().allMatch(term -> isMeant(term, owner, other));
    }

    private static boolean isMeant(PodAffinityTerm term, PodInfo owner, PodInfo other) {
        LabelSelector ofNamespaces = term.namespaceSelector();
        boolean everywhere = ofNamespaces != null && ofNamespaces.matches(Labels.EMPTY);
        boolean here = ofNamespaces == null && term.namespaces().isEmpty()
                ? owner.namespace().equals(other.namespace())
                : term.namespaces().contains(other.namespace());
        LabelSelector selector = term.selector();
        return (everywhere || here) && selector != null && selector.matches(other.labels());
    }

    private static boolean ofNode(PodInfo pod, ObjectEvent event) {
        Labels now = event.node().labels();
        if (event.old() == null) {
            return !unwanted(pod).isEmpty() || wanted(pod).stream().anyMatch(term -> now.has(term.topologyKey()));
        }
        Labels old = event.nodeBefore().labels();
        return wanted(pod).stream().anyMatch(term -> hasOtherPlace(term.topologyKey(), old, now))
                || unwanted(pod).stream().anyMatch(term -> hasOtherPlace(term.topologyKey(), now, old));
    }

    /** True when {@code there} has the key where {@code here} has none, or another value. */
    private static boolean hasOtherPlace(String key, Labels here, Labels there) {
        String value = there.get(key);
        return value != null && !value.equals(here.get(key));
    }
}
