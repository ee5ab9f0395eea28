package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.WeightedPodTerm;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PodAffinityTerms.Reading;
import io.policyscheduler.engine.placement.RequiredPodAffinity.Result;
import io.policyscheduler.engine.placement.RequiredPodAffinity.Rules;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.engine.testing.Unindexed;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Inter-pod affinity by the counts of an index, by a walk over all pods, and by a naive model, in small random clusters that change.
 * {@code -Dsnapshots=N} tries more clusters, {@code -Dseed=...} one only.
 */
class PodAffinityTest {
    private static final int SNAPSHOTS = Integer.getInteger("snapshots", 150);
    private static final int STEPS = 12;
    private static final List<String> KEYS = List.of("kubernetes.io/hostname", "zone", "rack", "nowhere");
    private static final List<String> NAMESPACES = List.of("default", "other");

    private final Map<Result, Integer> results = new EnumMap<>(Result.class);
    private int scored;
    private int bySlot;

    @Test
    void countsAreWhatANaiveModelFinds() {
        Long only = Long.getLong("seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SNAPSHOTS : only); seed++) {
            new RandomCluster(seed).run();
        }
        String summary = results + ", " + scored + " scored, " + bySlot + " by slot";
        assertTrue(
                only != null || (results.size() == Result.values().length && Math.min(scored, bySlot) > 1000), summary);
        assertTrue(only != null || results.values().stream().allMatch(count -> count > 1000), summary);
    }

    /** A pod that counts on a node with these labels; {@code added} by a simulated change. */
    private record Counted(PodInfo pod, Labels node, boolean added) {}

    /** The naive model: evaluates one pair of pods after the other. */
    private static final class Model {
        private final PodInfo pod;
        private final ClusterView cluster;
        private final Reading reading;
        private final Rules rules;
        private final List<Counted> counted = new ArrayList<>();

        Model(PodInfo pod, ClusterView cluster, Reading reading, Rules rules) {
            this.pod = pod;
            this.cluster = cluster;
            this.reading = reading;
            this.rules = rules;
            for (NodeInfo node : cluster.nodes()) {
                node.pods()
                        .forEach(other ->
                                counted.add(new Counted(other, node.node().labels(), false)));
            }
        }

        void add(PodInfo other, NodeInfo node) {
            counted.add(new Counted(other, node.node().labels(), true));
        }

        boolean remove(PodInfo other) {
            return counted.removeIf(one -> one.pod().name().equals(other.name()));
        }

        private boolean isMeant(PodInfo owner, PodAffinityTerm term, PodInfo other) {
            LabelSelector selector = term.selector();
            return selector != null && selector.matches(other.labels()) && isInNamespace(owner, term, other);
        }

        private boolean isInNamespace(PodInfo owner, PodAffinityTerm term, PodInfo other) {
            LabelSelector selector = reading == Reading.NAMES ? null : term.namespaceSelector();
            if (selector == null) {
                return term.namespaces().isEmpty()
                        ? owner.namespace().equals(other.namespace())
                        : term.namespaces().contains(other.namespace());
            }
            NamespaceInfo known = cluster.namespace(other.namespace());
            boolean matches = known == null
                    ? selector.isEmpty() || (owner != pod && selector.matches(Labels.EMPTY))
                    : selector.matches(known.labels());
            boolean everywhere =
                    owner == pod && reading == Reading.SELECTORS_WITHOUT_LABELS && selector.matches(Labels.EMPTY);
            return term.namespaces().contains(other.namespace()) || matches || everywhere;
        }

        private static boolean isSame(PodAffinityTerm term, Labels one, Labels other) {
            String value = one.get(term.topologyKey());
            return value != null && value.equals(other.get(term.topologyKey()));
        }

        private boolean isEarly() {
            return rules == Rules.V1_17 || rules == Rules.V1_18;
        }

        Result check(NodeInfo at) {
            Labels labels = at.node().labels();
            boolean existing = false;
            for (Counted one : counted) {
                for (PodAffinityTerm term : required(one.pod().affinity().podAntiAffinity())) {
                    existing |= isMeant(one.pod(), term, pod) && isSame(term, one.node(), labels);
                }
            }
            if (existing && rules != Rules.V1_19) {
                return Result.EXISTING_ANTI_AFFINITY;
            }
            if (!hasMatching(labels)) {
                return Result.AFFINITY;
            }
            List<PodAffinityTerm> avoided = required(pod.affinity().podAntiAffinity());
            for (Counted one : bound()) {
                boolean byEvery = one.added()
                        && rules == Rules.V1_17
                        && avoided.stream().anyMatch(term -> isMeant(pod, term, one.pod()));
                for (PodAffinityTerm term : avoided) {
                    if ((byEvery || isMeant(pod, term, one.pod())) && isSame(term, one.node(), labels)) {
                        return Result.ANTI_AFFINITY;
                    }
                }
            }
            return existing ? Result.EXISTING_ANTI_AFFINITY : Result.PASSES;
        }

        private List<Counted> bound() {
            return counted.stream()
                    .filter(one -> !isEarly() || !one.pod().nodeName().isEmpty())
                    .toList();
        }

        private boolean hasMatching(Labels labels) {
            List<PodAffinityTerm> terms = required(pod.affinity().podAffinity());
            List<Counted> matching = bound().stream()
                    .filter(one -> terms.stream().allMatch(term -> isMeant(pod, term, one.pod())))
                    .toList();
            boolean everywhere = terms.stream()
                    .allMatch(term -> matching.stream().anyMatch(one -> isSame(term, one.node(), labels)));
            boolean anywhere = terms.stream()
                    .anyMatch(
                            term -> matching.stream().anyMatch(one -> one.node().has(term.topologyKey())));
            boolean self = terms.stream().allMatch(term -> isMeant(pod, term, pod));
            boolean hasKeys = isEarly() || terms.stream().allMatch(term -> labels.has(term.topologyKey()));
            return hasKeys && (everywhere || (!anywhere && self));
        }

        /** Returns the sum for a node with these labels; null if no term concerns it. */
        @Nullable
        Long score(Labels labels, int requiredWeight) {
            List<Long> weights = new ArrayList<>();
            for (Counted one : counted) {
                weigh(pod, one.pod(), pod.affinity().podAffinity(), 1, one.node(), labels, weights);
                weigh(pod, one.pod(), pod.affinity().podAntiAffinity(), -1, one.node(), labels, weights);
                Affinity other = one.pod().affinity();
                weigh(one.pod(), pod, other.podAffinity(), 1, one.node(), labels, weights);
                weigh(one.pod(), pod, other.podAntiAffinity(), -1, one.node(), labels, weights);
                for (PodAffinityTerm term : required(requiredWeight > 0 ? other.podAffinity() : null)) {
                    if (isMeant(one.pod(), term, pod) && isSame(term, one.node(), labels)) {
                        weights.add((long) requiredWeight);
                    }
                }
            }
            return weights.isEmpty()
                    ? null
                    : weights.stream().mapToLong(Long::longValue).sum();
        }

        private void weigh(
                PodInfo owner,
                PodInfo other,
                Affinity.@Nullable PodTerms terms,
                long sign,
                Labels node,
                Labels labels,
                List<Long> weights) {
            for (WeightedPodTerm weighted : terms == null ? List.<WeightedPodTerm>of() : terms.preferred()) {
                if (isMeant(owner, weighted.term(), other) && isSame(weighted.term(), node, labels)) {
                    weights.add(sign * weighted.weight());
                }
            }
        }

        private static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
            return terms == null ? List.of() : terms.required();
        }
    }

    private final class RandomCluster {
        private final String seed;
        private final SplittableRandom random;
        private final ClusterState cluster = new ClusterState();
        private final List<PodInfo> running = new ArrayList<>();
        private final int selecting;
        private int names;

        RandomCluster(long seed) {
            this.seed = "-Dseed=" + seed;
            this.random = new SplittableRandom(seed);
            this.selecting = percent(40) ? 20 : 0;
        }

        void run() {
            int nodes = 2 + random.nextInt(6);
            for (int i = 0; i < nodes; i++) {
                putNode(i);
            }
            if (percent(50)) {
                cluster.putObject(new NamespaceInfo("other", Labels.of("team", "a")));
            }
            for (int step = 0; step < STEPS; step++) {
                change(nodes);
                cluster.startCurrentCycle();
                if (cluster.nodes().isEmpty()) {
                    continue;
                }
                PodInfo incoming = randomPod("").build();
                for (Reading reading : Reading.values()) {
                    compareRequired(incoming, reading, rules(reading));
                    comparePreferred(incoming, reading);
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
            cluster.putNode(node.build());
        }

        private void change(int nodes) {
            for (int i = 0; i < 3; i++) {
                PodInfo pod = randomPod("n" + random.nextInt(nodes)).build();
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

        private PodBuilder randomPod(String node) {
            PodBuilder pod = pod("p" + names++)
                    .namespace(of(NAMESPACES))
                    .label("app", "a" + random.nextInt(3))
                    .onNode(node);
            if (percent(25)) {
                pod.podAffinity(terms(2));
            }
            if (percent(35)) {
                pod.podAntiAffinity(terms(percent(5) ? 10 : 2));
            }
            if (percent(25)) {
                pod.preferredPodAffinity(random.nextInt(3), term());
            }
            for (int i = percent(3) ? 10 : percent(25) ? 1 : 0; i > 0; i--) {
                pod.preferredPodAntiAffinity(1 + random.nextInt(3), term());
            }
            return pod;
        }

        private PodAffinityTerm[] terms(int most) {
            PodAffinityTerm[] terms = new PodAffinityTerm[1 + random.nextInt(most)];
            for (int i = 0; i < terms.length; i++) {
                terms[i] = term();
            }
            return terms;
        }

        private PodAffinityTerm term() {
            List<String> namespaces = percent(20) ? List.of(of(NAMESPACES)) : percent(10) ? NAMESPACES : List.of();
            LabelSelector ofNamespaces = percent(selecting) ? namespaceSelector() : null;
            return new PodAffinityTerm(randomSelector(), namespaces, of(KEYS), ofNamespaces);
        }

        private LabelSelector namespaceSelector() {
            return percent(20)
                    ? LabelSelector.EVERYTHING
                    : selector("team", percent(50) ? "In" : "NotIn", List.of("a"));
        }

        private @Nullable LabelSelector randomSelector() {
            if (percent(5)) {
                return null;
            }
            return percent(10)
                    ? LabelSelector.EVERYTHING
                    : selector("app", "In", percent(30) ? List.of("a0", "a1") : List.of("a" + random.nextInt(3)));
        }

        private static LabelSelector selector(String key, String operator, List<String> values) {
            return new LabelSelector(List.of(new LabelRequirement(key, operator, values, null)));
        }

        private Rules rules(Reading reading) {
            if (reading == Reading.NAMES) {
                return percent(70) ? Rules.V1_17 : Rules.V1_18;
            }
            return percent(50) ? Rules.EXISTING_FIRST : Rules.V1_19;
        }

        private void compareRequired(PodInfo incoming, Reading reading, Rules rules) {
            Model model = new Model(incoming, cluster, reading, rules);
            RequiredPodAffinity indexed = required(incoming, cluster, reading, rules);
            RequiredPodAffinity walked = required(incoming, new Unindexed(cluster), reading, rules);
            if (indexed.passesAll()) {
                assertTrue(cluster.nodes().stream().allMatch(node -> model.check(node) == Result.PASSES), seed);
            }
            compare(model, indexed, walked);
            SlotPredicate slots = indexed.bySlot(Objects.requireNonNull(cluster.index()));
            for (NodeInfo node : cluster.nodes()) {
                if (slots == null) {
                    break;
                }
                assertEquals(
                        model.check(node) == Result.PASSES,
                        slots.test(Objects.requireNonNull(cluster.index()).slotOf(node)),
                        seed);
                bySlot++;
            }
            RequiredPodAffinity indexedCopy = indexed.copy();
            RequiredPodAffinity walkedCopy = walked.copy();
            Model changed = new Model(incoming, cluster, reading, rules);
            for (int i = 0; i < 3; i++) {
                NodeInfo node = of(cluster.nodes());
                PodInfo removed = node.podCount() > 0 && percent(50) ? of(node.pods()) : null;
                if (removed == null) {
                    PodInfo added = randomPod(percent(50) ? node.name() : "").build();
                    changed.add(added, node);
                    indexedCopy.add(added, node);
                    walkedCopy.add(added, node);
                } else if (changed.remove(removed)) {
                    indexedCopy.remove(removed, node);
                    walkedCopy.remove(removed, node);
                }
                compare(changed, indexedCopy, walkedCopy);
            }
            compare(model, indexed, walked);
        }

        private static RequiredPodAffinity required(PodInfo incoming, ClusterView view, Reading reading, Rules rules) {
            return new RequiredPodAffinity(new PodAffinityTerms(incoming, view, reading), view, rules);
        }

        private void compare(Model model, RequiredPodAffinity... all) {
            for (NodeInfo node : nodesAndCopies()) {
                Result expected = model.check(node);
                for (RequiredPodAffinity one : all) {
                    assertEquals(expected, one.check(node), seed);
                }
                results.merge(expected, 1, Integer::sum);
            }
        }

        private void comparePreferred(PodInfo incoming, Reading reading) {
            int requiredWeight = random.nextInt(3);
            Model model = new Model(incoming, cluster, reading, Rules.V1_19);
            List<ClusterView> views = List.of(cluster, new Unindexed(cluster));
            for (ClusterView view : views) {
                PreferredPodAffinity preferred = new PreferredPodAffinity(
                        new PodAffinityTerms(incoming, view, reading), view, requiredWeight, percent(50));
                boolean touched = false;
                for (NodeInfo node : nodesAndCopies()) {
                    Long expected = model.score(node.node().labels(), requiredWeight);
                    assertEquals(expected == null ? 0 : expected, preferred.score(node), seed);
                    touched |= expected != null;
                    scored += expected == null || expected == 0 ? 0 : 1;
                }
                assertEquals(touched, !preferred.isEmpty(), seed);
            }
        }

        private List<NodeInfo> nodesAndCopies() {
            List<NodeInfo> all = new ArrayList<>(cluster.nodes());
            cluster.nodes().forEach(node -> all.add(node.copy()));
            return all;
        }
    }
}
