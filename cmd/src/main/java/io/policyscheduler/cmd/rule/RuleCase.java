package io.policyscheduler.cmd.rule;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.document.SourcePosition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * One case: what a rule has to say about a pod on some nodes.
 *
 * @param name unique in its file
 * @param position of the case in the file
 * @param now the moment of the case
 * @param nodes at least one
 * @param running pods on the nodes
 * @param objects neither nodes nor pods
 * @param pod to decide about
 * @param expected at least one, in the order of nodes
 */
record RuleCase(
        String name,
        SourcePosition position,
        TestedRule rule,
        Instant now,
        List<Node> nodes,
        List<PodInfo> running,
        List<ClusterObject> objects,
        PodInfo pod,
        List<Expected> expected) {
    /**
     * What is expected of one node.
     *
     * @param value as text: true, 50, a reason, a kind of failure
     */
    record Expected(String node, CasePart part, String value) {}

    RuleCase {
        nodes = List.copyOf(nodes);
        running = List.copyOf(running);
        objects = List.copyOf(objects);
        expected = List.copyOf(expected);
    }

    /** What is expected of a node; of errors, which nobody expects who does not say it, none. */
    List<Expected> of(String node) {
        List<Expected> all = new ArrayList<>(expected);
        all.removeIf(each -> !each.node().equals(node));
        if (all.stream().noneMatch(each -> each.part() == CasePart.ERROR)) {
            all.add(new Expected(node, CasePart.ERROR, CaseOutcome.NONE));
        }
        return List.copyOf(all);
    }
}
