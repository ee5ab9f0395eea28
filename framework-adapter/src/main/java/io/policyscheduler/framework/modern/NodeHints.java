package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.event.EventAction.ADD;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE_NODE_TAINT;
import static io.policyscheduler.framework.plugin.event.EventAction.UPDATE_POD_TOLERATION;
import static io.policyscheduler.framework.plugin.event.EventResource.NODE;
import static io.policyscheduler.framework.plugin.event.EventResource.POD;

import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Taint;
import io.policyscheduler.engine.cluster.object.Toleration;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.plugin.event.EventHint;
import io.policyscheduler.framework.plugin.event.EventHint.Hint;
import io.policyscheduler.framework.plugin.event.ObjectEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which changes may help pods that were rejected for what a node is: NodeUnschedulable, NodeName, TaintToleration and NodeAffinity.
 * Mirrors the {@code EventsToRegister} of these plugins.
 */
final class NodeHints {
    private NodeHints() {}

    static List<EventHint> ofUnschedulable(Taint cordoned) {
        return List.of(
                EventHint.of((pod, event) -> !node(event).unschedulable(), NODE, ADD),
                EventHint.of(
                        (pod, event) ->
                                before(event).unschedulable() && !node(event).unschedulable(),
                        NODE,
                        UPDATE_NODE_TAINT),
                EventHint.of(
                        (pod, event) -> isItself(pod, event)
                                && Toleration.anyTolerates(changed(event).tolerations(), cordoned),
                        POD,
                        UPDATE_POD_TOLERATION));
    }

    static List<EventHint> ofName() {
        return List.of(EventHint.of(Hint.ALWAYS, NODE, ADD));
    }

    static List<EventHint> ofTaints() {
        return List.of(
                EventHint.of((pod, event) -> isTolerated(node(event), pod), NODE, ADD),
                EventHint.of(
                        (pod, event) -> !isTolerated(before(event), pod) && isTolerated(node(event), pod),
                        NODE,
                        UPDATE_NODE_TAINT),
                EventHint.of(NodeHints::isItself, POD, UPDATE_POD_TOLERATION));
    }

    private static boolean isTolerated(Node node, PodInfo pod) {
        return TaintToleration.untolerated(node.taints(), new TolerationSet(pod.tolerations())) == null;
    }

    /** @param added required by the profile; null when nothing is */
    static List<EventHint> ofAffinity(@Nullable List<NodeSelectorTerm> added) {
        return List.of(EventHint.of((pod, event) -> mayHelp(added, pod, event), NODE, ADD, UPDATE_NODE_LABEL));
    }

    private static boolean mayHelp(@Nullable List<NodeSelectorTerm> added, PodInfo pod, ObjectEvent event) {
        Node node = node(event);
        if (added != null && !NodeSelectorTerm.anyMatches(added, node.labels(), node.name())) {
            return false;
        }
        NodeConstraints own = NodeConstraints.ofCurrent(pod);
        if (!own.accept(node)) {
            return hasError(pod);
        }
        return event.old() == null || !own.accept(before(event));
    }

    private static boolean hasError(PodInfo pod) {
        List<NodeSelectorTerm> terms = pod.affinity().requiredNode();
        return terms != null && terms.stream().anyMatch(term -> term.expressionError() != null);
    }

    /** The node as it is now. */
    static Node node(ObjectEvent event) {
        return (Node) event.object();
    }

    /** The node as it was before an update. */
    static Node before(ObjectEvent event) {
        if (event.old() instanceof Node old) {
            return old;
        }
        throw new IllegalStateException("not an update of a node: " + event);
    }

    /** The pod as it is now, or was last. */
    static PodInfo changed(ObjectEvent event) {
        return (PodInfo) event.object();
    }

    /** True when the event is about the waiting pod itself. */
    static boolean isItself(PodInfo pod, ObjectEvent event) {
        return changed(event).uid().equals(pod.uid());
    }
}
