package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.framework.cycle.AttemptListener.BoundedScores;
import io.policyscheduler.framework.cycle.Extenders.ExtenderScores;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ReleaseRules;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Scores the feasible nodes for one pod: priority functions, then score plugins. */
final class ScoreRun {
    /** Scores before normalizing that are already known. */
    interface Known {
        /**
         * Fills in the scores of the plugin with this index for the feasible nodes, in their order.
         *
         * @return false if the plugin has to score; the array then has arbitrary content
         */
        boolean fill(int number, ScorePlugin plugin, long[] scores);
    }

    /** Receives each algorithm's normalized scores, in the order of the feasible nodes. */
    interface Recorder {
        void scores(String algorithm, long weight, long[] scores);
    }

    private final Profile profile;
    private final ReleaseRules rules;
    private final PodContext context;
    private final CycleState state;
    private final List<NodeInfo> nodes;
    private final Totals totals;
    private final Arithmetic sums;
    private final BoundedScores outOfRange;
    private final @Nullable ScoreRecorder notes;
    private final @Nullable Known known;
    private final Set<String> skipped = new HashSet<>();
    private long[] scores;

    /** @param known already known scores; null if every plugin has to score */
    ScoreRun(Profile profile, PodContext context, CycleState state, List<NodeInfo> nodes, @Nullable Known known) {
        this(profile, context, state, nodes, BoundedScores.NONE, null, known);
    }

    /**
     * The same with listeners.
     *
     * @param outOfRange receives clamped scores
     * @param notes receives the scores of each algorithm; null if not needed
     */
    ScoreRun(
            Profile profile,
            PodContext context,
            CycleState state,
            List<NodeInfo> nodes,
            BoundedScores outOfRange,
            @Nullable ScoreRecorder notes) {
        this(profile, context, state, nodes, outOfRange, notes, null);
    }

    private ScoreRun(
            Profile profile,
            PodContext context,
            CycleState state,
            List<NodeInfo> nodes,
            BoundedScores outOfRange,
            @Nullable ScoreRecorder notes,
            @Nullable Known known) {
        this.profile = profile;
        this.rules = profile.rules();
        this.context = context;
        this.state = state;
        this.nodes = nodes;
        this.totals = new Totals(profile, nodes.size());
        this.scores = new long[nodes.size()];
        this.sums = profile.arithmetic();
        this.outOfRange = outOfRange;
        this.notes = notes;
        this.known = known;
    }

    /** Runs PreScore and all scores; null, or the error that ends the attempt. */
    @Nullable
    String run(@Nullable Recorder recorder) {
        if (profile.scoresNothing()) {
            totals.fill(1);
            return null;
        }
        String error = runFunctions(recorder);
        if (error != null) {
            return error;
        }
        error = preScore(profile, context, state, nodes, skipped);
        return error == null ? runPlugins(recorder, skipped) : error;
    }

    /** Runs the scores after PreScore, for profiles without functions. */
    @Nullable
    String runPlugins(@Nullable Recorder recorder, Set<String> without) {
        for (int i = 0; i < profile.scores().size(); i++) {
            Profile.WeightedScore weighted = profile.scores().get(i);
            if (without.contains(weighted.plugin().name())) {
                continue;
            }
            String error = runPlugin(i, weighted.plugin(), weighted.weight(), recorder);
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    /** The same with the scores of extenders added. In addition to those, a profile without scores counts 0 per node, not 1. */
    @Nullable
    String run(@Nullable Recorder recorder, Extenders extenders) {
        if (extenders.isEmpty()) {
            return run(recorder);
        }
        String error = profile.scoresNothing() ? null : run(recorder);
        if (error != null) {
            return error;
        }
        for (ExtenderScores answer : extenders.prioritize(context.pod(), nodes)) {
            Map<String, Long> given = new HashMap<>();
            answer.scores().forEach(score -> given.merge(score.host(), score.score(), sums::add));
            for (int i = 0; i < scores.length; i++) {
                scores[i] = given.getOrDefault(nodes.get(i).name(), 0L);
            }
            totals.addExactly(scores, answer.weight());
            record(answer.extender(), answer.weight(), recorder);
        }
        return null;
    }

    private @Nullable String runFunctions(@Nullable Recorder recorder) {
        Set<String> errors = new LinkedHashSet<>();
        for (int i = 0; i < profile.functions().size(); i++) {
            WeightedPriority weighted = profile.functions().get(i);
            PodScorer scorer = weighted.priority().start(context, nodes);
            if (scorer.error() != null) {
                errors.add(scorer.error());
                continue;
            }
            scorer.scoreAll(nodes, scores);
            scorer.normalize(nodes, scores);
            if (sums == Arithmetic.SATURATING) {
                bound(weighted.priority().name());
            }
            add(weighted.priority().name(), weighted.weight(), recorder);
        }
        if (errors.isEmpty()) {
            return null;
        }
        return errors.size() == 1 ? errors.iterator().next() : "[" + String.join(", ", errors) + "]";
    }

    /** Runs PreScore; null, or the error that ends the attempt. */
    static @Nullable String preScore(
            Profile profile, PodContext context, CycleState state, List<NodeInfo> nodes, Set<String> skipped) {
        for (PreScorePlugin plugin : profile.preScores()) {
            Status status;
            try {
                status = plugin.preScore(state, context, nodes);
            } catch (RuntimeException | LinkageError e) {
                status = PluginFailures.status(plugin, e);
            }
            if (status.code() == Status.Code.SKIP) {
                skipped.add(plugin.name());
            } else if (!status.isSuccess()) {
                return profile.rules().preScore(plugin.name(), context.pod().name(), status);
            }
        }
        return null;
    }

    private @Nullable String runPlugin(int number, ScorePlugin plugin, long weight, @Nullable Recorder recorder) {
        String podName = context.pod().name();
        try {
            OptionalLong uniform = ScoreReads.of(plugin, state, context.pod()).uniform();
            if (uniform.isPresent() && recorder == null && isInRange(uniform.getAsLong())) {
                totals.addToAll(uniform.getAsLong(), weight);
                if (notes != null) {
                    notes.uniform(plugin.name(), weight, uniform.getAsLong());
                }
                return null;
            }
            if (uniform.isPresent()) {
                Arrays.fill(scores, uniform.getAsLong());
            } else {
                if (known == null || !known.fill(number, plugin, scores)) {
                    plugin.scoreAll(state, context.pod(), nodes, scores);
                }
                Status status = plugin.normalizeScores(state, context.pod(), nodes, scores);
                if (!status.isSuccess()) {
                    return rules.normalize(plugin.name(), podName, status.message());
                }
            }
        } catch (RuntimeException | LinkageError e) {
            return rules.score(
                    plugin.name(), podName, PluginFailures.status(plugin, e).message());
        }
        if (sums == Arithmetic.SATURATING && plugin instanceof InTreeScore) {
            bound(plugin.name());
        }
        for (long score : scores) {
            if (!isInRange(score)) {
                return rules.range(plugin.name(), podName, score);
            }
        }
        add(plugin.name(), weight, recorder);
        return null;
    }

    static boolean isInRange(long score) {
        return score >= ScorePlugin.MIN_SCORE && score <= ScorePlugin.MAX_SCORE;
    }

    /** Clamps scores out of range, so that an invalid score of one node does not make pods unschedulable. */
    private void bound(String algorithm) {
        for (int i = 0; i < scores.length; i++) {
            if (!isInRange(scores[i])) {
                outOfRange.bounded(algorithm, context.pod(), nodes.get(i).name(), scores[i]);
                scores[i] = Priority.bounded(scores[i]);
            }
        }
    }

    private void add(String algorithm, long weight, @Nullable Recorder recorder) {
        totals.add(scores, weight);
        record(algorithm, weight, recorder);
    }

    private void record(String algorithm, long weight, @Nullable Recorder recorder) {
        if (recorder != null) {
            recorder.scores(algorithm, weight, scores.clone());
        }
        if (notes != null) {
            scores = notes.taken(algorithm, weight, scores);
        }
    }

    /** Names of the plugins that skipped scoring. */
    Set<String> skipped() {
        return skipped;
    }

    /** Totals in the order of the feasible nodes. */
    long[] totals() {
        return totals.ofNodes();
    }

    /** The sum of the weighted scores of each feasible node. */
    static final class Totals {
        private final long[] totals;
        private final Arithmetic sums;
        /** True if weighted sums of scores in their range cannot overflow 64 bits: the normal case. */
        private final boolean plain;

        Totals(Profile profile, int nodes) {
            this.totals = new long[nodes];
            this.sums = profile.arithmetic();
            this.plain = sums == Arithmetic.WRAPPING || highest(profile) < Long.MAX_VALUE;
        }

        /** The highest possible total if every score is in its range. */
        static long highest(Profile profile) {
            long highest = 0;
            for (Profile.WeightedScore weighted : profile.scores()) {
                highest = withMost(highest, weighted.weight());
            }
            for (WeightedPriority weighted : profile.functions()) {
                highest = withMost(highest, weighted.weight());
            }
            return highest;
        }

        private static long withMost(long highest, long weight) {
            long magnitude = weight == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(weight);
            return Arithmetic.SATURATING.add(highest, Arithmetic.SATURATING.multiply(magnitude, ScorePlugin.MAX_SCORE));
        }

        /** Adds scores that are in their range, or that may wrap around. */
        void add(long[] scores, long weight) {
            if (plain) {
                for (int i = 0; i < scores.length; i++) {
                    totals[i] += scores[i] * weight;
                }
            } else {
                addExactly(scores, weight);
            }
        }

        /** Adds scores of any size. */
        void addExactly(long[] scores, long weight) {
            for (int i = 0; i < scores.length; i++) {
                totals[i] = sums.add(totals[i], sums.multiply(scores[i], weight));
            }
        }

        /** Adds a score in its range to all nodes. */
        void addToAll(long score, long weight) {
            long same = sums.multiply(score, weight);
            for (int i = 0; i < totals.length; i++) {
                totals[i] = plain ? totals[i] + same : sums.add(totals[i], same);
            }
        }

        void fill(long total) {
            Arrays.fill(totals, total);
        }

        /** In the order of the feasible nodes. */
        long[] ofNodes() {
            return totals;
        }
    }
}
