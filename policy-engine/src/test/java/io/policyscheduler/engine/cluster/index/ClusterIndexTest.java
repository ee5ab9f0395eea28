package io.policyscheduler.engine.cluster.index;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The index equals a walk over the whole cluster. {@code -Dseed=...} tries only one snapshot. */
class ClusterIndexTest {
    private static final List<String> KEYS = List.of("host", "zone", "rack");
    private static final List<String> APPS = List.of("a", "b", "c");

    private static LabelSelector app(String value) {
        return LabelSelector.of(Labels.of("app", value), List.of());
    }

    private static PodAffinityTerm term(String app, String key, String... namespaces) {
        return new PodAffinityTerm(app(app), List.of(namespaces), key, null);
    }

    private static ClusterIndex index(ClusterState state) {
        state.startCycle();
        return Objects.requireNonNull(state.index());
    }

    @Test
    void countsFollowPodsThatComeAndGo() {
        ClusterState state = cluster(
                node("n1").label("zone", "z1").build(),
                node("n2").label("zone", "z1").build(),
                node("n3").build());
        PodInfo first = pod("p1").label("app", "a").onNode("n1").build();
        PodInfo second = pod("p2").label("app", "a").onNode("n2").build();
        PodQuery query = PodQuery.alive("default", app("a"));
        assertEquals(Map.of(), byValue(state, query, "zone"));
        state.addPod(first);
        state.addPod(second);
        state.addPod(pod("p3").label("app", "a").onNode("n3").build());
        state.addPod(pod("p4").label("app", "b").onNode("n1").build());
        state.addPod(pod("p5").label("app", "a").onNode("n1").terminating().build());
        state.addPod(pod("p6").label("app", "a").namespace("other").onNode("n1").build());
        assertEquals(Map.of("z1", 2L), byValue(state, query, "zone"));
        state.removePod(second);
        assertEquals(Map.of("z1", 1L), byValue(state, query, "zone"));
        state.putNode(node("n1").label("zone", "z2").build());
        assertEquals(Map.of("z2", 1L), byValue(state, query, "zone"));
        state.removeNode("n1");
        assertEquals(Map.of(), byValue(state, query, "zone"));
        state.putNode(node("n1").label("zone", "z1").build());
        assertEquals(Map.of("z1", 1L), byValue(state, query, "zone"));
    }

    /** What was counted is subtracted, whatever the caller knows about it. */
    @Test
    void aPodGoesAsItWasCounted() {
        ClusterState state = cluster(node("n1").label("zone", "z").build());
        PodQuery query = PodQuery.alive("default", app("a"));
        state.addPod(pod("p").label("app", "a").onNode("n1").build());
        assertEquals(Map.of("z", 1L), byValue(state, query, "zone"));
        state.removePod(pod("p").label("app", "b").onNode("n1").build());
        assertEquals(Map.of(), byValue(state, query, "zone"));
        state.addPod(pod("p").label("app", "b").onNode("n1").build());
        state.removePod(pod("p").label("app", "a").onNode("n1").build());
        assertEquals(Map.of(), byValue(state, query, "zone"));
    }

    /** Pods are known before their node, and stay when its object goes. */
    @Test
    void podsOfANodeWithoutAnObjectDoNotCount() {
        ClusterState state = cluster(node("n1").build());
        PodQuery query = PodQuery.alive("default", app("a"));
        assertEquals(Map.of(), byValue(state, query, "zone"));
        state.addPod(pod("p1").label("app", "a").onNode("later").build());
        assertEquals(Map.of(), byValue(state, query, "zone"));
        state.addPod(pod("p2").label("app", "a").onNode("later").build());
        state.putNode(node("later").label("zone", "z").build());
        state.addPod(pod("p3").label("app", "a").onNode("later").build());
        assertEquals(Map.of("z", 3L), byValue(state, query, "zone"));
        state.removeNode("later");
        state.removePod(pod("p3").label("app", "a").onNode("later").build());
        assertEquals(Map.of(), byValue(state, query, "zone"));
        state.putNode(node("later").label("zone", "z").build());
        assertEquals(Map.of("z", 2L), byValue(state, query, "zone"));
    }

    /** Where v1.17's order of nodes names a node twice, only a walk over that order counts as v1.17 does. */
    @Test
    void isNotThereWhileTheOrderIsNotComplete() {
        ClusterState state = cluster(node("n1").build(), node("n2").build());
        assertNotNull(state.index());
        state.putNode(node("n3").build());
        assertNull(state.index());
        state.startCycle();
        boolean complete = state.nodes().stream().distinct().count() == 3;
        assertEquals(complete, state.index() != null);
        state.removeNode("n2");
        assertNull(state.index());
    }

    @Test
    void slotsAreThoseOfTheNodeItself() {
        ClusterState state = cluster(node("n1").build(), node("n2").build());
        ClusterIndex index = index(state);
        NodeInfo known = info(state, "n1");
        NodeInfo copy = known.copy();
        NodeInfo stranger = new NodeInfo("n1");
        stranger.setNode(node("n1").build(), Map.of());
        assertEquals(index.ownSlotOf(known), index.slotOf(copy));
        assertEquals(NodeInfo.NO_SLOT, index.ownSlotOf(copy));
        assertEquals(NodeInfo.NO_SLOT, index.slotOf(stranger));
        state.putNode(node("n1").label("zone", "z").build());
        assertEquals(NodeInfo.NO_SLOT, index.slotOf(copy), "its labels may differ by now");
    }

    @Test
    void aLateReaderSeesChangesThatTheLogHasForgotten() {
        ClusterState state =
                cluster(node("n1").label("zone", "z").build(), node("n2").build());
        PodQuery query = PodQuery.alive("default", app("a"));
        assertEquals(Map.of(), byValue(state, query, "zone"));
        state.addPod(pod("early").label("app", "a").onNode("n1").build());
        for (int i = 0; i < 20_000; i++) {
            PodInfo passing = pod("passing").onNode("n2").build();
            state.addPod(passing);
            state.removePod(passing);
        }
        assertEquals(Map.of("z", 1L), byValue(state, query, "zone"));
    }

    /** More labels than the log has entries: the classes of pods get new numbers between two readings. */
    @Test
    void countsFollowPodsOfWhichEachHasOtherLabels() {
        ClusterState state = cluster(node("n1").label("zone", "z").build());
        PodQuery query = PodQuery.alive("default", app("a"));
        assertEquals(Map.of(), byValue(state, query, "zone"));
        long expected = 0;
        for (int i = 1; i <= 20_000; i++) {
            String app = APPS.get(i % 3);
            expected += app.equals("a") ? 1 : 0;
            PodInfo pod = pod("p" + i)
                    .label("app", app)
                    .label("number", "" + i)
                    .onNode("n1")
                    .build();
            state.addPod(pod);
            if (i % 6 == 0) {
                state.removePod(pod);
                expected--;
            }
            if (i % 500 == 0) {
                assertEquals(Map.of("z", expected), byValue(state, query, "zone"), "after " + i);
            }
        }
    }

    @Test
    void invalidSelectorsAreKnown() {
        LabelSelector invalid =
                new LabelSelector(List.of(LabelRequirement.ofLabelSelector("app", "Near", List.of("x"))));
        ClusterState state = cluster(node("n1").build());
        PodInfo bad = pod("bad")
                .podAffinity(new PodAffinityTerm(invalid, List.of(), "zone", null))
                .onNode("n1")
                .build();
        assertFalse(index(state).affinityOwners().anyInvalid());
        state.addPod(bad);
        assertTrue(index(state).affinityOwners().anyInvalid());
        state.removePod(bad);
        assertFalse(index(state).affinityOwners().anyInvalid());
    }

    @Test
    void saysWhatAWalkSays() {
        Long only = Long.getLong("seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? 60 : only); seed++) {
            new RandomCluster(seed).live();
        }
    }

    private static Map<String, Long> byValue(ClusterState state, PodQuery query, String key) {
        ClusterIndex index = index(state);
        return named(state, index, key, index.counts(query).byValue(key));
    }

    private static Map<String, Long> named(ClusterState state, ClusterIndex index, String key, long[] byValue) {
        Map<String, Long> named = new TreeMap<>();
        for (NodeInfo info : state.nodes()) {
            String value = info.node().labels().get(key);
            if (value != null && byValue[index.topology(key).numberOf(value)] != 0) {
                named.put(value, byValue[index.topology(key).numberOf(value)]);
            }
        }
        return named;
    }

    /** A cluster that changes. */
    private static final class RandomCluster {
        private final long seed;
        private final SplittableRandom random;
        private final ClusterState state = new ClusterState();
        private final List<PodInfo> pods = new ArrayList<>();
        private int names;
        private int compared;

        RandomCluster(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
        }

        void live() {
            for (int step = 0; step < 150; step++) {
                change();
                if (random.nextInt(3) == 0) {
                    state.startCycle();
                    ClusterIndex index = state.index();
                    if (index != null) {
                        compare(index, step);
                        compared++;
                    }
                }
            }
            assertTrue(compared > 5, "seed " + seed);
        }

        private void change() {
            int what = random.nextInt(20);
            if (what < 3) {
                state.putNode(randomNode());
            } else if (what == 3) {
                state.removeNode("n" + random.nextInt(6));
            } else if (what < 9 && !pods.isEmpty()) {
                state.removePod(pods.remove(random.nextInt(pods.size())));
            } else if (what < 12 && !pods.isEmpty()) {
                int which = random.nextInt(pods.size());
                PodInfo before = pods.get(which);
                String node = random.nextInt(4) == 0 ? "n" + random.nextInt(6) : before.nodeName();
                PodInfo now = random.nextBoolean()
                        ? before.withNodeName(node)
                        : randomPod().uid(before.uid()).onNode(node).build();
                state.replacePod(before, now);
                pods.set(which, now);
            } else {
                PodInfo pod = randomPod().onNode("n" + random.nextInt(6)).build();
                state.addPod(pod);
                pods.add(pod);
            }
        }

        private Node randomNode() {
            int number = random.nextInt(6);
            NodeBuilder node = node("n" + number).label("host", "n" + number);
            if (random.nextInt(4) > 0) {
                node.label("zone", "z" + random.nextInt(2));
            }
            if (random.nextBoolean()) {
                node.label("rack", "r" + random.nextInt(3));
            }
            return node.build();
        }

        private String any(List<String> values) {
            return values.get(random.nextInt(values.size()));
        }

        private PodBuilder randomPod() {
            names++;
            PodBuilder pod = pod("p" + names)
                    .uid("u" + names)
                    .namespace(random.nextInt(4) == 0 ? "other" : "default")
                    .label("app", any(APPS));
            if (random.nextInt(5) == 0) {
                pod.terminating();
            }
            switch (random.nextInt(6)) {
                case 0 -> pod.podAffinity(term(any(APPS), any(KEYS)));
                case 1 -> pod.podAntiAffinity(term(any(APPS), any(KEYS)), term(any(APPS), any(KEYS), "other"));
                case 2 -> pod.preferredPodAffinity(1 + random.nextInt(9), term(any(APPS), any(KEYS)));
                case 3 -> pod.preferredPodAntiAffinity(1 + random.nextInt(9), term(any(APPS), any(KEYS)));
                default -> {}
            }
            return pod;
        }

        private void compare(ClusterIndex index, int step) {
            String where = "seed " + seed + " step " + step;
            List<NodeInfo> bySlot =
                    Arrays.stream(index.order()).mapToObj(index::at).toList();
            assertEquals(state.nodes(), bySlot, where);
            PodInfo owner = pod("owner").build();
            String app = any(APPS);
            for (String key : KEYS) {
                PodAffinityTerm here = term(app, key);
                PodAffinityTerm both = term(app, key, "default", "other");
                for (List<PodAffinityTerm> terms : List.of(List.of(here), List.of(both), List.of(here, both))) {
                    Map<String, Long> walked = new TreeMap<>();
                    for (NodeInfo node : state.nodes()) {
                        long count = node.pods().stream()
                                .filter(existing -> terms.stream().allMatch(t -> t.matches(owner, existing)))
                                .count();
                        addTo(walked, node, key, count);
                    }
                    PodQuery query = PodQuery.allOf(owner, terms);
                    assertEquals(
                            walked, named(state, index, key, index.counts(query).byValue(key)), where);
                }
            }
            compareOnNodes(index, app, where);
            for (PodsWithAffinity.Kind kind : PodsWithAffinity.Kind.values()) {
                for (String key : KEYS) {
                    compareOwners(index, kind, key, where);
                }
            }
        }

        private void compareOnNodes(ClusterIndex index, String app, String where) {
            PodCounts alive = index.counts(PodQuery.alive("default", app(app)));
            for (NodeInfo node : state.nodes()) {
                long walked = node.pods().stream()
                        .filter(existing -> !existing.terminating()
                                && existing.namespace().equals("default")
                                && existing.labels().has("app", app))
                        .count();
                assertEquals(walked, alive.at(index.ownSlotOf(node)), where + " on " + node.name());
            }
        }

        private void compareOwners(ClusterIndex index, PodsWithAffinity.Kind kind, String key, String where) {
            PodInfo incoming = pod("incoming").label("app", "a").build();
            Map<String, Long> walked = new TreeMap<>();
            for (NodeInfo node : state.nodes()) {
                for (PodInfo existing : node.podsWithAffinity()) {
                    addTo(walked, node, key, weight(existing, kind, key, incoming));
                }
            }
            long[] sums = new long[index.topology(key).valueCount()];
            for (PodsWithAffinity.GroupTerms owners : index.affinityOwners().termsMatching(incoming)) {
                if (owners.kind() == kind && owners.topologyKey().equals(key)) {
                    long factor = kind == PodsWithAffinity.Kind.PREFERRED ? owners.weight() : owners.terms();
                    owners.group().addTo(sums, index.topology(key), factor);
                }
            }
            assertEquals(walked, named(state, index, key, sums), where + " " + kind + " " + key);
        }

        private static long weight(PodInfo existing, PodsWithAffinity.Kind kind, String key, PodInfo incoming) {
            Affinity.PodTerms affinity = existing.affinity().podAffinity();
            Affinity.PodTerms anti = existing.affinity().podAntiAffinity();
            long sum = 0;
            if (kind == PodsWithAffinity.Kind.PREFERRED) {
                sum += affinity == null ? 0 : preferred(existing, affinity, key, incoming);
                return sum - (anti == null ? 0 : preferred(existing, anti, key, incoming));
            }
            Affinity.PodTerms terms = kind == PodsWithAffinity.Kind.REQUIRED ? affinity : anti;
            return terms == null
                    ? 0
                    : terms.required().stream()
                            .filter(t -> t.topologyKey().equals(key) && t.matches(existing, incoming))
                            .count();
        }

        private static long preferred(PodInfo existing, Affinity.PodTerms terms, String key, PodInfo incoming) {
            return terms.preferred().stream()
                    .filter(t -> t.term().topologyKey().equals(key) && t.term().matches(existing, incoming))
                    .mapToLong(Affinity.WeightedPodTerm::weight)
                    .sum();
        }

        private static void addTo(Map<String, Long> sums, NodeInfo node, String key, long amount) {
            String value = node.node().labels().get(key);
            if (value != null && amount != 0) {
                sums.merge(value, amount, Long::sum);
                sums.remove(value, 0L);
            }
        }
    }
}
