package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.ExplainedTrial;
import io.policyscheduler.engine.preemption.PodPreemption;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.Room;
import io.policyscheduler.framework.cycle.FilterRun.FilterBasis;
import io.policyscheduler.framework.resultcache.EvictionCache;
import io.policyscheduler.framework.resultcache.EvictionCache.EvictionAnswer;
import io.policyscheduler.framework.resultcache.EvictionColumn;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Preemption for one pod by what is kept about the nodes: where the filters look at one node only, victims are looked for on the nodes
 * that have changed since the last pod that is the same to the filters. Chooses as {@link PreemptionQuestions#preempt} does, and leaves
 * to it what it cannot tell.
 */
final class MakingRoom {
    /** Pods with equal bases have the same victims on the same node. */
    private record Basis(Preemption rules, int priority, List<FilterBasis> filters) {}

    private final SchedulingCycle cycle;
    private final ClusterState cluster;
    private final FilterRun filters;
    private final PodInfo pod;
    private final NominatedPods nominated;
    private final Preemption rules;
    private final PodPreemption preemption;
    private final boolean sharesMetadata;

    /**
     * @param filters of an attempt that has begun
     * @param rules those of 1.17
     */
    MakingRoom(SchedulingCycle cycle, FilterRun filters, PodInfo pod, NominatedPods nominated, Preemption rules) {
        this.cycle = cycle;
        this.cluster = cycle.cluster;
        this.filters = filters;
        this.pod = pod;
        this.nominated = nominated;
        this.rules = rules;
        this.preemption = cycle.profile.rules().preemption(rules, pod, cluster, nominated);
        this.sharesMetadata = cycle.profile.rules().sharesMetadata();
    }

    /** The room; null when the nodes have to be gone through. */
    @Nullable
    Room find(ResultCache kept) {
        PreFilterRun before = filters.preFilters();
        if (before.error() != null || before.rejection() != null || before.nodes() != null) {
            return null;
        }
        EvictionCache evictions = kept.evictions();
        if (sharesMetadata && evictions.hasNameOf(pod)) {
            // By the rules of 1.17 it cannot be taken away in a trial.
            return null;
        }
        List<FilterBasis> bases = bases();
        Map<Integer, List<PodInfo>> promised = bases == null ? null : promised(kept, bases.size());
        if (bases == null || promised == null) {
            return null;
        }
        EvictionColumn column =
                evictions.column(cluster, new Basis(rules, pod.priority(), bases), promised, this::answer);
        if (column.count(EvictionAnswer.Kind.ODD) > 0) {
            return null;
        }
        return column.count(EvictionAnswer.Kind.FITS) > 0 ? Room.NOTHING : choose(column);
    }

    private @Nullable List<FilterBasis> bases() {
        try {
            return filters.bases();
        } catch (RuntimeException | LinkageError e) {
            cycle.fellBack(pod, e);
            return null;
        }
    }

    /** The pods that trials count on the nodes that are promised to them, by slot; null when more than the node matters then. */
    private @Nullable Map<Integer, List<PodInfo>> promised(ResultCache kept, int askedFilters) {
        if (nominated.isEmpty()) {
            return Map.of();
        }
        Collection<String> nodes = nominated.nodes();
        if (nodes == null) {
            return null;
        }
        Map<Integer, List<PodInfo>> promised = new HashMap<>();
        for (String name : nodes) {
            NodeInfo node = cluster.node(name);
            int slot = node == null ? NodeInfo.NO_SLOT : kept.index().ownSlotOf(node);
            if (slot < 0) {
                continue;
            }
            List<PodInfo> counted = new ArrayList<>();
            for (PodInfo other : nominated.on(name)) {
                if (other.priority() < pod.priority() || other.isSame(pod)) {
                    continue;
                }
                boolean passes = askedFilters == filters.active().length || !other.hasPodAffinity();
                if (!passes || (sharesMetadata && isNamesake(other))) {
                    return null;
                }
                counted.add(other);
            }
            if (!counted.isEmpty()) {
                promised.put(slot, counted);
            }
        }
        return promised;
    }

    private boolean isNamesake(PodInfo other) {
        return other.name().equals(pod.name()) && other.namespace().equals(pod.namespace());
    }

    private EvictionAnswer answer(NodeInfo node) {
        NodeStatus status = filters.checkOnce(node, nominated);
        if (status == null) {
            return EvictionAnswer.FITS;
        }
        if (!status.status().isRejected()) {
            return EvictionAnswer.ODD;
        }
        return status.toFailure().unresolvable()
                ? EvictionAnswer.HOPELESS
                : EvictionAnswer.of(preemption.search(node, FilterTrial.of(filters, node, nominated)));
    }

    private @Nullable Room choose(EvictionColumn column) {
        Room objection = preemption.objection(
                node -> column.at(node).kind() == EvictionAnswer.Kind.HOPELESS,
                node -> FilterTrial.of(filters, node, nominated));
        if (objection != null) {
            return objection;
        }
        NodeInfo cheapest = column.cheapest();
        if (cheapest != null) {
            List<PodInfo> lower = nominated.on(cheapest.name()).stream()
                    .filter(other -> other.priority() < pod.priority())
                    .toList();
            return new Room(cheapest.name(), column.victims(cheapest).pods(), lower, false, "", null);
        }
        Map<ExplainedTrial.Misfit, Integer> misfits = column.misfits();
        return misfits.keySet().stream().anyMatch(ExplainedTrial.Misfit::error)
                ? null
                : preemption.withoutCandidates(misfits);
    }
}
