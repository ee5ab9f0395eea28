package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.Taint;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.DecisionPath;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.cycle.attempt.AttemptDetails;
import io.policyscheduler.framework.cycle.attempt.AttemptListener;
import io.policyscheduler.framework.cycle.attempt.AttemptPhase;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Decisions by what is kept about the nodes are those of the path that asks every plugin about every node: the node, its total, the
 * scores of the best nodes by each algorithm, how many nodes were looked at, and the reasons of the others with their counts, while
 * nodes, pods, services, claims and promises come, change and go. {@code -DkeptWorlds=...} tries more worlds, {@code -Dseed=...} one
 * only.
 */
class KeptDecisionsTest {
    private static final int WORLDS = Integer.getInteger("keptWorlds", 40);
    private static final int DECISIONS = 50;

    private static final String ALL_REASONS = """
            {"kind": "Policy", "apiVersion": "v1", "alwaysCheckAllPredicates": true,
             "predicates": [{"name": "GeneralPredicates"}, {"name": "PodToleratesNodeTaints"}, {"name": "MatchInterPodAffinity"},
              {"name": "NoVolumeZoneConflict"}, {"name": "MaxCSIVolumeCountPred"}],
             "priorities": [{"name": "MostRequestedPriority", "weight": 3}, {"name": "TaintTolerationPriority", "weight": 2},
              {"name": "NodeAffinityPriority", "weight": 1}, {"name": "InterPodAffinityPriority", "weight": 2},
              {"name": "Few", "weight": 2, "argument": {"rule": {"expression": "10 - node.podCount", "normalize": "minmax"}}}]}
            """;

    private final AlgorithmRegistry registry = Algorithms.registry();

    @Test
    void bothPathsDecideAlike() throws PolicyException {
        Long only = Long.getLong("seed");
        TreeMap<Decision.Kind, Integer> seen = new TreeMap<>();
        for (long seed = only == null ? 1 : only; seed <= (only == null ? WORLDS : only); seed++) {
            new Lives(seed).live(seen);
        }
        assertTrue(
                only != null || seen.keySet().containsAll(List.of(Decision.Kind.PLACED, Decision.Kind.UNSCHEDULABLE)),
                seen::toString);
    }

    private static final class Heard implements AttemptListener {
        private AttemptDetails details = AttemptDetails.NONE;

        @Override
        public boolean wantsDetails() {
            return true;
        }

        @Override
        public void entered(AttemptPhase phase) {}

        @Override
        public void attempted(PodInfo pod, AttemptDetails seen) {
            details = seen;
        }

        /** Algorithms are told of in any order. */
        String told() {
            List<String> best = new ArrayList<>();
            for (AttemptDetails.Scored scored : details.best()) {
                Map<String, Long> scores = new TreeMap<>();
                for (int i = 0; i < details.algorithms().size(); i++) {
                    scores.put(
                            details.algorithms().get(i).toString(),
                            scored.scores().get(i));
                }
                best.add(scored.node() + "=" + scored.total() + scores);
            }
            return details.rejections() + " " + best + " tied " + details.tied();
        }
    }

    private final class Lives implements NominatedPods {
        private final long seed;
        private final SplittableRandom random;
        /** One for each path: in 1.17 every attempt moves the order of nodes on. */
        private final ClusterState plainState;

        private final ClusterState keptState;
        private final List<PodInfo> pending;
        private final List<PodInfo> placed = new ArrayList<>();
        private final List<Node> nodes;
        private final List<ClusterObject> services;
        private final Map<String, List<PodInfo>> promised = new TreeMap<>();
        private final Heard plainly = new Heard();
        private final Heard quickly = new Heard();
        private final SchedulingCycle plain;
        private final SchedulingCycle kept;

        Lives(long seed) throws PolicyException {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            World world = CompareWorld.of(seed, 3 + random.nextInt(150), random.nextInt(200), 30);
            this.plainState = world.state();
            this.keptState = world.state();
            this.pending = world.pending();
            this.placed.addAll(world.running());
            this.nodes = new ArrayList<>(world.nodes());
            this.services = world.objects().stream()
                    .filter(object -> object.resourceKind() == ResourceKind.SERVICES)
                    .toList();
            int percentage = List.of(100, 100, 0, 30).get(random.nextInt(4));
            this.plain = cycle(plainState, percentage, DecisionPath.PLAIN, plainly);
            this.kept = cycle(keptState, percentage, DecisionPath.KEPT, quickly);
        }

        private SchedulingCycle cycle(ClusterState state, int percentage, DecisionPath path, AttemptListener listener)
                throws PolicyException {
            return SchedulingCycle.builder(profile(state), state)
                    .percentageOfNodesToScore(percentage)
                    .tieBreak(seed % 2 == 0 ? TieBreak.roundRobin() : TieBreak.first())
                    .attempts(listener)
                    .path(path)
                    .build();
        }

        private Profile profile(ClusterState state) throws PolicyException {
            return switch ((int) (seed % 5)) {
                case 0 -> ModernProfile.defaults(state);
                case 1 -> adapted(state, Release.NEWEST, "DefaultProvider");
                case 2 -> adapted(state, new Release(17), "DefaultProvider");
                case 3 -> adapted(state, Release.NEWEST, "ClusterAutoscalerProvider");
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

        private Profile adapted(ClusterState state, Release release, String provider) throws PolicyException {
            return new ProviderAdapter(registry, name -> "")
                    .adapt(new PolicyResolver(gates(release), 1, false, registry).resolveProvider(provider), state);
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

        void live(Map<Decision.Kind, Integer> seen) {
            for (int i = 0; i < DECISIONS && !pending.isEmpty(); i++) {
                PodInfo model = pending.get(random.nextInt(Math.min(pending.size(), 8)));
                change();
                // Equal pods again and again, and a stranger at times.
                PodInfo pod = random.nextInt(6) == 0 ? pending.get(random.nextInt(pending.size())) : model;
                String where = "-Dseed=" + seed + " decision " + i + " " + pod.name();
                Decision expected = plain.decide(pod, this);
                Decision actual = kept.decide(pod, this);
                assertEquals(expected, actual, where);
                assertEquals(plainly.told(), quickly.told(), where);
                seen.merge(actual.kind(), 1, Integer::sum);
                String node = actual.node();
                if (node != null) {
                    PodInfo bound = pod.withNodeName(node);
                    placed.add(bound);
                    both(state -> state.addPod(bound));
                }
            }
        }

        private void change() {
            switch (random.nextInt(10)) {
                case 0 -> {
                    Node node = nodes.get(random.nextInt(nodes.size()));
                    both(state -> state.removeNode(node.name()));
                }
                case 1, 2 -> {
                    Node node = nodes.get(random.nextInt(nodes.size()));
                    both(state -> state.putNode(node));
                }
                case 3 -> {
                    if (!placed.isEmpty()) {
                        PodInfo gone = placed.remove(random.nextInt(placed.size()));
                        both(state -> state.removePod(gone));
                    }
                }
                case 4 -> {
                    if (!services.isEmpty()) {
                        ClusterObject service = services.get(random.nextInt(services.size()));
                        if (random.nextBoolean()) {
                            both(state -> state.removeObject(service));
                        } else {
                            both(state -> state.putObject(service));
                        }
                    }
                }
                case 5 -> promised.put(anyNode(), List.of(pending.get(random.nextInt(pending.size()))));
                case 6 -> promised.clear();
                case 7, 9 -> relabel();
                case 8 -> close(anyNode(), random.nextInt(3) == 0);
                default -> {}
            }
        }

        private void both(Consumer<ClusterState> change) {
            change.accept(plainState);
            change.accept(keptState);
        }

        private void close(String node, boolean closed) {
            both(state -> state.setClosed(node, closed));
        }

        private String anyNode() {
            return new ArrayList<>(new TreeSet<>(nodes.stream().map(Node::name).toList()))
                    .get(random.nextInt(nodes.size()));
        }

        private Node renamed(Node node, Node as) {
            return new Node(
                    as.name(),
                    as.uid(),
                    as.resourceVersion(),
                    node.labels(),
                    node.annotations(),
                    node.unschedulable(),
                    taints(node),
                    node.allocatable(),
                    node.images(),
                    node.conditions(),
                    node.zoneKey(),
                    node.kubeletVersion(),
                    node.createdMillis(),
                    node.conditionsSince());
        }

        private List<Taint> taints(Node node) {
            List<Taint> taints = new ArrayList<>(node.taints());
            for (int more = random.nextInt(3); more > 0; more--) {
                taints.add(new Taint("rather-not-" + more, "", "PreferNoSchedule"));
            }
            return taints;
        }

        /** A node gets what another one has: labels, taints, room, images. */
        private void relabel() {
            Node one = nodes.get(random.nextInt(nodes.size()));
            NodeInfo other = keptState.node(anyNode());
            if (other != null) {
                Node changed = renamed(other.node(), one);
                both(state -> state.putNode(changed));
            }
        }
    }
}
