package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_TAINT;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_TOLERATION;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that may help pods that were rejected because of properties of nodes: NodeUnschedulable, NodeName, TaintToleration
 * and NodeAffinity. Mirrors the {@code EventsToRegister} of these plugins.
 */
final class NodeHints {
    private NodeHints() {}

    static List<EventHint> ofUnschedulable(Taint cordoned) {
        return List.of(
                EventHint.of((pod, event) -> !event.node().unschedulable(), NODE, ADD),
                EventHint.of(
                        (pod, event) -> event.nodeBefore().unschedulable()
                                && !event.node().unschedulable(),
                        NODE,
                        UPDATE_NODE_TAINT),
                EventHint.of(
                        (pod, event) -> event.isAbout(pod)
                                && Toleration.anyTolerates(event.pod().tolerations(), cordoned),
                        POD,
                        UPDATE_POD_TOLERATION));
    }

    static List<EventHint> ofName() {
        return List.of(EventHint.of(Hint.ALWAYS, NODE, ADD));
    }

    static List<EventHint> ofTaints() {
        return List.of(
                EventHint.of((pod, event) -> isTolerated(event.node(), pod), NODE, ADD),
                EventHint.of(
                        (pod, event) -> !isTolerated(event.nodeBefore(), pod) && isTolerated(event.node(), pod),
                        NODE,
                        UPDATE_NODE_TAINT),
                EventHint.of((pod, event) -> event.isAbout(pod), POD, UPDATE_POD_TOLERATION));
    }

    private static boolean isTolerated(Node node, PodInfo pod) {
        return new TolerationSet(pod.tolerations()).firstUntolerated(node.taints()) == null;
    }

    /** @param added the required affinity of the profile; null for none */
    static List<EventHint> ofAffinity(@Nullable List<NodeSelectorTerm> added) {
        return List.of(EventHint.of((pod, event) -> mayHelp(added, pod, event), NODE, ADD, UPDATE_NODE_LABEL));
    }

    private static boolean mayHelp(@Nullable List<NodeSelectorTerm> added, PodInfo pod, ObjectEvent event) {
        Node node = event.node();
        if (added != null && !NodeSelectorTerm.anyMatches(added, node.labels(), node.name())) {
            return false;
        }
        NodeConstraints own = NodeConstraints.ofCurrent(pod);
        if (!own.accept(node)) {
            return hasError(pod);
        }
        return event.old() == null || !own.accept(event.nodeBefore());
    }

    private static boolean hasError(PodInfo pod) {
        List<NodeSelectorTerm> terms = pod.affinity().requiredNode();
        return terms != null && terms.stream().anyMatch(term -> term.expressionError() != null);
    }
}
