package io.policyscheduler.tests;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.SchedulingCycle.DecisionPath;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Preemption from cached results equals preemption that evaluates every node: node, victims and their order, cleared nominations, and messages.
 * Nodes, pods, budgets, and nominations change between decisions. {@code -DpreemptionWorlds=...} tries more snapshots, {@code -Dseed=...} only one.
 */
class CachedPreemptionTest {
    private static final int SNAPSHOTS = Integer.getInteger("preemptionWorlds", 200);
    private static final int ROUNDS = 30;

    private static final String ALL_REASONS = """
        {"kind": "Policy", "apiVersion": "v1", "alwaysCheckAllPredicates": true,
         "predicates": [{"name": "GeneralPredicates"}, {"name": "PodToleratesNodeTaints"}, {"name": "MatchInterPodAffinity"}],
         "priorities": [{"name": "MostRequestedPriority", "weight": 3}]}
        """;

    private final AlgorithmRegistry registry = Algorithms.registry();

    @Test
    void bothPathsMakeTheSameRoom() throws PolicyException {
        Long only = Long.getLong("seed");
        Map<String, Integer> seen = new TreeMap<>();
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SNAPSHOTS : only); seed++) {
            new Lives(seed).live(seen);
        }
        assertTrue(only != null || seen.keySet().containsAll(List.of("evicted", "said", "nothing")), seen::toString);
    }

    private final class Lives implements NominatedPods {
        private final long seed;
        private final SplittableRandom random;
        /** One cycle for each path, because in 1.17 every attempt advances the start of the node order. */
        private final ClusterState plainState = new ClusterState();

        private final ClusterState keptState = new ClusterState();
        private final SchedulingCycle plain;
        private final SchedulingCycle kept;
        private final Preemption preemption;
        private final List<PodInfo> placed = new ArrayList<>();
        private final Map<String, List<PodInfo>> promised = new TreeMap<>();
        private final int nodes;
        private int serial;

        Lives(long seed) throws PolicyException {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.nodes = 2 + random.nextInt(12);
            this.preemption = new Preemption(chance(90), chance(90), chance(50));
            this.plain = cycle(plainState, DecisionPath.PLAIN);
            this.kept = cycle(keptState, DecisionPath.KEPT);
            for (int i = 0; i < nodes; i++) {
                putNode(i);
            }
            for (int i = 0; i < nodes * 5; i++) {
                place();
            }
            for (int i = 0; i < 4; i++) {
                changeBudget();
            }
        }

        private SchedulingCycle cycle(ClusterState state, DecisionPath path) throws PolicyException {
            return SchedulingCycle.builder(profile(state), state).path(path).build();
        }

        private Profile profile(ClusterState state) throws PolicyException {
            return switch ((int) (seed % 4)) {
                case 0 -> ModernProfile.defaults(state);
                case 1 -> adapted(state, Release.NEWEST);
                case 2 -> adapted(state, new Release(17));
                default ->
                    new ProviderAdapter(registry, name -> "")
                            .adapt(
                                    new PolicyResolver(gates(Release.NEWEST), 1, false, registry)
                                            .resolve(new PolicyReader().read(ALL_REASONS, "policy.json")),
                                    state);
            };
        }

        private FeatureGates gates(Release release) {
            return FeatureGates.defaults().at(release);
        }

        private Profile adapted(ClusterState state, Release release) throws PolicyException {
            return new ProviderAdapter(registry, name -> "")
                    .adapt(
                            new PolicyResolver(gates(release), 1, false, registry).resolveProvider("DefaultProvider"),
                            state);
        }

        @Override
        public List<PodInfo> on(String node) {
            return promised.getOrDefault(node, List.of());
        }

        @Override
        public Collection<String> nodes() {
            return promised.keySet();
        }

        @Override
        public boolean isEmpty() {
            return promised.isEmpty();
        }

        void live(Map<String, Integer> seen) {
            List<PodBuilder> models = List.of(preemptor(), preemptor(), preemptor());
            for (int round = 0; round < ROUNDS; round++) {
                for (int changes = random.nextInt(3); changes > 0; changes--) {
                    change();
                }
                PodBuilder model = models.get(random.nextInt(models.size()));
                int number = serial++;
                // Creates pods of the same kind repeatedly; one may have the name of a running pod.
                PodInfo pod = model.uid("p" + number)
                        .namespace(chance(90) ? "default" : "other")
                        .label("app", "a" + random.nextInt(3))
                        .nominatedTo(chance(20) ? anyNode() : "")
                        .build();
                String where = "-Dseed=" + seed + " round " + round + " " + pod;
                assertEquals(plain.decide(pod, this), kept.decide(pod, this), where);
                PreemptionPlan expected = plain.preemption().preempt(pod, this, preemption);
                PreemptionPlan actual = kept.preemption().preempt(pod, this, preemption);
                assertEquals(0, kept.fallbacks(), where);
                assertEquals(expected, actual, where);
                seen.merge(kind(actual), 1, Integer::sum);
                String node = actual.node();
                if (node != null) {
                    carryOut(pod, node, actual);
                }
            }
        }

        private String kind(PreemptionPlan room) {
            if (room.node() != null) {
                return "evicted";
            }
            return room.message().isEmpty() ? "nothing" : "said";
        }

        private void carryOut(PodInfo pod, String node, PreemptionPlan room) {
            if (chance(60)) {
                room.victims().forEach(this::remove);
                add(pod.withNodeName(node));
            } else if (chance(70)) {
                promised.computeIfAbsent(node, key -> new ArrayList<>()).add(pod);
            }
        }

        private PodBuilder preemptor() {
            PodBuilder builder = chance(5) ? pod("r" + random.nextInt(nodes * 5)) : pod("preemptor");
            builder.priority(3 + random.nextInt(5)).cpu(500 * (1 + random.nextInt(6)) + "m");
            if (chance(10)) {
                builder.preemptionPolicy("Never");
            }
            return special(builder);
        }

        private PodBuilder special(PodBuilder builder) {
            if (chance(20)) {
                builder.toleration("dedicated", "Exists", "", "");
            }
            if (chance(15)) {
                builder.nodeSelector("disk", "ssd");
            }
            if (chance(15)) {
                builder.hostPort("", "TCP", 80);
            }
            if (chance(5)) {
                builder.podAntiAffinity(new PodAffinityTerm(
                        LabelSelector.of(Labels.of("app", "a" + random.nextInt(3)), List.of()),
                        List.of(),
                        chance(50) ? "host" : "zone",
                        null));
            }
            return builder;
        }

        private void change() {
            switch (random.nextInt(10)) {
                case 0 -> {
                    String node = anyNode();
                    both(state -> state.removeNode(node));
                }
                case 1, 2 -> putNode(random.nextInt(nodes));
                case 3 -> {
                    if (!placed.isEmpty()) {
                        remove(placed.get(random.nextInt(placed.size())));
                    }
                }
                case 4, 5 -> place();
                case 6, 7 -> changeBudget();
                case 8 -> {
                    boolean closed = chance(30);
                    String node = anyNode();
                    both(state -> state.setClosed(node, closed));
                }
                default -> {
                    if (chance(50)) {
                        promised.clear();
                    } else {
                        promised.put(
                                anyNode(),
                                new ArrayList<>(List.of(filler("n" + serial++).build())));
                    }
                }
            }
        }

        private String anyNode() {
            return "node-" + random.nextInt(nodes);
        }

        private void putNode(int number) {
            NodeBuilder builder = node("node-" + number)
                    .cpu(2 + random.nextInt(4) + "")
                    .memory("16Gi")
                    .pods(8)
                    .label("host", "node-" + number);
            if (chance(80)) {
                builder.label("zone", "z" + number % 3);
            }
            if (chance(50)) {
                builder.label("disk", "ssd");
            }
            if (chance(15)) {
                builder.taint("dedicated", "db", "NoSchedule");
            }
            if (chance(5)) {
                builder.unschedulable();
            }
            Node made = builder.build();
            both(state -> state.putNode(made));
        }

        private PodBuilder filler(String name) {
            PodBuilder builder = pod(name)
                    .uid(name)
                    .namespace(chance(90) ? "default" : "other")
                    .priority(random.nextInt(6))
                    .cpu(250 * (1 + random.nextInt(6)) + "m");
            if (chance(80)) {
                builder.label("app", "a" + random.nextInt(3));
            }
            if (chance(70)) {
                builder.startTime(1000 + random.nextInt(4));
            }
            if (chance(10)) {
                builder.terminating();
            }
            return special(builder);
        }

        private void place() {
            add(filler("r" + serial++).onNode(anyNode()).build());
        }

        private void add(PodInfo pod) {
            placed.add(pod);
            both(state -> state.addPod(pod));
        }

        private void remove(PodInfo pod) {
            placed.removeIf(pod::isSame);
            both(state -> state.removePod(pod));
        }

        private void changeBudget() {
            int number = random.nextInt(4);
            String name = "b" + number;
            String namespace = chance(80) ? "default" : "other";
            // Most changes affect only the allowed disruptions.
            int app = chance(80) ? number : random.nextInt(4);
            DisruptionBudgetInfo budget = new DisruptionBudgetInfo(
                    namespace,
                    name,
                    chance(5) ? null : LabelSelector.of(Labels.of("app", "a" + app), List.of()),
                    random.nextInt(5) - 1,
                    chance(20) ? Set.of("r" + random.nextInt(nodes * 5)) : Set.of());
            if (chance(20)) {
                both(state -> state.removeObject(budget));
            } else {
                both(state -> state.putObject(budget));
            }
        }

        private boolean chance(int percent) {
            return random.nextInt(100) < percent;
        }

        private void both(Consumer<ClusterState> change) {
            change.accept(plainState);
            change.accept(keptState);
        }
    }
}
