package io.policyscheduler.framework.modern;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.engine.testing.Unindexed;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What an index knows of topology spread is what a walk over all pods finds, in small random clusters that change.
 * {@code -Dworlds=N} tries more, {@code -Dseed=...} one only.
 */
class IndexedTopologyTest {
    private static final int WORLDS = Integer.getInteger("worlds", 150);
    private static final int STEPS = 12;
    private static final List<String> KEYS = List.of("kubernetes.io/hostname", "zone", "rack", "nowhere");
    private static final List<String> NAMESPACES = List.of("default", "other");

    private int rejected;
    private int accepted;

    @Test
    void knowsWhatAWalkFinds() {
        Long only = Long.getLong("seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? WORLDS : only); seed++) {
            new World(seed).run();
        }
        assertTrue(
                only != null || Math.min(rejected, accepted) > 1000, rejected + " rejected, " + accepted + " accepted");
    }

    private final class World {
        private final String seed;
        private final SplittableRandom random;
        private final ClusterState cluster = new ClusterState();
        private final List<PodInfo> running = new ArrayList<>();
        private int names;

        World(long seed) {
            this.seed = "-Dseed=" + seed;
            this.random = new SplittableRandom(seed);
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
                compareSpread(incoming);
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
            if (percent(10)) {
                pod.terminating();
            }
            if (percent(20)) {
                pod.toleration("dedicated", "Exists", "", "");
            }
            if (percent(25)) {
                pod.podAffinity(terms(2));
            }
            if (percent(35)) {
                pod.podAntiAffinity(terms(percent(5) ? 10 : 2));
            }
            if (percent(25)) {
                pod.preferredPodAffinity(random.nextInt(3), term());
            }
            if (percent(25)) {
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
            LabelSelector ofNamespaces = percent(2) ? selector("team", List.of("a")) : null;
            return new PodAffinityTerm(randomSelector(), namespaces, of(KEYS), ofNamespaces);
        }

        private @Nullable LabelSelector randomSelector() {
            if (percent(5)) {
                return null;
            }
            return percent(10)
                    ? LabelSelector.EVERYTHING
                    : selector("app", percent(30) ? List.of("a0", "a1") : List.of("a" + random.nextInt(3)));
        }

        private static LabelSelector selector(String key, List<String> values) {
            return new LabelSelector(List.of(new LabelRequirement(key, "In", values, null)));
        }

        private void compareSpread(PodInfo incoming) {
            List<SpreadConstraint> constraints = new ArrayList<>();
            for (int i = 1 + random.nextInt(2); i > 0; i--) {
                LabelSelector selector = randomSelector();
                constraints.add(new SpreadConstraint(
                        new TopologySpreadConstraint(
                                1 + random.nextInt(2),
                                of(KEYS),
                                "",
                                selector,
                                percent(20) ? 3 : null,
                                "",
                                percent(30) ? "Honor" : "",
                                List.of()),
                        selector,
                        false));
            }
            HardSpread quick = new HardSpread(incoming, constraints, cluster, new HardSpread.Counting(true, true));
            HardSpread walked =
                    new HardSpread(incoming, constraints, new Unindexed(cluster), new HardSpread.Counting(true, true));
            PodInfo other = randomPod("").build();
            NodeInfo changed = of(cluster.nodes());
            for (int i = 0; i < 2; i++) {
                for (NodeInfo node : cluster.nodes()) {
                    Status status = walked.check(node.node());
                    assertEquals(status, quick.check(node.node()), seed);
                    accepted += status.isSuccess() ? 1 : 0;
                    rejected += status.isSuccess() ? 0 : 1;
                }
                quick.update(other, changed.node(), 1);
                walked.update(other, changed.node(), 1);
            }
            List<NodeInfo> feasible =
                    cluster.nodes().stream().filter(node -> percent(80)).toList();
            boolean allKeys = percent(50);
            SoftSpread quickSoft = new SoftSpread(incoming, constraints, allKeys, true, feasible, cluster);
            SoftSpread walkedSoft =
                    new SoftSpread(incoming, constraints, allKeys, true, feasible, new Unindexed(cluster));
            long[] one = new long[feasible.size()];
            long[] two = new long[feasible.size()];
            for (int i = 0; i < one.length; i++) {
                assertEquals(walkedSoft.score(feasible.get(i)), quickSoft.score(feasible.get(i)), seed);
                one[i] = (long) walkedSoft.score(feasible.get(i));
                two[i] = one[i];
            }
            walkedSoft.normalize(feasible, one);
            quickSoft.normalize(feasible, two);
            assertEquals(List.of(box(one)), List.of(box(two)), seed);
        }

        private static List<Long> box(long[] values) {
            List<Long> all = new ArrayList<>();
            for (long value : values) {
                all.add(value);
            }
            return all;
        }
    }
}
