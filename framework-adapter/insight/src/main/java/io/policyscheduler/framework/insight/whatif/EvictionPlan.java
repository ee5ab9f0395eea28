package io.policyscheduler.framework.insight.whatif;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.whatif.Audit.Finding;
import io.policyscheduler.framework.insight.whatif.PodTemplates.Controllers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A plan of evictions for the findings of an audit. It has only pods that a controller replaces, and only as many as are placed on
 * another node one after the other, so that no evicted pod stays pending.
 *
 * @param evictions in the order of execution
 * @param spared the pods that are not evicted, with the reason
 */
public record EvictionPlan(List<Eviction> evictions, Map<String, String> spared) {
    /** A pod to evict, and the node where its replacement would be placed. */
    public record Eviction(PodInfo pod, String to) {}

    public EvictionPlan {
        evictions = ImmutableList.copyOf(evictions);
        spared = ImmutableMap.copyOf(spared);
    }

    /**
     * Returns the plan. Evicts nothing.
     *
     * @param namespaces the namespaces whose pods are never evicted
     * @param betterToo also evict pods that are allowed on their node but score higher on another one
     * @param limits the maximum number of evictions
     */
    public static EvictionPlan of(
            SchedulerSpec source,
            ClusterSnapshot snapshot,
            List<Finding> findings,
            Set<String> namespaces,
            boolean betterToo,
            Limits limits) {
        Limits.Count count = new Limits.Count(limits);
        ClusterState cluster = snapshot.state();
        SnapshotScheduler scheduler = source.create(cluster, TieBreak.first());
        List<Eviction> evictions = new ArrayList<>();
        Map<String, String> spared = new LinkedHashMap<>();
        for (Finding finding : findings) {
            PodInfo pod = finding.pod();
            String ofItself = sparing(finding, namespaces, betterToo);
            String reason = ofItself.isEmpty() ? count.sparing(pod) : ofItself;
            if (!reason.isEmpty()) {
                spared.put(pod.key(), reason);
                continue;
            }
            cluster.removePod(pod);
            PodInfo successor = Audit.released(pod);
            NodeInfo own = cluster.node(pod.nodeName());
            boolean allowed = own != null
                    && Audit.withoutCordon(
                            cluster,
                            own.node(),
                            () -> isAllowed(source, scheduler, successor, finding, pod.nodeName()));
            if (allowed) {
                cluster.addPod(pod);
                spared.put(
                        pod.key(),
                        finding.kind() == Finding.Kind.VIOLATION
                                ? "allowed on its node after the other evictions"
                                : "would be placed on the same node again");
                continue;
            }
            Decision decision = scheduler.decide(successor, NominatedPods.NONE);
            String to = decision.node();
            if (to == null || to.equals(pod.nodeName())) {
                cluster.addPod(pod);
                spared.put(pod.key(), to == null ? "would be unschedulable" : "would be placed on the same node again");
                continue;
            }
            NodeInfo node = cluster.node(to);
            if (node != null) {
                source.volumes().assume(cluster, successor, node);
            }
            cluster.addPod(source.volumes().bound(cluster, successor, to));
            evictions.add(new Eviction(pod, to));
            count.add(pod);
        }
        return new EvictionPlan(evictions, spared);
    }

    /** Whether the pods that are evicted before this one have removed the reason to evict it. The pod is not in the cluster. */
    private static boolean isAllowed(
            SchedulerSpec source, SnapshotScheduler scheduler, PodInfo released, Finding finding, String node) {
        Ranking ranking = source.independent()
                ? scheduler.rank(released, NominatedPods.NONE)
                : Ranking.of(scheduler.evaluate(released, NominatedPods.NONE));
        return finding.kind() == Finding.Kind.VIOLATION
                ? ranking.total(node).isPresent()
                : ranking.best().contains(node);
    }

    /** Returns why a pod is never evicted; empty if it can be evicted. */
    private static String sparing(Finding finding, Set<String> namespaces, boolean betterToo) {
        PodInfo pod = finding.pod();
        if (finding.kind() == Finding.Kind.UNDECIDED) {
            return "could not be checked";
        }
        if (finding.kind() == Finding.Kind.BETTER_ELSEWHERE && !betterToo) {
            return "allowed on its node";
        }
        if (Controllers.isMirror(pod)) {
            return "static pod";
        }
        if (Controllers.isDaemon(pod)) {
            return "DaemonSet pod";
        }
        if (!Controllers.isReplaced(pod)) {
            return "no controller";
        }
        return namespaces.contains(pod.namespace()) ? "namespace " + pod.namespace() : "";
    }

    /**
     * Limits of evictions, with the names of the descheduler's policy.
     *
     * @param perNode maxNoOfPodsToEvictPerNode
     * @param perNamespace maxNoOfPodsToEvictPerNamespace
     * @param total maxNoOfPodsToEvictTotal
     * @param priorityThreshold pods of this priority and above are not evicted
     */
    public record Limits(int perNode, int perNamespace, int total, int priorityThreshold) {
        /** No limits, except that pods of the cluster itself are not evicted: system-cluster-critical has this priority. */
        public static final Limits NONE =
                new Limits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, 2_000_000_000);

        /** Counts planned evictions. */
        static final class Count {
            private final Limits limits;
            private final Map<String, Integer> byNode = new HashMap<>();
            private final Map<String, Integer> byNamespace = new HashMap<>();
            private int total;

            Count(Limits limits) {
                this.limits = limits;
            }

            /** The limit that prevents one more eviction; empty for none. */
            String sparing(PodInfo pod) {
                if (pod.priority() >= limits.priorityThreshold) {
                    return "priority " + pod.priority() + " is not below " + limits.priorityThreshold;
                }
                if (total >= limits.total) {
                    return "limit of " + limits.total + " evictions";
                }
                if (byNode.getOrDefault(pod.nodeName(), 0) >= limits.perNode) {
                    return "limit of " + limits.perNode + " from node " + pod.nodeName();
                }
                return byNamespace.getOrDefault(pod.namespace(), 0) >= limits.perNamespace
                        ? "limit of " + limits.perNamespace + " from namespace " + pod.namespace()
                        : "";
            }

            /** Counts an eviction. */
            void add(PodInfo pod) {
                total++;
                byNode.merge(pod.nodeName(), 1, Integer::sum);
                byNamespace.merge(pod.namespace(), 1, Integer::sum);
            }
        }
    }
}
