package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodChecks;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.extender.FilterOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The quickest way to a node, or to the reasons why there is none. */
final class DecisionReport implements AttemptReport<Decision> {
    private final SchedulingCycle cycle;
    private final PodInfo pod;
    private final NominatedPods nominated;
    private final @Nullable AttemptNotes notes;
    private @Nullable NodeWalk walk;
    private @Nullable NodeResults known;
    private List<NodeInfo> feasible = List.of();
    private boolean isNominee;

    /** @param notes are told what is seen on the way; null when nobody wants to know */
    DecisionReport(SchedulingCycle cycle, PodInfo pod, NominatedPods nominated, @Nullable AttemptNotes notes) {
        this.notes = notes;
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
        return walk == null ? 0 : walk.examined();
    }

    @Override
    public Decision noNodes() {
        return new Decision(Decision.Kind.NO_NODES, null, 0, PodChecks.NO_NODES, 0, 0);
    }

    @Override
    public @Nullable NodeResults known(PodContext context) {
        known = cycle.equivalence.of(context);
        return known;
    }

    @Override
    public @Nullable String filter(FilterRun filters, List<NodeInfo> nodes) {
        PreFilterRun before = filters.preFilters();
        if (before.rejection() != null) {
            return null;
        }
        cycle.attempts.entered(AttemptPhase.FILTER);
        NodeWalk search = new NodeWalk(filters, nominated, nodes.size(), notes == null ? null : notes.rejections());
        if (cycle.profile.rules().triesNomineeFirst()
                && !pod.nominatedNodeName().isEmpty()
                && findNominee(filters, search)) {
            return null;
        }
        walk = search;
        ClusterIndex index = cycle.cluster.index();
        String error = before.nodes() == null
                ? search.run(nodes, index == null ? null : index.order(), cycle.sampling, enough(nodes.size()))
                : search.run(named(before.nodes()), null, cycle.sampling, enough(nodes.size()));
        if (error == null) {
            feasible = search.feasible();
        }
        return error;
    }

    /** How many feasible nodes end the search. */
    private int enough(int nodeCount) {
        boolean anyNodeWillDo = cycle.profile.rules().stopsAtFirstOfEqualNodes()
                && cycle.profile.scoresNothing()
                && cycle.extenders.isEmpty();
        return anyNodeWillDo ? 1 : cycle.sampling.limit(nodeCount);
    }

    /** True when the node promised to the pod takes it: no other is looked at. */
    private boolean findNominee(FilterRun filters, NodeWalk search) {
        NodeInfo node = cycle.cluster.node(pod.nominatedNodeName());
        if (node == null) {
            return false;
        }
        NodeStatus status = filters.check(node, nominated);
        if (status != null) {
            search.knownBefore(node, status);
            return false;
        }
        if (!cycle.extenders.isEmpty()) {
            FilterOutcome outcome = cycle.extenders.filter(pod, List.of(node), cycle.cluster, true);
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
        return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, AttemptReport.text(rejection, nodeCount), 0, 0)
                .withRejectedBy(before.rejectedBy());
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
        Objects.requireNonNull(walk).count(node, reasons);
    }

    @Override
    public Decision unfit(int nodeCount) {
        NodeWalk search = Objects.requireNonNull(walk);
        note(search);
        String message = FitErrorText.of(nodeCount, search.reasons());
        return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, search.examined())
                .withRejectedBy(rejectedBy(search));
    }

    /** In 1.17 nothing is known of what extenders wait for. */
    private Set<String> rejectedBy(NodeWalk search) {
        if (cycle.extenders.isEmpty()) {
            return search.rejectedBy();
        }
        if (!cycle.profile.rules().waitsForEvents()) {
            return Set.of();
        }
        return feasible.isEmpty()
                ? search.rejectedBy()
                : ImmutableSet.<String>builder()
                        .addAll(search.rejectedBy())
                        .add(Extenders.REJECTOR)
                        .build();
    }

    @Override
    public Decision fit(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
        cycle.attempts.entered(AttemptPhase.SCORE);
        note(walk);
        if (nodes.size() == 1) {
            String only = nodes.get(0).name();
            return new Decision(Decision.Kind.PLACED, only, 0, "", 1, isNominee ? 1 : examined());
        }
        int @Nullable [] slots = walk == null || !cycle.extenders.isEmpty() ? null : walk.feasibleSlots();
        ScoreRun scoring = new ScoreRun(
                cycle.profile,
                context,
                filters.state(),
                nodes,
                known,
                slots,
                cycle.outOfRange,
                notes == null ? null : notes.scores());
        String error = scoring.run(null, cycle.extenders);
        if (error != null) {
            return failed(error, nodes.size());
        }
        int chosen = cycle.tieBreak.choose(nodes, scoring.totals());
        if (notes != null) {
            notes.chosen(nodes, scoring.totals(), chosen);
        }
        return new Decision(
                Decision.Kind.PLACED, nodes.get(chosen).name(), scoring.totals()[chosen], "", nodes.size(), examined());
    }

    private void note(@Nullable NodeWalk search) {
        if (notes != null && search != null) {
            notes.counted(search.reasons());
        }
    }
}
