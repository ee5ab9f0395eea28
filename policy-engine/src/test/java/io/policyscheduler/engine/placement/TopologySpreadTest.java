package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.placement.RequiredSpread.Result;
import io.policyscheduler.engine.placement.SpreadConstraints.Counting;
import io.policyscheduler.engine.placement.SpreadConstraints.SameKey;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.engine.testing.Unindexed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Topology spreading by the counts of an index, by a walk over all pods, and by a naive model, according to the rules of several releases,
 * in small random clusters that change. {@code -Dsnapshots=N} tries more clusters, {@code -Dseed=...} one only.
 */
class TopologySpreadTest {
    private static final int SNAPSHOTS = Integer.getInteger("snapshots", 150);
    private static final int STEPS = 12;
    private static final List<String> KEYS = List.of("kubernetes.io/hostname", "zone", "rack", "nowhere");
    private static final List<String> NAMESPACES = List.of("default", "other");
    private static final List<Counting> RULES = List.of(
            Counting.V1_17,
            Counting.of(new Release(18)),
            Counting.of(new Release(23)),
            Counting.of(new Release(25)),
            Counting.of(Release.NEWEST));

    private final Map<Result, Integer> results = new EnumMap<>(Result.class);
    private int scored;

    @Test
    void countsAreWhatANaiveModelFinds() {
        Long only = Long.getLong("seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SNAPSHOTS : only); seed++) {
            new RandomCluster(seed).run();
        }
        String summary = results + ", " + scored + " scored";
        assertTrue(only != null || (results.size() == Result.values().length && scored > 1000), summary);
        assertTrue(only != null || results.values().stream().allMatch(count -> count > 1000), summary);
    }

    /** The naive model: evaluates node by node and pod by pod. */
    private static final class Model {
        private final PodInfo pod;
        private final List<TopologySpreadConstraint> constraints;
        private final Counting counting;
        private final List<NodeInfo> nodes;
        /** By constraint: pods by domain; the same map for constraints that share their counts. */
        private final List<Map<String, Integer>> counts = new ArrayList<>();

        Model(PodInfo pod, List<TopologySpreadConstraint> constraints, Counting counting, List<NodeInfo> nodes) {
            this.pod = pod;
            this.constraints = constraints;
            this.counting = counting;
            this.nodes = nodes;
        }

        private void share() {
            counts.clear();
            for (TopologySpreadConstraint constraint : constraints) {
                Map<String, Integer> made = new HashMap<>();
                for (int i = 0; counting.sameKey() != SameKey.SEPARATE && i < counts.size(); i++) {
                    boolean same = constraints.get(i).topologyKey().equals(constraint.topologyKey());
                    made = same ? counts.get(i) : made;
                }
                counts.add(made);
            }
        }

        private static @Nullable String domain(TopologySpreadConstraint constraint, NodeInfo node) {
            return node.node().labels().get(constraint.topologyKey());
        }

        private boolean hasAllKeys(NodeInfo node) {
            return constraints.stream().allMatch(constraint -> domain(constraint, node) != null);
        }

        private boolean isEligible(TopologySpreadConstraint constraint, NodeInfo node) {
            String zone = pod.spec().nodeSelector().get("zone");
            boolean selected = zone == null || zone.equals(node.node().labels().get("zone"));
            boolean tolerated =
                    node.node().taints().isEmpty() || !pod.tolerations().isEmpty();
            return counting.v117()
                    ? selected
                    : (constraint.nodeAffinityPolicy().equals("Ignore") || selected)
                            && (!constraint.nodeTaintsPolicy().equals("Honor") || tolerated);
        }

        private int count(TopologySpreadConstraint constraint, NodeInfo node, boolean scores) {
            LabelSelector selector = constraint.selector();
            if (selector == null || (selector.isEmpty() && !counting.emptyCountsAll())) {
                return 0;
            }
            return (int) node.pods().stream()
                    .filter(other -> counting.v117() || !other.terminating())
                    .filter(other ->
                            (counting.v117() && scores) || other.namespace().equals(pod.namespace()))
                    .filter(other -> selector.matches(other.labels()))
                    .count();
        }

        Model required() {
            share();
            for (int i = 0; i < constraints.size(); i++) {
                TopologySpreadConstraint constraint = constraints.get(i);
                Map<String, Integer> found = new HashMap<>();
                for (NodeInfo node : nodes) {
                    if (hasAllKeys(node) && isEligible(constraint, node)) {
                        found.put(domain(constraint, node), 0);
                    }
                }
                for (NodeInfo node : nodes) {
                    boolean counted =
                            !counting.eligibleNodesOnly() || (hasAllKeys(node) && isEligible(constraint, node));
                    int here = counted ? count(constraint, node, false) : 0;
                    found.computeIfPresent(String.valueOf(domain(constraint, node)), (domain, before) -> before + here);
                }
                Map<String, Integer> shared = counts.get(i);
                found.forEach((domain, count) ->
                        shared.merge(domain, count, counting.sameKey() == SameKey.ADDED ? Integer::sum : (a, b) -> b));
            }
            return this;
        }

        void change(PodInfo other, NodeInfo node, int delta) {
            for (int i = 0; i < constraints.size(); i++) {
                TopologySpreadConstraint constraint = constraints.get(i);
                if (other.namespace().equals(pod.namespace())
                        && hasAllKeys(node)
                        && constraint.selector() != null
                        && constraint.selector().matches(other.labels())
                        && (counting.changesWholeDomains() || isEligible(constraint, node))
                        && (counting.eligibleNodesOnly()
                                || counts.get(i).containsKey(String.valueOf(domain(constraint, node))))) {
                    counts.get(i).merge(String.valueOf(domain(constraint, node)), delta, Integer::sum);
                }
            }
        }

        Result check(NodeInfo node) {
            if (counting.passesWithoutDomains() && counts.stream().allMatch(Map::isEmpty)) {
                return Result.PASSES;
            }
            for (int i = 0; i < constraints.size(); i++) {
                TopologySpreadConstraint constraint = constraints.get(i);
                String domain = domain(constraint, node);
                if (domain == null) {
                    return Result.NO_LABEL;
                }
                LabelSelector selector = constraint.selector();
                Map<String, Integer> of = counts.get(i);
                Integer minDomains = constraint.minDomains();
                boolean few = !counting.v117() && of.size() < (minDomains == null ? 1 : minDomains);
                int least = few ? 0 : of.isEmpty() ? Integer.MAX_VALUE : Collections.min(of.values());
                int self = selector != null && selector.matches(pod.labels()) ? 1 : 0;
                if (of.getOrDefault(domain, 0) + self - least > constraint.maxSkew()) {
                    return Result.SKEWED;
                }
            }
            return Result.PASSES;
        }

        long[] scores(boolean allKeys, List<NodeInfo> feasible, long[] before) {
            share();
            int considered = 0;
            for (NodeInfo node : feasible) {
                considered += allKeys && !hasAllKeys(node) ? 0 : 1;
            }
            double[] weights = new double[constraints.size()];
            Set<Map<String, Integer>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
            for (int i = 0; i < weights.length; i++) {
                TopologySpreadConstraint constraint = constraints.get(i);
                Set<String> open = new HashSet<>();
                for (NodeInfo node : feasible) {
                    if (!allKeys || hasAllKeys(node)) {
                        open.add(node.node().labels().getOrEmpty(constraint.topologyKey()));
                    }
                }
                boolean byHost = counting.weighs() && constraint.topologyKey().equals(KEYS.get(0));
                int domains = seen.add(counts.get(i)) ? open.size() : 0;
                weights[i] = !counting.weighs() ? 1 : StrictMath.log((byHost ? considered : domains) + 2.0);
                for (NodeInfo node : nodes) {
                    String domain = node.node().labels().getOrEmpty(constraint.topologyKey());
                    if ((!allKeys || hasAllKeys(node)) && open.contains(domain) && isEligible(constraint, node)) {
                        counts.get(i).merge(domain, count(constraint, node, true), Integer::sum);
                    }
                }
            }
            long min = Long.MAX_VALUE;
            long max = 0;
            long total = 0;
            for (int n = 0; n < before.length; n++) {
                NodeInfo node = feasible.get(n);
                double score = 0;
                if (!allKeys || hasAllKeys(node)) {
                    for (int i = 0; i < weights.length; i++) {
                        TopologySpreadConstraint constraint = constraints.get(i);
                        String domain = domain(constraint, node);
                        if (domain != null) {
                            boolean byHost = counting.weighs()
                                    && constraint.topologyKey().equals(KEYS.get(0));
                            int here = byHost
                                    ? count(constraint, node, true)
                                    : counts.get(i).getOrDefault(domain, 0);
                            score += here * weights[i] + (counting.weighs() ? constraint.maxSkew() - 1 : 0);
                        }
                    }
                    before[n] = counting.rounds() ? Math.round(score) : (long) score;
                    min = Math.min(min, before[n]);
                    max = Math.max(max, before[n]);
                    total += before[n];
                }
            }
            long[] scores = new long[before.length];
            for (int n = 0; n < scores.length; n++) {
                boolean ignored = allKeys && !hasAllKeys(feasible.get(n));
                if (!counting.weighs()) {
                    long difference = total - min;
                    scores[n] = difference == 0
                            ? 100
                            : ignored ? 0 : (long) (100.0 * ((double) (total - before[n]) / difference));
                } else {
                    scores[n] = ignored ? 0 : max == 0 ? 100 : 100 * (max + min - before[n]) / max;
                }
            }
            return scores;
        }
    }

    private final class RandomCluster {
        private final String seed;
        private final SplittableRandom random;
        private final ClusterState cluster = new ClusterState();
        private final List<PodInfo> running = new ArrayList<>();
        private int names;

        RandomCluster(long seed) {
            this.seed = "-Dseed=" + seed;
            this.random = new SplittableRandom(seed);
        }

        void run() {
            int nodes = 2 + random.nextInt(6);
            for (int i = 0; i < nodes; i++) {
                putNode(i);
            }
            for (int step = 0; step < STEPS; step++) {
                change(nodes);
                cluster.startCurrentCycle();
                if (!cluster.nodes().isEmpty()) {
                    compare();
                }
            }
        }

        private void putNode(int number) {
            NodeBuilder node = node("n" + number).label("kubernetes.io/hostname", "n" + number);
            if (percent(80)) {
                node.label("zone", percent(10) ? "" : "z" + random.nextInt(3));
            }
            if (percent(40)) {
                node.label("rack", "r" + random.nextInt(2));
            }
            if (percent(20)) {
                node.taint("dedicated", "x", "NoSchedule");
            }
            cluster.putNode(node.build());
        }

        private void change(int nodes) {
            for (int i = 0; i < 3; i++) {
                PodInfo pod = randomPod().onNode("n" + random.nextInt(nodes)).build();
                cluster.addPod(pod);
                running.add(pod);
            }
            if (percent(40) && !running.isEmpty()) {
                cluster.removePod(running.remove(random.nextInt(running.size())));
            }
            if (percent(15)) {
                cluster.removeNode("n" + random.nextInt(nodes));
            }
            if (percent(20)) {
                putNode(random.nextInt(nodes));
            }
        }

        private boolean percent(int chance) {
            return random.nextInt(100) < chance;
        }

        private <T> T of(List<T> all) {
            return all.get(random.nextInt(all.size()));
        }

        private PodBuilder randomPod() {
            PodBuilder pod = pod("p" + names++).namespace(of(NAMESPACES)).label("app", "a" + random.nextInt(3));
            if (percent(10)) {
                pod.terminating();
            }
            if (percent(20)) {
                pod.toleration("dedicated", "Exists", "", "");
            }
            if (percent(20)) {
                pod.nodeSelector("zone", "z" + random.nextInt(3));
            }
            return pod;
        }

        private @Nullable LabelSelector randomSelector() {
            if (percent(5)) {
                return null;
            }
            List<String> values = percent(30) ? List.of("a0", "a1") : List.of("a" + random.nextInt(3));
            return percent(10)
                    ? LabelSelector.EVERYTHING
                    : new LabelSelector(List.of(new LabelRequirement("app", "In", values, null)));
        }

        private List<TopologySpreadConstraint> randomConstraints() {
            List<TopologySpreadConstraint> constraints = new ArrayList<>();
            for (int i = percent(3) ? 10 : 1 + random.nextInt(3); i > 0; i--) {
                constraints.add(new TopologySpreadConstraint(
                        1 + random.nextInt(2),
                        of(KEYS.subList(0, percent(10) ? 4 : 3)),
                        "",
                        randomSelector(),
                        percent(20) ? 3 : null,
                        percent(20) ? "Ignore" : "",
                        percent(30) ? "Honor" : "",
                        List.of()));
            }
            return constraints;
        }

        private void compare() {
            PodInfo incoming = randomPod().build();
            Counting counting = of(RULES);
            List<TopologySpreadConstraint> list = randomConstraints();
            SpreadConstraints constraints = new SpreadConstraints(incoming, list, counting);
            Model model = new Model(incoming, list, counting, cluster.nodes());
            compareRequired(constraints, model.required());
            compareScores(constraints, model);
        }

        private void compareRequired(SpreadConstraints constraints, Model model) {
            RequiredSpread first = new RequiredSpread(constraints, cluster);
            RequiredSpread indexed = first.copy();
            RequiredSpread walked = new RequiredSpread(constraints, new Unindexed(cluster));
            List<Result> before = cluster.nodes().stream().map(first::check).toList();
            // As in a what-if, which changes the pods of one node.
            NodeInfo changed = of(cluster.nodes());
            for (int i = 0; i < 4; i++) {
                for (NodeInfo node : cluster.nodes()) {
                    Result result = model.check(node);
                    assertEquals(result, indexed.check(node), seed);
                    assertEquals(result, walked.check(node), seed);
                    results.merge(result, 1, Integer::sum);
                }
                PodInfo other = randomPod().build();
                if (percent(50)) {
                    indexed.add(other, changed);
                    walked.add(other, changed);
                    model.change(other, changed, 1);
                } else {
                    indexed.remove(other, changed);
                    walked.remove(other, changed);
                    model.change(other, changed, -1);
                }
            }
            assertEquals(before, cluster.nodes().stream().map(first::check).toList(), seed);
        }

        private void compareScores(SpreadConstraints constraints, Model model) {
            List<NodeInfo> feasible =
                    cluster.nodes().stream().filter(node -> percent(80)).toList();
            boolean allKeys = percent(50);
            long[] before = new long[feasible.size()];
            long[] expected = model.scores(allKeys, feasible, before);
            for (ClusterView view : List.of(cluster, new Unindexed(cluster))) {
                PreferredSpread spread = new PreferredSpread(constraints, allKeys, feasible, view);
                long[] scores = feasible.stream().mapToLong(spread::score).toArray();
                assertArrayEquals(before, scores, seed);
                spread.normalize(feasible, scores);
                assertArrayEquals(expected, scores, seed);
                ClusterIndex index = view.index();
                if (index != null) {
                    int[] slots = feasible.stream().mapToInt(NodeInfo::slot).toArray();
                    assertTrue(spread.scoreSlots(slots, slots.length, scores), seed);
                    assertArrayEquals(expected, scores, seed);
                }
            }
            scored += before.length;
        }
    }
}
