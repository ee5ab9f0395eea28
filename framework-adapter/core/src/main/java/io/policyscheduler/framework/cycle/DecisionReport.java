package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails.AttemptNotes;
import io.policyscheduler.framework.cycle.AttemptListener.BoundedScores;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.Extenders.FilterOutcome;
import io.policyscheduler.framework.cycle.FilterRun.NodeSearch;
import io.policyscheduler.framework.cycle.FilterRun.NodeStatus;
import io.policyscheduler.framework.cycle.SchedulingCycle.Report;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds a node, or the reasons why there is none, with the least work. */
final class DecisionReport implements Report<Decision> {
    /**
     * The options and listeners of a decision.
     *
     * @param byKept whether to use the result cache
     * @param tieBreak selects among nodes with equal totals
     * @param outOfRange receives scores out of range
     * @param attempts receives phases
     * @param isWatched whether the totals of all nodes are needed afterwards
     */
    record Way(
            boolean byKept, TieBreak tieBreak, BoundedScores outOfRange, AttemptListener attempts, boolean isWatched) {

        /** Options without listeners. */
        static Way silent(boolean byKept, TieBreak tieBreak) {
            return new Way(byKept, tieBreak, BoundedScores.UNHEARD, AttemptListener.UNHEARD, true);
        }
    }

    private final SchedulingCycle cycle;
    private final PodInfo pod;
    private final NominatedPods nominated;
    private final @Nullable AttemptNotes notes;
    private final Way way;
    private final NodeRejections rejections;
    private @Nullable NodeSearch walk;
    private @Nullable CachedFilterRun quick;
    private List<NodeInfo> feasible = List.of();
    private boolean isNominee;
    private @Nullable CachedScoreRun score;
    private long[] totals = new long[0];

    /** @param notes collects details; null if not needed */
    DecisionReport(SchedulingCycle cycle, PodInfo pod, NominatedPods nominated, @Nullable AttemptNotes notes, Way way) {
        this.notes = notes;
        this.way = way;
        this.rejections = new NodeRejections(notes == null ? null : notes.rejections());
        this.cycle = cycle;
        this.pod = pod;
        this.nominated = nominated;
    }

    @Override
    public Decision failed(String message) {
        return failed(message, feasible.size());
    }

    private Decision failed(String message, int feasibleNodes) {
        return new Decision(Decision.Kind.ERROR, null, 0, message, feasibleNodes, examined());
    }

    private int examined() {
        if (quick != null) {
            return quick.examined();
        }
        return walk == null ? 0 : walk.examined();
    }

    @Override
    public Decision noNodes() {
        return new Decision(Decision.Kind.NO_NODES, null, 0, PodChecks.NO_NODES, 0, 0);
    }

    @Override
    public @Nullable String filter(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
        PreFilterRun before = filters.preFilters();
        if (before.rejection() != null) {
            return null;
        }
        cycle.preemption().attempted(pod, filters);
        way.attempts().entered(Phase.FILTER);
        NodeSearch search = new NodeSearch(filters, nominated, nodes.size(), rejections);
        if (cycle.profile.rules().triesNomineeFirst()
                && !pod.nominatedNodeName().isEmpty()
                && findNominee(filters, search)) {
            return null;
        }
        ResultCache kept = way.byKept() && before.nodes() == null ? cycle.kept(context) : null;
        quick = kept == null
                ? null
                : CachedFilterRun.find(cycle, kept, context, filters, nominated, cycle.sampling, enough(nodes.size()));
        if (quick != null) {
            feasible = quick.nodes();
            if (notes != null || feasible.isEmpty()) {
                quick.tell(rejections);
            }
            if (feasible.isEmpty()) {
                filters.found(quick.findings());
            }
            return null;
        }
        walk = search;
        String error = search.run(
                before.nodes() == null ? nodes : named(before.nodes()), cycle.sampling, enough(nodes.size()));
        if (error == null) {
            feasible = search.feasible();
        }
        return error;
    }

    /** The number of feasible nodes that ends the search. */
    private int enough(int nodeCount) {
        boolean anyNodeWillDo = cycle.profile.rules().stopsAtFirstOfEqualNodes()
                && cycle.profile.scoresNothing()
                && cycle.extenders.isEmpty();
        return anyNodeWillDo ? 1 : cycle.sampling.limit(nodeCount);
    }

    /** True if the nominated node is feasible: no other is evaluated. */
    private boolean findNominee(FilterRun filters, NodeSearch search) {
        NodeInfo node = cycle.cluster.node(pod.nominatedNodeName());
        if (node == null) {
            return false;
        }
        NodeStatus status = filters.checkOnce(node, nominated);
        if (status != null) {
            search.knownBefore(node, status);
            return false;
        }
        if (!cycle.extenders.isEmpty()) {
            FilterOutcome outcome = cycle.extenders.filter(pod, List.of(node), cycle.cluster, cycle.ofExtenders);
            if (outcome.error() != null || outcome.feasible().isEmpty()) {
                return false;
            }
        }
        isNominee = true;
        feasible = List.of(node);
        return true;
    }

    private List<NodeInfo> named(Set<String> names) {
        List<NodeInfo> nodes = new ArrayList<>(names.size());
        for (String name : names) {
            NodeInfo node = cycle.cluster.node(name);
            if (node != null) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    @Override
    public Decision rejected(PreFilterRun before, int nodeCount) {
        NodeStatus rejection = Objects.requireNonNull(before.rejection());
        if (notes != null) {
            notes.counted(Map.of(rejection.status().message(), nodeCount));
        }
        String text = cycle.profile.rules().rejectsAll(rejection.status(), nodeCount);
        return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, text, 0, 0)
                .withRejectedBy(before.rejectedBy(), before.pendingOn());
    }

    @Override
    public List<NodeInfo> feasible() {
        return feasible;
    }

    @Override
    public boolean asksExtenders() {
        return !isNominee;
    }

    @Override
    public void rejectedByExtender(String node, List<String> reasons) {
        rejections.add(node, reasons);
    }

    @Override
    public Decision unfit(int nodeCount) {
        note();
        String message = rejections.reasons().isEmpty() && cycle.profile.rules().waitsForEvents()
                ? FitErrorText.withoutReasons(nodeCount)
                : FitErrorText.of(nodeCount, rejections.reasons());
        return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, examined())
                .withRejectedBy(rejectedBy(), rejections.pending());
    }

    /** The plugins that rejected nodes. In 1.17, the events that extenders wait for are unknown. */
    private Set<String> rejectedBy() {
        if (cycle.extenders.isEmpty()) {
            return rejections.by();
        }
        if (!cycle.profile.rules().waitsForEvents()) {
            return Set.of();
        }
        return feasible.isEmpty()
                ? rejections.by()
                : ImmutableSet.<String>builder()
                        .addAll(rejections.by())
                        .add(Extenders.REJECTOR)
                        .build();
    }

    @Override
    public Decision fit(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
        way.attempts().entered(Phase.SCORE);
        note();
        if (nodes.size() == 1) {
            String only = nodes.get(0).name();
            return new Decision(Decision.Kind.PLACED, only, 0, "", 1, isNominee ? 1 : examined());
        }
        Set<String> skipped = null;
        if (quick != null && cycle.keepsTotals) {
            skipped = new HashSet<>();
            String error = ScoreRun.preScore(cycle.profile, context, filters.state(), nodes, skipped);
            if (error != null) {
                return failed(error, nodes.size());
            }
            Decision known = best(context, filters, quick, skipped);
            if (known != null) {
                return known;
            }
            if (notes != null) {
                notes.scores().forget();
            }
        }
        ScoreRun scoring = new ScoreRun(
                cycle.profile,
                context,
                filters.state(),
                nodes,
                way.outOfRange(),
                notes == null ? null : notes.scores());
        String error = skipped == null ? scoring.run(null, cycle.extenders) : scoring.runPlugins(null, skipped);
        if (error != null) {
            return failed(error, nodes.size());
        }
        totals = scoring.totals();
        int chosen = way.tieBreak().choose(nodes, totals);
        if (notes != null) {
            notes.chosen(nodes, totals, chosen);
        }
        return new Decision(
                Decision.Kind.PLACED, nodes.get(chosen).name(), totals[chosen], "", nodes.size(), examined());
    }

    /** The decision from the result cache; null if the caller has to score the nodes without it. */
    private @Nullable Decision best(
            PodContext context, FilterRun filters, CachedFilterRun search, Set<String> skipped) {
        ScoreRecorder scores = notes == null ? null : notes.scores();
        CachedScoreRun quickly = CachedScoreRun.of(cycle, context, filters.state(), search, skipped, scores);
        if (quickly == null) {
            return null;
        }
        int chosen = quickly.choose(way.tieBreak());
        if (notes != null) {
            quickly.tell(notes, chosen);
        }
        if (way.isWatched()) {
            score = quickly;
            totals = quickly.totals();
        }
        return new Decision(
                Decision.Kind.PLACED,
                search.nodeAt(chosen).name(),
                quickly.best(),
                "",
                search.count(),
                search.examined());
    }

    /** The totals of the feasible nodes, if requested; empty if nothing was scored. */
    ImmutableLongArray totals() {
        return ImmutableLongArray.copyOf(totals);
    }

    /** Names of the plugins whose cached results for this pod are stale. */
    List<String> stale() {
        List<String> plugins = new ArrayList<>();
        if (quick != null) {
            plugins.addAll(quick.stale());
        }
        if (score != null) {
            plugins.addAll(score.stale());
        }
        return plugins;
    }

    private void note() {
        if (notes != null) {
            notes.counted(rejections.reasons());
        }
    }
}
