package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails.AttemptNotes;
import io.policyscheduler.framework.cycle.AttemptListener.DecisionDifference;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.NodeSampling.SearchStart;
import io.policyscheduler.framework.cycle.SchedulingCycle.DecisionReport;
import io.policyscheduler.framework.plugin.CycleState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a decision with and without the result cache on the same cluster, from the same start index, and with the same tie-break.
 * The decision without the cache applies and is reported to listeners. If the other one differs, it is reported, and the cache is
 * cleared.
 */
public final class DecisionVerification {
    private static final Logger log = LoggerFactory.getLogger(DecisionVerification.class);

    private final SchedulingCycle cycle;
    private final ScoreRecorder notes = new ScoreRecorder();

    /** The answer of one path and its report. */
    private record Trial(DecisionReport report, TrialResult result) {}

    DecisionVerification(SchedulingCycle cycle) {
        this.cycle = cycle;
    }

    /** Decides as {@link SchedulingCycle#decide} does. */
    Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
        DecisionReport.Options withoutCache =
                new DecisionReport.Options(false, cycle.tieBreak, cycle.outOfRange, cycle.attempts, true, null);
        String problem = cycle.begin(pod);
        if (problem != null) {
            Decision failed = new DecisionReport(cycle, pod, nominated, null, withoutCache).failed(problem);
            cycle.attempts.onPhase(Phase.DECIDED);
            return failed;
        }
        SearchStart start = cycle.sampling.start();
        int before = start.index();
        TieBreak same = cycle.tieBreak.copy();
        @Nullable Trial cachedTrial = null;
        @Nullable RuntimeException broken = null;
        try {
            TieBreak tieBreak = same == null ? TieBreak.first() : same;
            cachedTrial = trial(pod, nominated, cycle.newState(), DecisionReport.Options.silent(true, tieBreak));
        } catch (RuntimeException e) {
            broken = e;
        }
        int after = start.index();
        start.back(before);
        Trial plain = trial(pod, nominated, state, withoutCache);
        cycle.attempts.onPhase(Phase.DECIDED);
        if (cycle.attempts.needsDetails()) {
            cycle.attempts.onAttempted(pod, plain.result().details());
        }
        String what =
                cachedTrial == null ? "an exception" : plain.result().difference(cachedTrial.result(), same != null);
        if (what == null && after != start.index()) {
            what = "where the next search starts";
        }
        if (what != null && isSteady(plain.result(), before, pod, nominated)) {
            report(pod, what, plain, cachedTrial, broken);
        }
        cycle.attempts.onDecisionVerified(pod);
        return plain.result().decision();
    }

    /** See {@link SchedulingCycle#staleResults}. */
    List<String> stale(PodInfo pod, NominatedPods nominated) {
        if (cycle.begin(pod) != null) {
            return List.of();
        }
        SearchStart start = cycle.sampling.start();
        int before = start.index();
        Trial cachedTrial =
                trial(pod, nominated, cycle.newState(), DecisionReport.Options.silent(true, TieBreak.first()));
        start.back(before);
        return cachedTrial.report().stale();
    }

    private Trial trial(PodInfo pod, NominatedPods nominated, CycleState state, DecisionReport.Options options) {
        AttemptNotes seen = new AttemptNotes(notes);
        DecisionReport report = new DecisionReport(cycle, pod, nominated, seen, options);
        Decision decision = cycle.evaluate(report, pod, state, null);
        TrialResult result = new TrialResult(
                decision,
                report.feasible().stream().map(NodeInfo::name).toList(),
                report.totals(),
                seen.details(cycle.cluster.nodes().size()));
        return new Trial(report, result);
    }

    /** Whether a repeated evaluation returns the same; a non-deterministic plugin says nothing about the cache. */
    private boolean isSteady(TrialResult result, int before, PodInfo pod, NominatedPods nominated) {
        SearchStart start = cycle.sampling.start();
        int after = start.index();
        start.back(before);
        Trial again = trial(pod, nominated, cycle.newState(), DecisionReport.Options.silent(false, TieBreak.first()));
        start.back(after);
        return result.difference(again.result(), false) == null;
    }

    private void report(
            PodInfo pod, String what, Trial plain, @Nullable Trial cachedTrial, @Nullable RuntimeException broken) {
        TreeSet<String> plugins = new TreeSet<>();
        if (cachedTrial != null) {
            plugins.addAll(cachedTrial.result().scoredOtherwise(plain.result()));
            plugins.addAll(cachedTrial.report().stale());
        }
        cycle.clearCache();
        DecisionDifference difference = new DecisionDifference(
                pod,
                what,
                plain.result().toString(),
                cachedTrial == null
                        ? String.valueOf(broken)
                        : cachedTrial.result().toString(),
                List.copyOf(plugins));
        log.error(
                "W122 decisions about pod {} differ in {}; without the result cache: {}; with the cache: {}{}; the decision"
                        + " without the cache is used, and the cache is rebuilt",
                pod.key(),
                what,
                difference.plain(),
                difference.cached(),
                plugins.isEmpty() ? "" : "; plugins with stale results: " + String.join(", ", plugins),
                broken);
        cycle.attempts.onDecisionDiffers(difference);
    }

    /**
     * A decision and its inputs.
     *
     * @param feasible names of the feasible nodes, in search order
     * @param totals of these; empty if nothing was scored
     * @param details the details of the attempt
     */
    record TrialResult(Decision decision, List<String> feasible, ImmutableLongArray totals, AttemptDetails details) {
        TrialResult {
            feasible = ImmutableList.copyOf(feasible);
        }

        /**
         * The first difference from another answer, for users; null if there is none.
         *
         * @param isChoiceSame whether both use the same tie-break
         */
        @Nullable
        String difference(TrialResult other, boolean isChoiceSame) {
            if (decision.kind() != other.decision.kind()) {
                return "the outcome";
            }
            if (decision.evaluatedNodes() != other.decision.evaluatedNodes()) {
                return "the number of evaluated nodes";
            }
            if (!feasible.equals(other.feasible) || decision.feasibleNodes() != other.decision.feasibleNodes()) {
                return "the feasible nodes" + firstOf(feasible, other.feasible);
            }
            if (!decision.message().equals(other.decision.message())
                    || !decision.rejectedBy().equals(other.decision.rejectedBy())
                    || !details.rejections().equals(other.details.rejections())) {
                return "the reasons of rejected nodes";
            }
            String scores = scoreDifference(other);
            if (scores != null) {
                return scores;
            }
            if (decision.score() != other.decision.score() || details.tied() != other.details.tied()) {
                return "the best total";
            }
            return isChoiceSame && !Objects.equals(decision.node(), other.decision.node())
                    ? "the choice among " + details.tied() + " equally good nodes"
                    : null;
        }

        private static String firstOf(List<String> names, List<String> others) {
            for (int i = 0; i < Math.min(names.size(), others.size()); i++) {
                if (!names.get(i).equals(others.get(i))) {
                    return " from " + names.get(i) + " on";
                }
            }
            return "";
        }

        private @Nullable String scoreDifference(TrialResult other) {
            TreeSet<String> algorithms = scoredOtherwise(other);
            if (!algorithms.isEmpty()) {
                return "the scores of " + String.join(", ", algorithms);
            }
            if (totals.length() != other.totals.length()) {
                return "whether nodes were scored";
            }
            for (int i = 0; i < totals.length(); i++) {
                if (totals.get(i) != other.totals.get(i)) {
                    return "the total of node " + feasible.get(i) + ", " + totals.get(i) + " and "
                            + other.totals.get(i);
                }
            }
            return null;
        }

        /** The algorithms with different scores for one of the best nodes. */
        TreeSet<String> scoredOtherwise(TrialResult other) {
            Map<String, Map<String, Long>> known = other.scores();
            TreeSet<String> algorithms = new TreeSet<>();
            scores().forEach((node, scores) -> {
                Map<String, Long> others = known.getOrDefault(node, scores);
                scores.forEach((algorithm, score) -> {
                    if (!score.equals(others.get(algorithm))) {
                        algorithms.add(algorithm);
                    }
                });
            });
            return algorithms;
        }

        private Map<String, Map<String, Long>> scores() {
            Map<String, Map<String, Long>> all = new HashMap<>();
            for (AttemptDetails.Scored scored : details.best()) {
                Map<String, Long> ofNode = new HashMap<>();
                for (int i = 0; i < scored.scores().length(); i++) {
                    ofNode.put(
                            details.algorithms().get(i).name(), scored.scores().get(i));
                }
                all.put(scored.node(), ofNode);
            }
            return all;
        }

        @Override
        public String toString() {
            return (decision.isPlaced()
                            ? "node " + decision.node() + " with the total " + decision.score()
                            : "\"" + decision.message() + "\"")
                    + ", " + feasible.size() + " of " + decision.evaluatedNodes() + " evaluated nodes feasible";
        }
    }

    /** Selects the decisions to verify: a random share. Used by the scheduling thread. */
    public static final class Sample {
        private final double share;
        private final RandomGenerator random;

        /**
         * @param share of the decisions, 0 to 1
         * @param random source of the selection; not used if the share is 0 or 1
         */
        public Sample(double share, RandomGenerator random) {
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException("a share of " + share);
            }
            this.share = share;
            this.random = random;
        }

        /** Verifies no decision. */
        public static Sample none() {
            return new Sample(0, () -> 0);
        }

        /** Verifies every decision. */
        public static Sample all() {
            return new Sample(1, () -> 0);
        }

        /** Whether the next decision is to be verified. */
        public boolean takesNext() {
            return share > 0 && (share == 1 || random.nextDouble() < share);
        }
    }
}
