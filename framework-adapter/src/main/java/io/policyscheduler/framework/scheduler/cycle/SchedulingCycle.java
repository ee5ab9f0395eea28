package io.policyscheduler.framework.scheduler.cycle;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodChecks;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterIndex;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.preemption.CandidateReview;
import io.policyscheduler.engine.preemption.CurrentPreemption;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.extender.FilterOutcome;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.FrameworkTexts;
import io.policyscheduler.framework.profile.FrameworkVersion;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.Decision;
import io.policyscheduler.framework.scheduler.PodDecider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides pods with the plugins of one profile. {@link #decide} is the fast path of the running scheduler; {@link #evaluate}
 * looks at every node and reports everything. Mirrors {@code Schedule} of {@code pkg/scheduler/core/generic_scheduler.go}.
 */
public final class SchedulingCycle implements PodDecider {
    private final Profile profile;
    private final FrameworkTexts texts;
    private final ClusterState cluster;
    private final NodeSampling sampling;
    private final TieBreak tieBreak;
    private final Extenders extenders;
    private final EquivalenceCache equivalence;
    private final BoundedScores outOfRange;

    /**
     * @param percentageOfNodesToScore 0 adapts to the size of the cluster as v1.17 does, 100 looks at all nodes
     * @param tieBreak chooses among equally good nodes
     */
    public SchedulingCycle(Profile profile, ClusterState cluster, int percentageOfNodesToScore, TieBreak tieBreak) {
        this(profile, cluster, percentageOfNodesToScore, tieBreak, Extenders.NONE);
    }

    /** The same with extenders, which are asked while a pod is being decided. */
    public SchedulingCycle(
            Profile profile,
            ClusterState cluster,
            int percentageOfNodesToScore,
            TieBreak tieBreak,
            Extenders extenders) {
        this(profile, cluster, percentageOfNodesToScore, tieBreak, extenders, BoundedScores.UNHEARD);
    }

    /**
     * The same with an ear for scores out of range.
     *
     * @param outOfRange is told by {@link #decide} only
     */
    public SchedulingCycle(
            Profile profile,
            ClusterState cluster,
            int percentageOfNodesToScore,
            TieBreak tieBreak,
            Extenders extenders,
            BoundedScores outOfRange) {
        this.outOfRange = outOfRange;
        this.profile = profile;
        this.texts = new FrameworkTexts(profile.version());
        this.cluster = cluster;
        this.sampling = new NodeSampling(percentageOfNodesToScore);
        this.tieBreak = tieBreak;
        this.extenders = extenders;
        this.equivalence = new EquivalenceCache(ScoreRun.columns(profile));
    }

    @Override
    public CycleState newState() {
        return profile.stateKeys().newState();
    }

    @Override
    public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
        String problem = check(pod);
        if (problem != null) {
            return failed(Decision.Kind.ERROR, problem, 0, 0);
        }
        cluster.startCycle();
        List<NodeInfo> all = cluster.nodes();
        if (all.isEmpty()) {
            return failed(Decision.Kind.NO_NODES, PodChecks.NO_NODES, 0, 0);
        }
        PodContext context = PodContext.of(pod, cluster);
        NodeResults known = equivalence.of(context);
        FilterRun filters = FilterRun.start(profile, texts, context, state, known);
        PreFilterRun before = filters.preFilters();
        if (before.error() != null) {
            return failed(Decision.Kind.ERROR, before.error(), 0, 0);
        }
        if (before.rejection() != null) {
            return failed(Decision.Kind.UNSCHEDULABLE, rejectedBefore(all.size(), before.rejection()), 0, 0)
                    .withRejectedBy(before.rejectedBy());
        }
        NodeWalk walk = new NodeWalk(filters, nominated, all.size());
        if (profile.version() == FrameworkVersion.CURRENT
                && !pod.nominatedNodeName().isEmpty()) {
            Decision nominee = decideNominated(pod, nominated, filters, walk);
            if (nominee != null) {
                return nominee;
            }
        }
        ClusterIndex index = cluster.index();
        String error = before.nodes() == null
                ? walk.run(all, index == null ? null : index.order(), sampling, enough(all.size()))
                : walk.run(named(before.nodes()), null, sampling, enough(all.size()));
        if (error != null) {
            return failed(Decision.Kind.ERROR, error, 0, walk.examined());
        }
        List<NodeInfo> feasible = walk.feasible();
        if (!feasible.isEmpty() && !extenders.isEmpty()) {
            FilterOutcome outcome = extenders.filter(pod, feasible, cluster);
            if (outcome.error() != null) {
                return failed(Decision.Kind.ERROR, outcome.error(), feasible.size(), walk.examined());
            }
            feasible = outcome.feasible();
            outcome.reasons().forEach((node, texts) -> walk.count(texts));
        }
        if (feasible.isEmpty()) {
            return failed(Decision.Kind.UNSCHEDULABLE, FitErrorText.of(all.size(), walk.reasons()), 0, walk.examined())
                    .withRejectedBy(extenders.isEmpty() ? walk.rejectedBy() : Set.of());
        }
        if (feasible.size() == 1) {
            return new Decision(Decision.Kind.PLACED, feasible.get(0).name(), 0, "", 1, walk.examined());
        }
        ScoreRun scoring = new ScoreRun(
                profile,
                texts,
                context,
                state,
                feasible,
                known,
                extenders.isEmpty() ? walk.feasibleSlots() : null,
                outOfRange);
        error = scoring.run(null, extenders);
        if (error != null) {
            return failed(Decision.Kind.ERROR, error, feasible.size(), walk.examined());
        }
        int chosen = tieBreak.choose(feasible, scoring.totals());
        return new Decision(
                Decision.Kind.PLACED,
                feasible.get(chosen).name(),
                scoring.totals()[chosen],
                "",
                feasible.size(),
                walk.examined());
    }

    /** Current releases leave it to plugins to look at a pod's claims. */
    private @Nullable String check(PodInfo pod) {
        return profile.version() == FrameworkVersion.CURRENT ? null : PodChecks.error(pod, cluster);
    }

    /** How many feasible nodes end the search; current releases look for one only where nothing tells nodes apart. */
    private int enough(int nodeCount) {
        boolean anyNodeWillDo =
                profile.version() == FrameworkVersion.CURRENT && profile.scoresNothing() && extenders.isEmpty();
        return anyNodeWillDo ? 1 : sampling.limit(nodeCount);
    }

    /** The node promised to the pod, if it passes everything; null to look at all nodes. */
    private @Nullable Decision decideNominated(PodInfo pod, NominatedPods nominated, FilterRun filters, NodeWalk walk) {
        NodeInfo node = cluster.node(pod.nominatedNodeName());
        if (node == null) {
            return null;
        }
        NodeStatus status = filters.check(node, nominated);
        if (status != null) {
            walk.knownBefore(node, status);
            return null;
        }
        if (!extenders.isEmpty()) {
            FilterOutcome outcome = extenders.filter(pod, List.of(node), cluster);
            if (outcome.error() != null || outcome.feasible().isEmpty()) {
                return null;
            }
        }
        return new Decision(Decision.Kind.PLACED, node.name(), 0, "", 1, 1);
    }

    private List<NodeInfo> named(Set<String> names) {
        List<NodeInfo> nodes = new ArrayList<>(names.size());
        for (String name : names) {
            NodeInfo node = cluster.node(name);
            if (node != null) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    private static String rejectedBefore(int nodeCount, NodeStatus rejection) {
        return "0/" + nodeCount + " nodes are available: " + rejection.status().message() + ".";
    }

    private static Decision failed(Decision.Kind kind, String message, int feasible, int examined) {
        return new Decision(kind, null, 0, message, feasible, examined);
    }

    /** Looks at every node and reports everything; changes nothing, not even where the next walk starts. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
        return evaluate(pod, nominated, newState());
    }

    /** The same with a state from {@link #newState()}, in which the plugins leave what later steps need. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, CycleState state) {
        String problem = check(pod);
        if (problem != null) {
            return Evaluation.failed(problem);
        }
        cluster.startCycle();
        return cluster.nodes().isEmpty()
                ? Evaluation.failed(PodChecks.NO_NODES)
                : evaluateNodes(pod, nominated, cluster.nodes(), state);
    }

    /** The same for some of the nodes only; others are taken into account as the plugins do, but not reported. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, List<NodeInfo> nodes) {
        String problem = check(pod);
        if (problem != null) {
            return Evaluation.failed(problem);
        }
        cluster.startCycle();
        return evaluateNodes(pod, nominated, nodes, newState());
    }

    private Evaluation evaluateNodes(PodInfo pod, NominatedPods nominated, List<NodeInfo> nodes, CycleState state) {
        PodContext context = PodContext.of(pod, cluster);
        FilterRun filters = FilterRun.start(profile, texts, context, state);
        PreFilterRun before = filters.preFilters();
        if (before.error() != null) {
            return Evaluation.failed(before.error());
        }
        List<NodeInfo> feasible = new ArrayList<>();
        SortedMap<String, NodeFailure> failures = new TreeMap<>();
        String error = filter(pod, filters, nodes, nominated, feasible, failures);
        if (error != null) {
            return Evaluation.failed(error);
        }
        if (before.rejection() != null) {
            return new Evaluation(
                    rejectedBefore(nodes.size(), before.rejection()),
                    true,
                    List.of(),
                    failures,
                    Map.of(),
                    Map.of(),
                    new TreeMap<>(),
                    before.rejection().toFailure());
        }
        if (!feasible.isEmpty() && !extenders.isEmpty()) {
            FilterOutcome outcome = extenders.filter(pod, feasible, cluster);
            if (outcome.error() != null) {
                return Evaluation.failed(outcome.error());
            }
            feasible = outcome.feasible();
            outcome.reasons()
                    .forEach((node, texts) ->
                            failures.merge(node, new NodeFailure(texts, false, null), SchedulingCycle::both));
        }
        if (feasible.isEmpty()) {
            return Evaluation.unfit(nodes.size(), failures);
        }
        return score(new ScoreRun(profile, texts, context, state, feasible), feasible, failures);
    }

    private static @Nullable String filter(
            PodInfo pod,
            FilterRun filters,
            List<NodeInfo> nodes,
            NominatedPods nominated,
            List<NodeInfo> feasible,
            Map<String, NodeFailure> failures) {
        PreFilterRun before = filters.preFilters();
        for (NodeInfo node : nodes) {
            if (before.rejection() != null) {
                failures.put(node.name(), before.rejection().toFailure());
                continue;
            }
            boolean outside = before.nodes() != null && !before.nodes().contains(node.name());
            if (outside && !node.name().equals(pod.nominatedNodeName())) {
                failures.put(node.name(), outside(before));
                continue;
            }
            NodeStatus status = filters.check(node, nominated);
            if (status == null && !outside) {
                feasible.add(node);
            } else if (status != null && status.status().isRejected()) {
                // A node promised to the pod is looked at first, so that its own reasons are known even outside.
                failures.put(node.name(), status.toFailure());
            } else if (outside) {
                failures.put(node.name(), outside(before));
            } else if (status != null) {
                return status.status().message();
            }
        }
        return null;
    }

    private static NodeFailure outside(PreFilterRun before) {
        return new NodeFailure(before.outside().status().reasons(), true, null);
    }

    /** An extender's reasons may be lifted by preemption and do not change what was known. */
    private static NodeFailure both(NodeFailure known, NodeFailure ofExtenders) {
        List<String> reasons = new ArrayList<>(known.reasons());
        reasons.addAll(ofExtenders.reasons());
        return new NodeFailure(reasons, known.unresolvable(), known.plugin());
    }

    /**
     * What the plugins have against each node, for preemption after an attempt in which no node fitted. Extenders are not asked
     * again: what they reject remains a candidate.
     *
     * @return null when preemption has nothing to go on: an error, or a node that would fit by now
     */
    @Override
    public @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated) {
        if (check(pod) != null) {
            return null;
        }
        cluster.startCycle();
        FilterRun filters = FilterRun.start(
                profile, texts, PodContext.of(pod, cluster), profile.stateKeys().newState());
        if (filters.preFilters().error() != null) {
            return null;
        }
        List<NodeInfo> feasible = new ArrayList<>();
        SortedMap<String, NodeFailure> failures = new TreeMap<>();
        String error = filter(pod, filters, cluster.nodes(), nominated, feasible, failures);
        return error != null || (!feasible.isEmpty() && extenders.isEmpty()) ? null : failures;
    }

    private Evaluation score(ScoreRun scoring, List<NodeInfo> feasible, SortedMap<String, NodeFailure> failures) {
        Map<String, Map<String, Long>> scores = new LinkedHashMap<>();
        Map<String, Long> weights = new LinkedHashMap<>();
        NodeValues.Order order = new NodeValues.Order(feasible);
        String error = scoring.run(
                (algorithm, weight, values) -> {
                    weights.put(algorithm, weight);
                    scores.put(algorithm, order.byName(values));
                },
                // With one node left v1.17 does not ask them.
                feasible.size() == 1 ? Extenders.NONE : extenders);
        if (error != null) {
            return Evaluation.failed(error);
        }
        List<String> names = feasible.stream().map(NodeInfo::name).toList();
        return new Evaluation(null, false, names, failures, scores, weights, order.sorted(scoring.totals()));
    }

    /**
     * What preemption would do after an evaluation said that no node fits.
     *
     * @param preemption the rules of 1.17; a profile of current plugins has its own
     */
    public PreemptionResult preempt(
            PodInfo pod, NominatedPods nominated, Map<String, NodeFailure> failures, Preemption preemption) {
        PodContext context = PodContext.of(pod, cluster);
        FilterRun filters =
                FilterRun.start(profile, texts, context, profile.stateKeys().newState());
        CandidateReview review =
                extenders.isEmpty() ? CandidateReview.NONE : candidates -> extenders.preempt(pod, candidates, cluster);
        if (profile.version() == FrameworkVersion.CURRENT) {
            return new CurrentPreemption(pod, cluster, nominated, failures)
                    .decide(node -> trial(filters, node, nominated), review);
        }
        return preemption.decide(pod, cluster, nominated, failures, node -> trial(filters, node, nominated), review);
    }

    /** Whether the pod would fit on the node if all pods of lower priority were gone; false when there is no such node. */
    public boolean mayFit(PodInfo pod, NominatedPods nominated, String name) {
        NodeInfo node = cluster.node(name);
        if (node == null) {
            return false;
        }
        FilterRun filters = FilterRun.start(
                profile, texts, PodContext.of(pod, cluster), profile.stateKeys().newState());
        return filters.preFilters().error() == null && Preemption.mayFit(pod, node, trial(filters, node, nominated));
    }

    private static FilterTrial trial(FilterRun filters, NodeInfo node, NominatedPods nominated) {
        return new FilterTrial(filters.copy(false), node.copy(), nominated);
    }

    /** What a post-filter plugin is told about preemption. */
    public static Status statusOf(PreemptionResult result) {
        if (result.error() != null) {
            return Status.error(result.error());
        }
        return result.message().isEmpty() ? Status.SUCCESS : Status.unschedulable(result.message());
    }
}
