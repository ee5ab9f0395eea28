package io.policyscheduler.framework.extender;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What the releases make of an extender's answer about victims. */
public enum PreemptRules {
    /** 1.17. */
    V1_17,
    /** Current releases. */
    CURRENT;

    boolean isCurrent() {
        return this == CURRENT;
    }

    /** False when an extender that is sent UIDs only is not told how many disruption budgets would be broken. */
    public boolean countsInShortForm() {
        return isCurrent();
    }

    /** The pods that an answer names; nodes and pods that are not there are an error of the call. */
    SortedMap<String, Victims> victims(Extender extender, Map<String, MetaVictims> answer, ClusterView cluster)
            throws ExtenderException {
        SortedMap<String, Victims> victims = new TreeMap<>();
        for (Map.Entry<String, MetaVictims> entry : answer.entrySet()) {
            NodeInfo node = cluster.node(entry.getKey());
            if (node == null) {
                throw ExtenderException.broken(
                        isCurrent()
                                ? "nodeinfo not found for node name \"" + entry.getKey() + "\""
                                : "extender: " + extender.name() + " claims to preempt on node: " + entry.getKey()
                                        + ", but the node is not found");
            }
            List<PodInfo> pods = new ArrayList<>();
            for (String uid : entry.getValue().uids()) {
                pods.add(podOn(node, uid, extender));
            }
            victims.put(
                    node.name(),
                    new Victims(pods, isCurrent() ? entry.getValue().budgetViolations() : 0));
        }
        return victims;
    }

    private static PodInfo podOn(NodeInfo node, String uid, Extender extender) throws ExtenderException {
        for (PodInfo pod : node.pods()) {
            if (pod.uid().equals(uid)) {
                return pod;
            }
        }
        throw ExtenderException.broken("extender: " + extender.name() + " claims to preempt pod (UID: &{" + uid
                + "}) on node: " + node.name() + ", but the pod is not found on that node");
    }
}
