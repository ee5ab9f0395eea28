package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares placements by other schedulers with the decisions of one scheduler, on a changing cluster. Used by one thread.
 *
 * <p>A scheduler binds pods concurrently, so that binds can arrive in another order than their decisions. A placement that differs is
 * therefore compared again with the cluster as it was if some of the binds shortly before and after it were decided in another order.
 * It agrees if in one of these orders it and the others agree. If earlier states of the cluster are known, the same is repeated without
 * the latest changes, which a scheduler does not consider if they arrive between its decision and its bind.
 */
public final class ShadowComparison {
    private static final int NAMED = 3;

    /** The cause of an agreement that needs them. */
    private static final String IMAGE_COUNTS = "with the counts of images at an earlier event of a node";

    /** How many binds before and after a bind may have been decided in another order. */
    private static final int REORDERED = 4;

    /** The same after the fact, when the number of orders matters less. */
    private static final int REORDERED_WITH_STATES = 8;

    /** How many binds at most were decided in another order, if the number of orders would be too large. */
    private static final int MOVED_WITH_STATES = 3;

    /** Each placement allows two more comparisons in another order, so that a scheduler with many differences is not slowed down. */
    private static final int COMPARISONS_PER_PLACEMENT = 2;

    private static final int MAX_COMPARISONS = 128;

    /** A comparison after the fact has the time for most orders and states. */
    private static final int COMPARISONS_WITH_STATES = 100;

    /** Most comparisons after any of the later binds that are allowed at once, and how many each placement adds. */
    private static final int MAX_SEARCHES = 20_000;

    private static final int SEARCHES_PER_PLACEMENT = 100;

    private static final Duration BIND_TIME = Duration.ofSeconds(2);

    /** The same after the fact, when nobody waits for the result. */
    private static final Duration BIND_TIME_WITH_STATES = Duration.ofSeconds(10);

    private final SnapshotScheduler scheduler;
    private final ClusterState cluster;
    private final NominatedPods nominated;
    private final RecentChanges changes;
    private final int effort;
    private final int reordered;
    private final int mostMoved;
    private final Deque<PodInfo> recent = new ArrayDeque<>();
    private final List<OpenDifference> differences = new ArrayList<>();
    private final Map<MovableBinds, List<Integer>> orders = new HashMap<>();
    private int comparisons;
    private int searches = MAX_SEARCHES;

    /**
     * A difference that later binds may explain.
     *
     * @param earliest number of changes that the other scheduler had certainly received
     * @param latest number of changes before the bind
     */
    private record OpenDifference(
            Placement placement,
            List<PodInfo> before,
            List<PodInfo> after,
            Instant until,
            long earliest,
            long latest) {}

    /**
     * The binds shortly before and after a bind.
     *
     * @param lastMoves whether the last of them moves in each order
     */
    private record MovableBinds(int size, boolean lastMoves) {
        /** Returns the binds that move in each order, as bits. Orders that differ less are more likely, and therefore first. */
        List<Integer> orders(int mostMoved) {
            int required = lastMoves ? 1 << (size - 1) : 0;
            return IntStream.range(0, 1 << size)
                    .filter(moved -> (moved & required) == required && Integer.bitCount(moved) <= mostMoved)
                    .boxed()
                    .sorted(Comparator.comparingInt(Integer::bitCount))
                    .toList();
        }
    }

    /** A comparison on {@code cluster}, which must not contain the pod to compare yet. */
    public ShadowComparison(SchedulerSpec source, ClusterState cluster) {
        this(source, cluster, NominatedPods.NONE, RecentChanges.NONE);
    }

    /**
     * A comparison on a cluster whose earlier states are known.
     *
     * @param nominated the pods that are nominated at the moment
     */
    public ShadowComparison(
            SchedulerSpec source, ClusterState cluster, NominatedPods nominated, RecentChanges changes) {
        this.cluster = cluster;
        this.nominated = nominated;
        this.changes = changes;
        this.effort = changes == RecentChanges.NONE ? 1 : COMPARISONS_WITH_STATES;
        this.reordered = changes == RecentChanges.NONE ? REORDERED : REORDERED_WITH_STATES;
        this.mostMoved = changes == RecentChanges.NONE ? 2 * REORDERED : MOVED_WITH_STATES;
        this.comparisons = MAX_COMPARISONS * effort;
        this.scheduler = source.create(cluster, TieBreak.first());
    }

    /** The recent changes of the cluster, other than compared binds and their effects. */
    public interface RecentChanges {
        /** No change can be undone. */
        RecentChanges NONE = new RecentChanges() {
            @Override
            public long count() {
                return 0;
            }

            @Override
            public long received() {
                return 0;
            }

            @Override
            public void rewind(long count) {}
        };

        /** Returns the number of changes so far. */
        long count();

        /** Returns the number of the changes that are so old that the other scheduler considers them in a decision that it binds now. */
        long received();

        /**
         * Undoes the latest changes, or applies undone ones again.
         *
         * @param count how many are in effect; between {@link #received} of any open difference and {@link #count}
         */
        void rewind(long count);
    }

    /** The finding for a pod that has a node. */
    public Finding evaluate(PodInfo pod) {
        String node = pod.nodeName();
        if (cluster.node(node) == null) {
            return finding(pod, Finding.Kind.UNDECIDED, List.of(), "node " + node + " is not known", List.of());
        }
        PodInfo waiting = pod.withNodeName("");
        Evaluation evaluation = scheduler.evaluate(waiting, nominated);
        String error = evaluation.error();
        if (error != null && !evaluation.fitError()) {
            return finding(pod, Finding.Kind.UNDECIDED, List.of(), error, List.of());
        }
        List<String> best = evaluation.best();
        if (best.contains(node)) {
            return finding(pod, Finding.Kind.SAME, best, "", List.of());
        }
        if (node.equals(pod.nominatedNodeName())
                && node.equals(scheduler
                        .decide(waiting, nominated, scheduler.newState())
                        .node())) {
            // Later releases do not evaluate other nodes if the nominated one is feasible.
            return finding(pod, Finding.Kind.SAME, best, "", List.of());
        }
        if (isBestWithImageCountsOfEvents(waiting, node, evaluation)) {
            return finding(pod, Finding.Kind.SAME, best, IMAGE_COUNTS, List.of());
        }
        NodeFailure failure = evaluation.failures().get(node);
        if (failure != null) {
            String by = Objects.requireNonNullElse(failure.plugin(), "");
            Finding.Kind kind = error == null ? Finding.Kind.NOT_THERE : Finding.Kind.NOWHERE;
            String cause = (by.isEmpty() ? "" : by + ": ") + String.join(", ", failure.reasons());
            return finding(pod, kind, best, cause, by.isEmpty() ? List.of() : List.of(by));
        }
        return byScores(pod, evaluation, best);
    }

    /**
     * Whether a node is best if the other scheduler counts the nodes with an image between the last event of each node that is known and
     * now. Before 1.29, it counts at the last event, of which those that repeat the same status are not known. Later, it counts when it
     * copies a node that has changed into its snapshot.
     */
    private boolean isBestWithImageCountsOfEvents(PodInfo pod, String node, Evaluation now) {
        if (changes == RecentChanges.NONE
                || !now.feasible().contains(node)
                || !now.scores().containsKey("ImageLocality")) {
            return false;
        }
        cluster.useImageCountsOfEvents(true);
        NodeValues then;
        try {
            then = scheduler.evaluate(pod, nominated).totals();
        } finally {
            cluster.useImageCountsOfEvents(false);
        }
        long most = Math.max(total(now.totals(), node), total(then, node));
        return now.feasible().stream()
                .allMatch(other -> Math.min(total(now.totals(), other), total(then, other)) <= most);
    }

    private static long total(NodeValues totals, String node) {
        return totals.getOrDefault(node, 0L);
    }

    /**
     * Compares a pod that has just been placed and is not in the cluster yet.
     *
     * @return the placements whose findings are final now: this one, and earlier ones that it explains. A difference is final after the
     *     next binds, or by {@link #expire}
     */
    public List<Placement> place(PodInfo pod, Instant now) {
        List<PodInfo> before = List.copyOf(recent);
        List<Placement> results = new ArrayList<>(placeUncompared(pod));
        Finding finding = evaluate(pod);
        if (finding.agrees() || finding.kind() == Finding.Kind.UNDECIDED) {
            results.add(new Placement(pod, finding, View.CURRENT));
            return results;
        }
        OpenDifference difference = new OpenDifference(
                new Placement(pod, finding, View.CURRENT),
                before,
                new ArrayList<>(),
                now.plus(changes == RecentChanges.NONE ? BIND_TIME : BIND_TIME_WITH_STATES),
                changes.received(),
                changes.count());
        Placement explained = explained(difference);
        if (explained == null) {
            differences.add(difference);
        } else {
            results.add(explained);
        }
        return results;
    }

    /** Considers a pod that has just been placed only as an explanation of earlier differences, as {@link #place} does. */
    public List<Placement> placeUncompared(PodInfo pod) {
        comparisons = Math.min(MAX_COMPARISONS * effort, comparisons + COMPARISONS_PER_PLACEMENT * effort);
        searches = Math.min(MAX_SEARCHES, searches + SEARCHES_PER_PLACEMENT);
        List<Placement> results = new ArrayList<>();
        for (Iterator<OpenDifference> each = differences.iterator(); each.hasNext(); ) {
            OpenDifference difference = each.next();
            difference.after().add(pod);
            Placement explained = explained(difference);
            if (explained != null || difference.after().size() == reordered) {
                results.add(explained == null ? afterLaterBinds(difference) : explained);
                each.remove();
            }
        }
        recent.addLast(pod);
        if (recent.size() > reordered) {
            recent.removeFirst();
        }
        return results;
    }

    /** Returns the differences that no bind can explain any longer at this time. */
    public List<Placement> expire(Instant now) {
        List<Placement> results = differences.stream()
                .filter(difference -> !difference.until().isAfter(now))
                .map(this::afterLaterBinds)
                .toList();
        differences.removeIf(difference -> !difference.until().isAfter(now));
        return results;
    }

    /**
     * Compares a placement again, in other orders of the binds and without the latest changes, and restores the cluster.
     *
     * @return null if nothing explains the placement
     */
    private @Nullable Placement explained(OpenDifference difference) {
        long current = changes.count();
        try {
            // All earlier states before more moves: a scheduler is rarely late with changes and with many binds at
            // once.
            int most = Math.min(
                    mostMoved, difference.before().size() + difference.after().size());
            for (int moves = 0; moves <= most; moves++) {
                long latest = moves == 0 ? difference.latest() - 1 : difference.latest();
                for (long count = latest; count >= difference.earliest() && comparisons > 0; count--) {
                    changes.rewind(count);
                    Finding finding = inAnotherOrder(difference, moves);
                    if (finding != null) {
                        return new Placement(
                                difference.placement().pod(),
                                finding,
                                count < difference.latest() ? View.EARLIER : View.REORDERED);
                    }
                }
            }
            return null;
        } finally {
            changes.rewind(current);
        }
    }

    /**
     * Compares a placement again after any of the later binds that agree one after the other, and restores the cluster. On a loaded
     * machine, a bind can overtake many others.
     */
    private Placement afterLaterBinds(OpenDifference difference) {
        if (changes == RecentChanges.NONE) {
            return difference.placement();
        }
        PodInfo pod = difference.placement().pod();
        long current = changes.count();
        List<@Nullable PodInfo> present = new ArrayList<>();
        try {
            changes.rewind(difference.latest());
            present.add(take(pod));
            difference.after().forEach(bind -> present.add(take(bind)));
            Finding finding = afterLaterBinds(pod, difference.after(), 0, new HashSet<>());
            return finding == null ? difference.placement() : new Placement(pod, finding, View.REORDERED);
        } finally {
            present.forEach(this::putBack);
            changes.rewind(current);
        }
    }

    /**
     * The finding for a pod after some of the binds, or more of them, if it agrees there; otherwise null.
     *
     * @param decided the binds so far, as bits. Their order does not matter, so that there are far fewer sets than orders
     * @param seen sets for which the result is null
     */
    private @Nullable Finding afterLaterBinds(PodInfo pod, List<PodInfo> binds, int decided, Set<Integer> seen) {
        if (searches <= 0 || !seen.add(decided)) {
            return null;
        }
        searches--;
        Finding finding = evaluate(pod);
        for (int i = 0; i < binds.size() && !finding.agrees() && searches > 0; i++) {
            if ((decided & 1 << i) != 0) {
                continue;
            }
            PodInfo bind = binds.get(i);
            searches--;
            if (evaluate(bind).agrees()) {
                cluster.addPod(bind);
                Finding found = afterLaterBinds(pod, binds, decided | 1 << i, seen);
                cluster.removePod(bind);
                finding = found == null ? finding : found;
            }
        }
        return finding.agrees() ? finding : null;
    }

    /**
     * Compares a placement again in other orders. In an order that explains it, all placements that changed
     * their place agree. The newest later bind moves in each order, because the orders without it have been compared.
     *
     * @param moves how many of the earlier binds and later ones move
     * @return null if no order explains the placement
     */
    private @Nullable Finding inAnotherOrder(OpenDifference difference, int moves) {
        PodInfo pod = difference.placement().pod();
        List<PodInfo> before = difference.before();
        List<PodInfo> neighbors = new ArrayList<>(before);
        neighbors.addAll(difference.after());
        MovableBinds movable =
                new MovableBinds(neighbors.size(), !difference.after().isEmpty());
        PodInfo itself = take(pod);
        List<@Nullable PodInfo> present = new ArrayList<>();
        neighbors.forEach(neighbor -> present.add(take(neighbor)));
        try {
            for (int moved : orders.computeIfAbsent(movable, any -> any.orders(mostMoved))) {
                if (comparisons <= 0) {
                    return null;
                }
                if (Integer.bitCount(moved) != moves) {
                    continue;
                }
                List<PodInfo> first = new ArrayList<>();
                List<PodInfo> last = new ArrayList<>();
                List<PodInfo> unmoved = new ArrayList<>();
                for (int i = 0; i < neighbors.size(); i++) {
                    if ((moved & 1 << i) != 0) {
                        (i < before.size() ? last : first).add(neighbors.get(i));
                    } else if (i < before.size() && present.get(i) != null) {
                        unmoved.add(neighbors.get(i));
                    }
                }
                Finding finding = inOrder(unmoved, first, pod, last);
                if (finding != null) {
                    return finding;
                }
            }
            return null;
        } finally {
            present.forEach(this::putBack);
            putBack(itself);
        }
    }

    /** The finding for {@code pod} if it and the moved pods agree, one after the other; otherwise null. */
    private @Nullable Finding inOrder(List<PodInfo> unmoved, List<PodInfo> first, PodInfo pod, List<PodInfo> last) {
        unmoved.forEach(cluster::addPod);
        first.forEach(cluster::addPod);
        Finding result = agreeing(pod);
        first.forEach(cluster::removePod);
        if (result != null) {
            List<PodInfo> order = new ArrayList<>(first);
            order.add(pod);
            order.addAll(last);
            int added = 0;
            while (added < order.size() && (added == first.size() || agreeing(order.get(added)) != null)) {
                cluster.addPod(order.get(added));
                added++;
            }
            order.subList(0, added).forEach(cluster::removePod);
            result = added == order.size() ? result : null;
        }
        unmoved.forEach(cluster::removePod);
        return result;
    }

    /** The finding for a pod if it agrees and another comparison is allowed; otherwise null. */
    private @Nullable Finding agreeing(PodInfo pod) {
        if (comparisons <= 0) {
            return null;
        }
        comparisons--;
        Finding finding = evaluate(pod);
        return finding.agrees() ? finding : null;
    }

    /** Removes a pod from the cluster, which may know a newer version of it. Returns null if it is not there. */
    private @Nullable PodInfo take(PodInfo pod) {
        NodeInfo node = cluster.node(pod.nodeName());
        for (int i = 0; node != null && i < node.podCount(); i++) {
            PodInfo known = node.pod(i);
            if (known.uid().equals(pod.uid()) && known.key().equals(pod.key())) {
                cluster.removePod(known);
                return known;
            }
        }
        return null;
    }

    private void putBack(@Nullable PodInfo pod) {
        if (pod != null) {
            cluster.addPod(pod);
        }
    }

    private record Share(String algorithm, long points) {}

    private Finding byScores(PodInfo pod, Evaluation evaluation, List<String> best) {
        String node = pod.nodeName();
        String preferred = best.get(0);
        List<Share> shares = new ArrayList<>();
        for (Map.Entry<String, NodeValues> scores : evaluation.scores().entrySet()) {
            long weight = evaluation.weights().getOrDefault(scores.getKey(), 1L);
            long ahead = scores.getValue().getOrDefault(preferred, 0L)
                    - scores.getValue().getOrDefault(node, 0L);
            if (ahead * weight > 0) {
                shares.add(new Share(scores.getKey(), ahead * weight));
            }
        }
        shares.sort(Comparator.comparingLong(Share::points).reversed());
        long gap = evaluation.totals().getOrDefault(preferred, 0L)
                - evaluation.totals().getOrDefault(node, 0L);
        List<Share> named = shares.subList(0, Math.min(NAMED, shares.size()));
        List<String> parts = new ArrayList<>();
        named.forEach(share -> parts.add(share.algorithm() + " +" + share.points()));
        long rest = gap - named.stream().mapToLong(Share::points).sum();
        if (rest != 0) {
            parts.add((rest > 0 ? "others +" : "others ") + rest);
        }
        String cause = preferred + " scores " + gap + " more in total (" + String.join(", ", parts) + ")";
        return finding(
                pod,
                Finding.Kind.OTHER_NODE,
                best,
                cause,
                shares.stream().map(Share::algorithm).toList());
    }

    private static Finding finding(
            PodInfo pod, Finding.Kind kind, List<String> best, String cause, List<String> algorithms) {
        return new Finding(pod.key(), pod.nodeName(), kind, best, cause, algorithms);
    }

    /** The state of the cluster on which a placement was compared. */
    public enum View {
        /** The state before the bind. */
        CURRENT,
        /** The state before the bind with other binds more or less. */
        REORDERED,
        /** The state before the last changes. */
        EARLIER
    }

    /**
     * A pod with its node, and the result.
     *
     * @param view the state on which it agrees; {@link View#CURRENT} if there is none
     */
    public record Placement(PodInfo pod, Finding finding, View view) {}

    /**
     * The result for a placement by another scheduler.
     *
     * @param pod {@code namespace/name}
     * @param node where it was placed
     * @param kind how the scheduler evaluates the placement
     * @param best the best nodes of the scheduler, by name; empty if there are none
     * @param cause why it disagrees, or agrees only with earlier counts of images, for users; otherwise empty
     * @param algorithms the filters that reject the node, or the scores that prefer another one, the largest share first
     */
    public record Finding(
            String pod, String node, Kind kind, List<String> best, String cause, List<String> algorithms) {
        /** The kinds of findings. */
        public enum Kind {
            /** The node is among the best ones. */
            SAME("same node"),
            /** The node is feasible, another one is better. */
            OTHER_NODE("another node"),
            /** The node is infeasible, others are feasible. */
            NOT_THERE("not on that node"),
            /** No node is feasible. */
            NOWHERE("nowhere"),
            /** Unknown node, or the decision failed. */
            UNDECIDED("undecided");

            private final String text;

            Kind(String text) {
                this.text = text;
            }

            /** For users. */
            public String text() {
                return text;
            }
        }

        public Finding {
            best = ImmutableList.copyOf(best);
            algorithms = ImmutableList.copyOf(algorithms);
        }

        /** True if the scheduler could have selected the node, too. */
        public boolean agrees() {
            return kind == Kind.SAME;
        }
    }

    /** Counts findings: how often a scheduler agrees with another one, and the causes of differences. */
    public static final class Counter {
        private final Map<Finding.Kind, Integer> kinds = new EnumMap<>(Finding.Kind.class);
        private final Map<String, Integer> causes = new TreeMap<>();
        private int evaluated;

        /** Counts a finding; a difference counts for the algorithm with the largest share. */
        public void add(Finding finding) {
            evaluated++;
            kinds.merge(finding.kind(), 1, Integer::sum);
            if (!finding.agrees() && !finding.algorithms().isEmpty()) {
                causes.merge(finding.algorithms().get(0), 1, Integer::sum);
            }
        }

        /** The number of findings. */
        public int evaluated() {
            return evaluated;
        }

        /** The number of findings of a kind. */
        public int of(Finding.Kind kind) {
            return kinds.getOrDefault(kind, 0);
        }

        /** The share of placements that agree, in percent of those that were decided; 100 if there was none. */
        public double agreement() {
            int decided = evaluated - of(Finding.Kind.UNDECIDED);
            return decided == 0 ? 100 : 100.0 * of(Finding.Kind.SAME) / decided;
        }

        /** The number of differences by the algorithm with the largest share, the most frequent first. */
        public Map<String, Integer> causes() {
            Map<String, Integer> sorted = new LinkedHashMap<>();
            causes.entrySet().stream()
                    .sorted(Map.Entry.<String, Integer>comparingByValue()
                            .reversed()
                            .thenComparing(Map.Entry.comparingByKey()))
                    .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
            return ImmutableMap.copyOf(sorted);
        }
    }
}
