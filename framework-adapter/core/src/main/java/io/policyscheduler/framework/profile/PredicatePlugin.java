package io.policyscheduler.framework.profile;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.algorithm.Scope.PodClass;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.LegacyPlugin;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A predicate as a filter plugin. Of several reasons, it reports the first that preemption cannot resolve, else the first; with
 * {@code alwaysCheckAllPredicates}, all of them. Mirrors {@code pkg/scheduler/framework/plugins/migration/utils.go}.
 */
final class PredicatePlugin implements LegacyPlugin, PreFilterPlugin, CacheableFilter, RequeueHints {
    private static final PodFilter NO_METADATA =
            node -> Verdict.error("invalid label selector: convert to predicates.Metadata error");

    /** The last verdict and its status. Thousands of full nodes are rejected with equal verdicts. */
    private record Last(Verdict verdict, Status status) {}

    private final String name;
    private final Predicate predicate;
    private final boolean allReasons;
    private final ClusterView cluster;
    private final StateKey<PodFilter> key;
    private Last last = new Last(Verdict.FITS, Status.SUCCESS);

    PredicatePlugin(String name, Predicate predicate, boolean allReasons, StateKeys keys, ClusterView cluster) {
        this.name = name;
        this.predicate = predicate;
        this.allReasons = allReasons;
        this.cluster = cluster;
        this.key = keys.create("PreFilter" + name, PodFilter::copy);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        PodFilter filter = start(context);
        state.write(key, filter);
        return filter == PodFilter.FITS_ALL ? PreFilterResult.SKIP : PreFilterResult.ALL_NODES;
    }

    private PodFilter start(PodContext context) {
        return predicate.needsMetadata() && !context.metadataAvailable() ? NO_METADATA : predicate.start(context);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // frequent verdicts are shared objects
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Verdict verdict = state.read(key).check(node);
        if (verdict.fits()) {
            return Status.SUCCESS;
        }
        Last cached = last;
        if (cached.verdict() != verdict) {
            cached = new Last(verdict, status(verdict));
            last = cached;
        }
        return cached.status();
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        PodFilter filter = state.read(key);
        Object basis = filter.basis();
        Object read = basis == null && predicate.scope() == Scope.NODE ? new PodClass(pod) : basis;
        return new FilterReads(
                read, predicate.revision(), filter.fitsUntilChanged(), filter.fitsTrials(), filter::bySlot);
    }

    private Status status(Verdict verdict) {
        if (allReasons || verdict.reasons().size() <= 1) {
            return Status.of(verdict);
        }
        FailureReason displayed = verdict.reasons().get(0);
        for (FailureReason reason : verdict.reasons()) {
            if (!reason.resolvable()) {
                displayed = reason;
                break;
            }
        }
        return Status.rejected(displayed.resolvable(), List.of(displayed.text()));
    }

    @Override
    public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        return state.read(key).addPod(added, node);
    }

    @Override
    public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        return state.read(key).removePod(removed, node);
    }

    @Override
    public Set<ClusterEvent> events() {
        return PluginEvents.of(name, predicate);
    }

    /**
     * Whether a change may help. For a predicate that reads one node only, a node event counts if the predicate passes the node
     * now.
     */
    @Override
    public boolean mayHelp(PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
        if (predicate.scope() != Scope.NODE || !(changed instanceof Node node)) {
            return true;
        }
        NodeInfo info = cluster.node(node.name());
        return info == null
                || !start(PodContext.of(pod, cluster)).check(info).reasons().stream()
                        .anyMatch(reason -> !reason.resolvable());
    }

    /**
     * The events that may help a pod that a filter plugin of Kubernetes rejected. Mirrors the plugins' {@code EventsToRegister}.
     */
    static final class PluginEvents {
        private static final Set<ClusterEvent> ALL = Sets.immutableEnumSet(
                Sets.difference(EnumSet.allOf(ClusterEvent.class), ClusterEvent.ONLY_WHERE_ASKED_FOR));
        private static final Set<ClusterEvent> NODES = ClusterEvent.NODE_EVENTS;
        private static final Set<ClusterEvent> ROOM =
                and(NODES, ClusterEvent.ASSIGNED_POD_DELETE, ClusterEvent.ASSIGNED_POD_UPDATE);
        private static final Set<ClusterEvent> PODS =
                and(ROOM, ClusterEvent.ASSIGNED_POD_ADD, ClusterEvent.NODE_DELETE, ClusterEvent.NAMESPACE_CHANGE);
        private static final Set<ClusterEvent> SERVICES =
                and(PODS, ClusterEvent.SERVICE_ADD, ClusterEvent.SERVICE_UPDATE, ClusterEvent.SERVICE_DELETE);
        private static final Set<ClusterEvent> CLAIMS = and(
                ROOM,
                ClusterEvent.PVC_ADD,
                ClusterEvent.PVC_UPDATE,
                ClusterEvent.PV_ADD,
                ClusterEvent.PV_UPDATE,
                ClusterEvent.STORAGE_CLASS_ADD,
                ClusterEvent.CSI_NODE_ADD,
                ClusterEvent.CSI_NODE_UPDATE,
                ClusterEvent.STORAGE_CAPACITY_CHANGE,
                ClusterEvent.STORAGE_LIMIT_CHANGE);

        private static final Map<String, Set<ClusterEvent>> BY_PLUGIN =
                ImmutableMap.<String, Set<ClusterEvent>>builder()
                        .put("NodeUnschedulable", NODES)
                        .put("NodeName", NODES)
                        .put("TaintToleration", NODES)
                        .put("NodeAffinity", NODES)
                        .put("NodeLabel", NODES)
                        .put("NodePorts", ROOM)
                        .put("NodeResourcesFit", ROOM)
                        .put("VolumeRestrictions", CLAIMS)
                        .put("EBSLimits", CLAIMS)
                        .put("GCEPDLimits", CLAIMS)
                        .put("AzureDiskLimits", CLAIMS)
                        .put("CinderLimits", CLAIMS)
                        .put("NodeVolumeLimits", CLAIMS)
                        .put("VolumeBinding", CLAIMS)
                        .put("VolumeZone", CLAIMS)
                        .put("PodTopologySpread", PODS)
                        .put("InterPodAffinity", PODS)
                        .put("ServiceAffinity", SERVICES)
                        .buildOrThrow();

        private PluginEvents() {}

        private static Set<ClusterEvent> and(Set<ClusterEvent> events, ClusterEvent... more) {
            return Sets.immutableEnumSet(Sets.union(events, Set.of(more)));
        }

        /** The events of a predicate: those of its plugin, and those of its other inputs. */
        static Set<ClusterEvent> of(String name, Predicate predicate) {
            Set<ClusterEvent> events = EnumSet.noneOf(ClusterEvent.class);
            events.addAll(of(name));
            if (predicate.readsBudgets()) {
                events.add(ClusterEvent.BUDGET_CHANGE);
            }
            if (predicate.readsTables()) {
                events.add(ClusterEvent.TABLE_CHANGE);
            }
            return Collections.unmodifiableSet(events);
        }

        /** The events of a plugin; for an unknown one, all default events. */
        static Set<ClusterEvent> of(String plugin) {
            return BY_PLUGIN.getOrDefault(plugin, ALL);
        }
    }

    /** A plugin that wraps a predicate and a priority, such as NodeAffinity. */
    static final class WithPriority
            implements LegacyPlugin,
                    PreFilterPlugin,
                    FilterPlugin,
                    PreScorePlugin,
                    InTreeScore,
                    CacheableScore,
                    RequeueHints {
        private final PredicatePlugin filter;
        private final PriorityPlugin score;

        WithPriority(PredicatePlugin filter, PriorityPlugin score) {
            this.filter = filter;
            this.score = score;
        }

        @Override
        public String name() {
            return filter.name();
        }

        @Override
        public PreFilterResult preFilter(CycleState state, PodContext context) {
            return filter.preFilter(state, context);
        }

        @Override
        public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
            return filter.addPod(state, pod, added, node);
        }

        @Override
        public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
            return filter.removePod(state, pod, removed, node);
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return filter.filter(state, pod, node);
        }

        @Override
        public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
            return score.preScore(state, context, feasible);
        }

        @Override
        public ScoreReads scoreReads(CycleState state, PodInfo pod) {
            ScoreReads reads = score.scoreReads(state, pod);
            return new ScoreReads(null, 0, Reduction.OTHER, reads.uniformScore(), null);
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return score.score(state, pod, node);
        }

        @Override
        public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
            return score.normalizeScores(state, pod, nodes, scores);
        }

        @Override
        public Set<ClusterEvent> events() {
            return filter.events();
        }

        @Override
        public boolean mayHelp(PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
            return filter.mayHelp(pod, event, changed);
        }
    }
}
