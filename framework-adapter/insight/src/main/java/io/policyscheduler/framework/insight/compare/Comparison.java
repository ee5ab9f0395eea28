package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.insight.compare.CauseFinder.EvaluationPair;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary.Counter;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.CompareReport.ScoreSheet;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.insight.compare.SnapshotSchedulers.SchedulerResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs several schedulers on one cluster and reports how and why they differ. The first one is the reference. Pending pods are
 * decided by priority, then in snapshot order; running pods before them.
 */
public final class Comparison {
    private static final int TOP_NODES = 20;

    /**
     * The settings.
     *
     * @param mode whether all use the same state
     * @param replayBound whether running pods are decided again, each one without its own pod on the node
     * @param details whether all pods have details, not only those that differ
     * @param limit the number of differing pods with details, in addition to the first one of each cause; 0 for all
     * @param selected which pods are decided; all others stay unchanged
     */
    public record Settings(
            CompareReport.Mode mode, boolean replayBound, boolean details, int limit, Predicate<PodInfo> selected) {
        /** All pods are decided. */
        public Settings(CompareReport.Mode mode, boolean replayBound, boolean details, int limit) {
            this(mode, replayBound, details, limit, pod -> true);
        }
    }

    /** Receives the progress of a comparison. */
    @FunctionalInterface
    public interface Progress {
        /** The number of decided pods, of all pods, and of differing pods. */
        void decided(int done, int all, int differing);
    }

    private final ClusterSnapshot snapshot;
    private final WorkerPool workers;
    private final List<SchedulerSpec> sources;
    private final Settings settings;
    private final List<PodInfo> pending;
    /** One for each scheduler; with {@link CompareReport.Mode#STEPS} all are the same. */
    private final List<Stage> stages = new ArrayList<>();

    private final List<SnapshotSchedulers> pools = new ArrayList<>();
    /** The other schedulers on the reference's stage. */
    private final List<SnapshotSchedulers> onReference = new ArrayList<>();

    private final List<CauseFinder> finders = new ArrayList<>();
    private final List<Counter> counters = new ArrayList<>();
    private final List<Ties> ties = new ArrayList<>();
    private final ClusterLoads before;
    private final List<ClusterLoads> books = new ArrayList<>();
    private final int[] placed;
    private final int[] unplaced;
    private final List<PodComparison> pods = new ArrayList<>();
    private int differing;

    /** @param sources at least two, the reference first */
    public Comparison(ClusterSnapshot snapshot, List<SchedulerSpec> sources, Settings settings) {
        this(snapshot, sources, settings, WorkerPool.ONE);
    }

    /**
     * The same with several threads.
     *
     * @param threads used if all schedulers are {@linkplain SchedulerSpec#independent independent}
     */
    public Comparison(ClusterSnapshot snapshot, List<SchedulerSpec> sources, Settings settings, WorkerPool threads) {
        if (sources.size() < 2) {
            throw new IllegalArgumentException("nothing to compare with: " + sources.size());
        }
        this.snapshot = snapshot;
        this.workers = sources.stream().allMatch(SchedulerSpec::independent) ? threads : WorkerPool.ONE;
        this.sources = List.copyOf(sources);
        this.settings = settings;
        this.pending = snapshot.pending().stream()
                .filter(settings.selected())
                .sorted(Comparator.comparingInt(PodInfo::priority).reversed())
                .toList();
        this.before = new ClusterLoads(snapshot);
        this.placed = new int[sources.size()];
        this.unplaced = new int[sources.size()];
        // With several threads, each scheduler has its own copy.
        int copies = workers.count() == 1 ? 1 : sources.size();
        Stage first = new Stage(snapshot, pending, sources.get(0).volumes(), copies);
        for (SchedulerSpec source : this.sources) {
            boolean shares = stages.isEmpty() || settings.mode() == CompareReport.Mode.STEPS;
            Stage stage = shares ? first : new Stage(snapshot, pending, source.volumes(), 1);
            SnapshotSchedulers pool = new SnapshotSchedulers(source, stage.cluster(pools.size()));
            SnapshotSchedulers there = shares ? pool : new SnapshotSchedulers(source, first.cluster(pools.size()));
            if (!stages.isEmpty()) {
                finders.add(new CauseFinder(pools.get(0), there, workers));
                counters.add(new Counter(this.sources.get(0).name(), source.name()));
            }
            stages.add(stage);
            pools.add(pool);
            onReference.add(there);
            ties.add(new Ties());
            books.add(new ClusterLoads(snapshot));
        }
    }

    /** Decides all pods; called once. */
    public CompareReport run(Progress progress) {
        List<PodInfo> running =
                snapshot.running().stream().filter(settings.selected()).toList();
        List<PodInfo> bound = settings.replayBound()
                ? running.stream()
                        .filter(pod -> !pod.terminating() && !ClusterLoads.isStatic(pod))
                        .toList()
                : List.of();
        int all = bound.size() + pending.size();
        for (PodInfo pod : bound) {
            decide(pod.withNodeName(""), pod);
            progress.decided(pods.size(), all, differing);
        }
        for (PodInfo pod : pending) {
            decide(pod, null);
            progress.decided(pods.size(), all, differing);
        }
        List<ClusterSummary> summaries = new ArrayList<>();
        summaries.add(before.summary(ClusterSummary.BEFORE, 0, 0, before));
        for (int i = 0; i < sources.size(); i++) {
            summaries.add(books.get(i).summary(sources.get(i).name(), placed[i], unplaced[i], before));
        }
        return new CompareReport(
                settings.mode(),
                settings.replayBound(),
                settings.replayBound() ? running.size() - bound.size() : 0,
                sources,
                counters.stream().map(Counter::summary).toList(),
                pods,
                summaries,
                before.loads(books));
    }

    private void decide(PodInfo pod, @Nullable PodInfo bound) {
        if (bound != null) {
            for (int i = 0; i < stages.size(); i++) {
                if (isOwnStage(i)) {
                    stages.get(i).remove(bound);
                }
            }
        }
        List<SchedulerResult> decided = decideAll(pod);
        List<Difference> differences = new ArrayList<>();
        boolean detailed = settings.details();
        boolean differs = false;
        for (int i = 1; i < decided.size(); i++) {
            Difference difference = difference(i, pod, decided.get(0), decided.get(i));
            differences.add(difference);
            differs |= !difference.agreement().agrees();
            detailed |= counters.get(i - 1).add(pod.key(), difference);
        }
        if (differs) {
            differing++;
            detailed |= settings.limit() == 0 || differing <= settings.limit();
        }
        List<@Nullable String> nodes = nodes(decided);
        pods.add(new PodComparison(
                pod.key(), bound == null ? "" : bound.nodeName(), results(pod, decided, nodes, detailed), differences));
        place(pod, bound, nodes);
    }

    private List<SchedulerResult> decideAll(PodInfo pod) {
        List<Supplier<SchedulerResult>> questions = new ArrayList<>();
        for (int i = 0; i < pools.size(); i++) {
            SnapshotSchedulers pool = pools.get(i);
            Nominations nominations = stages.get(i).nominations();
            questions.add(() -> pool.decide(pod, nominations, Adjustment.NONE));
        }
        return workers.all(questions);
    }

    private boolean isOwnStage(int index) {
        return index == 0 || stages.get(index) != stages.get(0);
    }

    private Difference difference(int index, PodInfo pod, SchedulerResult reference, SchedulerResult other) {
        Agreement agreement = new EvaluationPair(reference, other).agreement();
        if (agreement.agrees()) {
            boolean otherReasons = agreement == Agreement.NEITHER
                    && ofEach(List.of(reference, other), result -> inTheWay(result.evaluation())).stream()
                                    .distinct()
                                    .count()
                            > 1;
            return Difference.none(agreement, otherReasons);
        }
        Nominations nominations = stages.get(0).nominations();
        if (!isOwnStage(index)) {
            return finders.get(index - 1).find(pod, nominations, new EvaluationPair(reference, other));
        }
        SchedulerResult there = onReference.get(index).decide(pod, nominations, Adjustment.NONE);
        EvaluationPair pair = new EvaluationPair(reference, there);
        if (!pair.agreement().agrees()) {
            Difference found = finders.get(index - 1).find(pod, nominations, pair);
            return new Difference(agreement, found.causes(), found.agreeOn());
        }
        Cause earlier = Cause.outside(
                Cause.Kind.EARLIER_PLACEMENTS,
                "pods placed before are on other nodes; with the nodes of "
                        + sources.get(0).name() + " both agree");
        return new Difference(agreement, List.of(earlier), pair.common());
    }

    /** The concepts of the filters that reject nodes, independent of names and texts; the error if there is one. */
    private static Set<Object> inTheWay(Evaluation evaluation) {
        Set<Object> all = new LinkedHashSet<>();
        if (!evaluation.fitError()) {
            all.add(String.valueOf(evaluation.error()));
        }
        new LinkedHashSet<>(evaluation.failures().values())
                .forEach(failure -> all.addAll(AlgorithmConcept.rejecting(failure)));
        return all;
    }

    private List<@Nullable String> nodes(List<SchedulerResult> decided) {
        List<@Nullable String> nodes = new ArrayList<>();
        for (int i = 0; i < decided.size(); i++) {
            nodes.add(ties.get(i).choose(decided.get(i).best(), i == 0 ? null : nodes.get(0)));
        }
        return nodes;
    }

    private List<PodComparison.Result> results(
            PodInfo pod, List<SchedulerResult> decided, List<@Nullable String> nodes, boolean detailed) {
        Set<String> names = new LinkedHashSet<>();
        List<ScoreSheet> sheets = List.of();
        if (detailed) {
            nodes.stream().filter(Objects::nonNull).forEach(names::add);
            ofEach(decided, result -> top(result.evaluation())).forEach(names::addAll);
            sheets = ofEach(decided, result -> ScoreSheet.of(result.evaluation(), names));
        }
        List<PodComparison.Result> results = new ArrayList<>();
        for (int i = 0; i < decided.size(); i++) {
            Ranking ranking = decided.get(i).ranking();
            List<String> best = ranking.best();
            results.add(new PodComparison.Result(
                    nodes.get(i),
                    best.subList(0, Math.min(best.size(), TOP_NODES)),
                    best.size(),
                    ranking.feasible().size(),
                    message(i, pod, ranking),
                    detailed ? sheets.get(i) : null));
        }
        return results;
    }

    /** Applies a function to each answer, in parallel if each scheduler has its own copy of the cluster. */
    private <T> List<T> ofEach(List<SchedulerResult> decided, Function<SchedulerResult, T> question) {
        List<Supplier<T>> questions = new ArrayList<>();
        decided.forEach(result -> questions.add(() -> question.apply(result)));
        return workers.all(questions);
    }

    private String message(int index, PodInfo pod, Ranking ranking) {
        String message = Objects.requireNonNullElse(ranking.error(), "");
        return ranking.fitError()
                ? PostFilters.withText(
                        message,
                        pools.get(index).postFilterText(pod, stages.get(index).nominations()))
                : message;
    }

    /** The best nodes, by descending total, then by name. */
    private static List<String> top(Evaluation evaluation) {
        NodeValues totals = evaluation.totals();
        int[] places = new int[TOP_NODES];
        int count = 0;
        for (int place = 0; place < totals.size(); place++) {
            int at = count;
            while (at > 0 && totals.value(places[at - 1]) < totals.value(place)) {
                at--;
            }
            if (at < TOP_NODES) {
                count = Math.min(count + 1, TOP_NODES);
                System.arraycopy(places, at, places, at + 1, count - 1 - at);
                places[at] = place;
            }
        }
        return Arrays.stream(places, 0, count).mapToObj(totals::name).toList();
    }

    private void place(PodInfo pod, @Nullable PodInfo bound, List<@Nullable String> nodes) {
        for (int i = 0; i < nodes.size(); i++) {
            String node = nodes.get(i);
            if (node == null) {
                unplaced[i]++;
            } else {
                placed[i]++;
            }
            // With the same state for all, running pods go back, so that their new places do not influence each other.
            boolean stays = bound != null && (node == null || settings.mode() == CompareReport.Mode.STEPS);
            if (bound != null && stays) {
                if (isOwnStage(i)) {
                    stages.get(i).putBack(bound);
                }
                continue;
            }
            if (node == null) {
                continue;
            }
            if (isOwnStage(i)) {
                stages.get(i).place(pod, node);
            }
            if (bound != null) {
                books.get(i).remove(bound, bound.nodeName());
            }
            books.get(i).add(pod, node);
        }
    }

    /** A copy of a cluster on which pods are placed one after the other; or several equal copies for several threads. */
    static final class Stage {
        /** More passes than the node order needs until it repeats, for any mix of zones. */
        private static final int PASSES = 100;

        private final List<ClusterState> clusters = new ArrayList<>();
        private final Nominations nominations;
        private final SchedulerSpec.Volumes volumes;

        /**
         * The initial snapshot.
         *
         * @param volumes of the scheduler whose placements are applied
         * @param copies at least one
         */
        Stage(ClusterSnapshot snapshot, List<PodInfo> pending, SchedulerSpec.Volumes volumes, int copies) {
            this.nominations = new Nominations(pending);
            this.volumes = volumes;
            for (int i = 0; i < copies; i++) {
                ClusterState cluster = snapshot.state();
                settle(cluster);
                clusters.add(cluster);
            }
        }

        /** Advances the node order until it repeats. Before, a pass may visit a node twice, so that equal attempts differ. */
        private static void settle(ClusterState cluster) {
            for (int i = 0; i < PASSES && cluster.index() == null; i++) {
                cluster.startCompleteCycle();
            }
        }

        /** The copy with a number; always the same one if there is only one. */
        ClusterState cluster(int copy) {
            return clusters.get(copy % clusters.size());
        }

        Nominations nominations() {
            return nominations;
        }

        void remove(PodInfo bound) {
            clusters.forEach(cluster -> cluster.removePod(bound));
        }

        void putBack(PodInfo bound) {
            clusters.forEach(cluster -> cluster.addPod(bound));
        }

        /** Adds the pod to the node. */
        void place(PodInfo pod, String node) {
            for (ClusterState cluster : clusters) {
                NodeInfo info = cluster.node(node);
                if (info != null) {
                    volumes.assume(cluster, pod, info);
                }
                cluster.addPod(volumes.bound(cluster, pod, node));
            }
            nominations.kept(pod);
        }
    }

    /** Selects the best nodes in turn, so that equal ones fill evenly and every run of the program has the same result. */
    static final class Ties {
        private int turn;

        /**
         * One of the best nodes; null if there is none.
         *
         * @param preferred preferred if it is among them, so that schedulers agree where they can
         */
        @Nullable
        String choose(List<String> best, @Nullable String preferred) {
            if (best.isEmpty()) {
                return null;
            }
            if (preferred != null && best.contains(preferred)) {
                return preferred;
            }
            String chosen = best.get(turn % best.size());
            turn = (turn + 1) & Integer.MAX_VALUE;
            return chosen;
        }
    }

    /** Nodes to which preemption has nominated pods that are still pending. */
    static final class Nominations implements NominatedPods {
        private final Map<String, List<PodInfo>> byNode = new LinkedHashMap<>();

        Nominations(List<PodInfo> pending) {
            for (PodInfo pod : pending) {
                if (!pod.nominatedNodeName().isEmpty()) {
                    byNode.computeIfAbsent(pod.nominatedNodeName(), node -> new ArrayList<>())
                            .add(pod);
                }
            }
        }

        @Override
        public List<PodInfo> on(String node) {
            return byNode.getOrDefault(node, List.of());
        }

        @Override
        public Collection<String> nodes() {
            return Collections.unmodifiableSet(byNode.keySet());
        }

        @Override
        public boolean isEmpty() {
            return byNode.isEmpty();
        }

        /** The pod is placed, which ends its nomination. */
        void kept(PodInfo pod) {
            List<PodInfo> nominees = byNode.get(pod.nominatedNodeName());
            if (nominees != null) {
                nominees.removeIf(other -> other.isSame(pod));
                if (nominees.isEmpty()) {
                    byNode.remove(pod.nominatedNodeName());
                }
            }
        }
    }
}
