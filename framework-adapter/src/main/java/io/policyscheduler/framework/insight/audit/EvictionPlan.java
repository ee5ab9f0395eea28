package io.policyscheduler.framework.insight.audit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.DetailedDecider;
import io.policyscheduler.framework.insight.whatif.Controllers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which of the pods found can be evicted. Only those that a controller makes anew elsewhere, and only as many as find another
 * place one after the other, so that nothing is evicted to wait.
 *
 * @param evictions in the order in which they are made
 * @param spared key of each pod that stays, and why
 */
public record EvictionPlan(List<Eviction> evictions, Map<String, String> spared) {
    /** A pod that goes, and the node where its successor would be placed. */
    public record Eviction(PodInfo pod, String to) {}

    public EvictionPlan {
        evictions = ImmutableList.copyOf(evictions);
        spared = ImmutableMap.copyOf(spared);
    }

    /**
     * Makes a plan; nothing is evicted.
     *
     * @param namespaces from which nothing is evicted
     * @param betterToo evict also what would only be better on another node
     * @param limits how much may go
     */
    public static EvictionPlan of(
            DeciderSource source,
            World world,
            List<AuditFinding> findings,
            Set<String> namespaces,
            boolean betterToo,
            EvictionLimits limits) {
        EvictionLimits.Count count = new EvictionLimits.Count(limits);
        ClusterState cluster = world.state();
        DetailedDecider decider = source.create(cluster, TieBreak.first());
        List<Eviction> evictions = new ArrayList<>();
        Map<String, String> spared = new LinkedHashMap<>();
        for (AuditFinding finding : findings) {
            PodInfo pod = finding.pod();
            String ofItself = sparing(finding, namespaces, betterToo);
            String reason = ofItself.isEmpty() ? count.sparing(pod) : ofItself;
            if (!reason.isEmpty()) {
                spared.put(pod.key(), reason);
                continue;
            }
            cluster.removePod(pod);
            PodInfo successor = Audit.released(pod);
            Decision decision = decider.decide(successor, NominatedPods.NONE);
            String to = decision.node();
            if (to == null || to.equals(pod.nodeName())) {
                cluster.addPod(pod);
                spared.put(pod.key(), to == null ? "would be unschedulable" : "would come back by then");
                continue;
            }
            NodeInfo node = cluster.node(to);
            if (node != null) {
                source.volumes().assume(cluster, successor, node);
            }
            cluster.addPod(successor.withNodeName(to));
            evictions.add(new Eviction(pod, to));
            count.add(pod);
        }
        return new EvictionPlan(evictions, spared);
    }

    /** Why a pod is not evicted whatever the others do; empty when it may be. */
    private static String sparing(AuditFinding finding, Set<String> namespaces, boolean betterToo) {
        PodInfo pod = finding.pod();
        if (finding.kind() == AuditFinding.Kind.UNDECIDED) {
            return "cannot be decided";
        }
        if (finding.kind() == AuditFinding.Kind.BETTER_ELSEWHERE && !betterToo) {
            return "allowed where it is";
        }
        if (Controllers.isMirror(pod)) {
            return "static pod";
        }
        if (Controllers.isDaemon(pod)) {
            return "of a DaemonSet";
        }
        if (!Controllers.isReplaced(pod)) {
            return "no controller";
        }
        return namespaces.contains(pod.namespace()) ? "namespace " + pod.namespace() : "";
    }
}
