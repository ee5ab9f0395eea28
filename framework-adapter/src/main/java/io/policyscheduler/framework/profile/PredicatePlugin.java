package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A predicate as a filter plugin. Of several reasons users see one, the first that preemption cannot lift, else the first; all
 * of them when the policy asks for all predicates. Mirrors {@code pkg/scheduler/framework/plugins/migration/utils.go}.
 */
final class PredicatePlugin implements LegacyPlugin, PreFilterPlugin, FilterPlugin, RequeueHints {
    private static final PodFilter NO_METADATA =
            node -> Verdict.error("invalid label selector: convert to predicates.Metadata error");

    /** Of full nodes there are thousands, which are all rejected in the same words. */
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
    @SuppressWarnings("ReferenceEquality") // verdicts that come often are shared
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Verdict verdict = state.read(key).check(node);
        if (verdict.fits()) {
            return Status.SUCCESS;
        }
        Last kept = last;
        if (kept.verdict() != verdict) {
            kept = new Last(verdict, status(verdict));
            last = kept;
        }
        return kept.status();
    }

    @Override
    public Scope filterScope() {
        return predicate.scope();
    }

    @Override
    public long filterRevision() {
        return predicate.revision();
    }

    @Override
    public boolean passesUntilChanged(CycleState state) {
        return state.read(key).fitsUntilChanged();
    }

    @Override
    public boolean passesTrials(CycleState state) {
        return state.read(key).fitsTrials();
    }

    @Override
    public @Nullable Object filterBasis(CycleState state, PodInfo pod) {
        return state.read(key).basis();
    }

    @Override
    public @Nullable SlotPredicate bySlot(CycleState state, ClusterIndex index) {
        return state.read(key).bySlot(index);
    }

    private Status status(Verdict verdict) {
        String error = verdict.error();
        if (error != null) {
            return Status.error(error);
        }
        if (verdict.fits()) {
            return Status.SUCCESS;
        }
        FailureReason shown = verdict.reasons().get(0);
        for (FailureReason reason : verdict.reasons()) {
            if (!reason.resolvable()) {
                shown = reason;
                break;
            }
        }
        if (!allReasons) {
            return Status.rejected(shown.resolvable(), List.of(shown.text()));
        }
        List<String> texts = new ArrayList<>(verdict.reasons().size());
        verdict.reasons().forEach(reason -> texts.add(reason.text()));
        return Status.rejected(shown.resolvable(), texts);
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

    /** What a node event means to an answer that depends on that node alone is found out by asking again for that node. */
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
}
