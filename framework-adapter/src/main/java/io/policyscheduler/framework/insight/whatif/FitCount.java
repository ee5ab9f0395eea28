package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.PodDecider;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many more of a pod fit.
 *
 * @param pod key of the original
 * @param count how many copies found a place
 * @param byNode how many on each node; nodes without any are absent
 * @param message why no more do; empty when the limit was reached
 */
public record FitCount(String pod, int count, SortedMap<String, Integer> byNode, String message) {
    public FitCount {
        byNode = Collections.unmodifiableSortedMap(new TreeMap<>(byNode));
    }

    /**
     * Places copies until none fits; they stay in the cluster.
     *
     * @param world where the pod's claims are
     * @param limit no more than these, for ways of deciding that never say no
     */
    public static FitCount place(
            PodInfo pod,
            World world,
            ClusterState cluster,
            PodDecider decider,
            DeciderSource.Volumes volumes,
            int limit) {
        SortedMap<String, Integer> byNode = new TreeMap<>();
        PodCopies copies = new PodCopies(world);
        int claims = 0;
        for (int count = 0; count < limit; count++) {
            PodInfo copy = copies.pending(pod, copies.freeName(pod.namespace(), pod.name() + "-fit-", count + 1));
            for (ClusterObject claim :
                    copies.madeClaims().subList(claims, copies.madeClaims().size())) {
                cluster.putObject(claim);
                claims++;
            }
            Decision decision = decider.decide(copy, NominatedPods.NONE);
            String name = decision.node();
            if (name == null) {
                return new FitCount(pod.key(), count, byNode, decision.message());
            }
            NodeInfo node = cluster.node(name);
            if (node != null) {
                volumes.assume(cluster, copy, node);
            }
            cluster.addPod(copy.withNodeName(name));
            byNode.merge(name, 1, Integer::sum);
        }
        return new FitCount(pod.key(), limit, byNode, "");
    }
}
