package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails.AttemptNotes;
import io.policyscheduler.framework.cycle.ScoreRun.Totals;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.resultcache.CachedRanking.BestNodes;
import io.policyscheduler.framework.resultcache.CachedScores;
import io.policyscheduler.framework.resultcache.CachedScores.Summand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The scores of {@link ScoreRun} for the nodes of a {@link CachedFilterRun}. Scores that depend on one node only come from its
 * ranking, scores that are equal for all nodes are added once, and the rest is computed by slot. If a plugin supports none of this,
 * or a score is out of range, the caller scores all nodes with {@link ScoreRun}.
 */
final class CachedScoreRun {
    private final Profile profile;
    private final PodContext context;
    private final CycleState state;
    private final CachedFilterRun search;
    private final @Nullable ScoreRecorder notes;

    /**
     * A plugin whose scores are computed for this pod.
     *
     * @param column its cached scores before normalizing; null if there are none
     * @param scores the scores, if they are already known
     */
    private record Part(
            int number,
            Profile.WeightedScore weighted,
            ScoreReads reads,
            @Nullable CachedScores column,
            long @Nullable [] scores) {}

    /** The cached scores of a plugin and the reduction that they were requested with. */
    private record Column(ScorePlugin plugin, Reduction reduction, CachedScores scores) {}

    private final List<Summand> summands = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();
    private final @Nullable Runnable[] queuedNotes;
    /** The sum of the scores that are equal for all nodes. */
    private long common;

    /** The best nodes of the ranking, if they determine the result; else null. */
    private @Nullable BestNodes bestNodes;

    private long @Nullable [] totals;
    private int @Nullable [] slots;
    private long best;
    private int ties;
    /** See {@link #tiedPositions}; null until first used. */
    private int @Nullable [] tied;

    private CachedScoreRun(
            Profile profile,
            PodContext context,
            CycleState state,
            CachedFilterRun search,
            @Nullable ScoreRecorder notes) {
        this.profile = profile;
        this.context = context;
        this.state = state;
        this.search = search;
        this.notes = notes;
        this.queuedNotes = new @Nullable Runnable[profile.scores().size()];
    }

    /** Whether totals of this profile can be cached: they are small, and only plugins contribute. */
    static boolean isFor(Profile profile) {
        return profile.functions().isEmpty() && !profile.scoresNothing() && Totals.highest(profile) < Integer.MAX_VALUE;
    }

    /**
     * Scores the nodes found.
     *
     * @param skipped plugins that skip scoring
     * @param notes records the scores of each algorithm; null if not recorded
     * @return null if the caller has to use {@link ScoreRun}
     */
    static @Nullable CachedScoreRun of(
            SchedulingCycle cycle,
            PodContext context,
            CycleState state,
            CachedFilterRun search,
            Set<String> skipped,
            @Nullable ScoreRecorder notes) {
        CachedScoreRun score = new CachedScoreRun(cycle.profile, context, state, search, notes);
        try {
            if (!score.run(skipped)) {
                return null;
            }
            for (Runnable note : score.queuedNotes) {
                if (note != null) {
                    note.run();
                }
            }
            return score;
        } catch (RuntimeException | LinkageError e) {
            cycle.fellBack(context.pod(), e);
            return null;
        }
    }

    private boolean run(Set<String> skipped) {
        List<Part> others = new ArrayList<>(2);
        for (int i = 0; i < profile.scores().size(); i++) {
            Profile.WeightedScore weighted = profile.scores().get(i);
            if (skipped.contains(weighted.plugin().name())) {
                continue;
            }
            ScorePlugin plugin = weighted.plugin();
            ScoreReads reads = ScoreReads.of(plugin, state, context.pod());
            OptionalLong uniform = reads.key() == null ? reads.uniform() : OptionalLong.empty();
            if (uniform.isPresent()) {
                if (!ScoreRun.isInRange(uniform.getAsLong())) {
                    return false;
                }
                addUniform(i, weighted, uniform.getAsLong());
                continue;
            }
            add(i, weighted, reads, others);
        }
        search.cache().addUp(search.ranking(), summands);
        if (others.isEmpty() && !search.hasNominees()) {
            bestNodes = BestNodes.of(search.ranking(), search.chosen());
            if (bestNodes == null) {
                return false;
            }
            best = bestNodes.total();
            ties = bestNodes.count();
            return true;
        }
        return addUp(others);
    }

    /** Classifies a plugin: cached, equal for all nodes, or computed for this pod. */
    private void add(int number, Profile.WeightedScore weighted, ScoreReads reads, List<Part> others) {
        ScorePlugin plugin = weighted.plugin();
        Object basis = reads.key();
        Reduction reduction = reads.reduction();
        CachedScores column = null;
        if (basis != null) {
            ToLongFunction<NodeInfo> score = node -> plugin.score(state, context.pod(), node);
            column = search.cache().scores(number, basis, reads.revision(), reduction, score);
            if (column == null) {
                long[] scores = new long[search.count()];
                if (reads.score(search.index(), slots(), scores.length, scores)) {
                    others.add(new Part(number, weighted, reads, null, scores));
                    return;
                }
                column = search.cache().scoresOnce(number, basis, reads.revision(), reduction, score);
            }
            columns.add(new Column(plugin, reduction, column));
        }
        if (column == null || reduction == Reduction.OTHER) {
            others.add(new Part(number, weighted, reads, column, null));
        } else if (column.isAll0()) {
            addUniform(number, weighted, reduction == Reduction.NONE ? 0 : reduction.of(0, 0));
        } else if (reduction == Reduction.NONE || search.isWhole()) {
            // The highest score is that of the nodes found; the ranking may contain more nodes.
            int part = summands.size();
            summands.add(new Summand(column, (int) weighted.weight(), reduction));
            report(
                    number,
                    () -> notes().ofNode(
                                    plugin.name(),
                                    weighted.weight(),
                                    node -> search.ranking().score(part, node.slot())));
        } else {
            others.add(new Part(number, weighted, reads, column, null));
        }
    }

    /** Names of the plugins whose cached scores are stale. */
    List<String> stale() {
        return columns.stream()
                .filter(column -> column.scores()
                        .isStale(
                                search.index(),
                                column.reduction(),
                                node -> column.plugin().score(state, context.pod(), node)))
                .map(column -> column.plugin().name())
                .toList();
    }

    private void addUniform(int number, Profile.WeightedScore weighted, long score) {
        common += score * weighted.weight();
        report(number, () -> notes().uniform(weighted.plugin().name(), weighted.weight(), score));
    }

    /** Queues a note about a plugin; notes are recorded in the order of the plugins. */
    private void report(int number, Runnable notification) {
        if (notes != null) {
            queuedNotes[number] = notification;
        }
    }

    private ScoreRecorder notes() {
        return Objects.requireNonNull(notes);
    }

    /** Adds the scores that are computed for this pod; false if a plugin cannot compute them by slot. */
    private boolean addUp(List<Part> others) {
        int count = search.count();
        int[] at = search.found();
        long[] sums = new long[count];
        for (int i = 0; i < count; i++) {
            if (!search.ranking().hasTotal(at[i])) {
                return false;
            }
            sums[i] = search.ranking().total(at[i]);
        }
        totals = sums;
        for (Part part : others) {
            if (!add(part, sums)) {
                return false;
            }
        }
        best = Long.MIN_VALUE;
        for (long total : sums) {
            if (total > best) {
                best = total;
                ties = 0;
            }
            ties += total == best ? 1 : 0;
        }
        return true;
    }

    private boolean add(Part part, long[] sums) {
        ScorePlugin plugin = part.weighted().plugin();
        long[] known = part.scores();
        long[] scores = known == null ? new long[sums.length] : known;
        if (known == null && !isScored(part, scores)) {
            return false;
        }
        long weight = part.weighted().weight();
        for (int i = 0; i < scores.length; i++) {
            if (!ScoreRun.isInRange(scores[i])) {
                return false;
            }
            sums[i] += scores[i] * weight;
        }
        report(part.number(), () -> notes().taken(plugin.name(), weight, scores));
        return true;
    }

    private boolean isScored(Part part, long[] scores) {
        ScorePlugin plugin = part.weighted().plugin();
        PodInfo pod = context.pod();
        CachedScores column = part.column();
        if (column == null) {
            if (part.reads().score(search.index(), slots(), scores.length, scores)) {
                return true;
            }
            plugin.scoreAll(state, pod, search.nodes(), scores);
        } else {
            int[] of = slots();
            for (int i = 0; i < scores.length; i++) {
                scores[i] = column.at(of[i]);
                if (scores[i] == CachedScores.NONE) {
                    return false;
                }
            }
        }
        return plugin.normalizeScores(state, pod, search.nodes(), scores).isSuccess();
    }

    private int[] slots() {
        if (slots == null) {
            slots = search.slots();
        }
        return slots;
    }

    /** The highest total. */
    long best() {
        return best + common;
    }

    /** The position of the chosen node among the best. */
    int choose(TieBreak tieBreak) {
        return tie(tieBreak.choose(ties, this::tied));
    }

    private NodeInfo tied(int number) {
        return search.nodeAt(tiedPositions()[number]);
    }

    private int tie(int number) {
        return bestNodes != null && tied == null ? bestNodes.at(number, search.start()) : tiedPositions()[number];
    }

    /** The positions of the best nodes in the order of the search. */
    private int[] tiedPositions() {
        if (tied != null) {
            return tied;
        }
        if (bestNodes != null) {
            tied = bestNodes.positions(search.start());
            return tied;
        }
        int[] at = search.found();
        int[] positions = new int[ties];
        int next = 0;
        for (int i = 0; totals != null && i < totals.length; i++) {
            if (totals[i] == best) {
                positions[next++] = at[i];
            }
        }
        tied = positions;
        return positions;
    }

    /** Records the chosen node and the other best ones. */
    void report(AttemptNotes attempt, int chosen) {
        if (totals == null && ties > AttemptDetails.MOST_BEST) {
            List<NodeInfo> nodes = new ArrayList<>(AttemptDetails.MOST_BEST);
            nodes.add(search.nodeAt(chosen));
            for (int i = 0; nodes.size() < AttemptDetails.MOST_BEST; i++) {
                int position = tie(i);
                if (position != chosen) {
                    nodes.add(search.nodeAt(position));
                }
            }
            long[] same = new long[nodes.size()];
            Arrays.fill(same, best());
            attempt.chosen(nodes, same, 0, ties);
            return;
        }
        int index = 0;
        while (search.found()[index] != chosen) {
            index++;
        }
        attempt.chosen(search.nodes(), totals(), index, ties);
    }

    /** The totals of all nodes found, in their order. */
    long[] totals() {
        int[] at = search.found();
        long[] all = new long[search.count()];
        for (int i = 0; i < all.length; i++) {
            all[i] = (totals == null ? search.ranking().total(at[i]) : totals[i]) + common;
        }
        return all;
    }
}
