package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * A scheduler with cached state decides as one that has just started with the same cluster, while nodes, pods, services, and nominations change.
 * {@code -Dsnapshots=...} tries more snapshots, {@code -Dseed=...} only one.
 */
class ReuseTest {
    private static final int SNAPSHOTS = Integer.getInteger("snapshots", 45);
    private static final int STEPS = 120;
    private static final int NODES = 7;

    /** Rules of each scope, some that depend on pod names, and some that sometimes fail. */
    private static final String RULES = """
        {"kind": "Policy", "apiVersion": "v1",
         "predicates": [{"name": "GeneralPredicates"}, {"name": "PodToleratesNodeTaints"}, {"name": "MatchInterPodAffinity"},
          {"name": "Name", "argument": {"rule": {"expression": "!pod.name.endsWith('3') || node.podCount < 2"}}},
          {"name": "When", "argument": {"rule": {"expression": "node.podCount < 3", "when": "pod.name.endsWith('4')"}}},
          {"name": "Few", "argument": {"rule": {"expression": "node.podCount < 6 || pod.priority > 0"}}},
          {"name": "Zone", "argument": {"rule": {"expression":
            "node.podsInTopology('topology.kubernetes.io/zone', 'app', pod.label('app')) < 9"}}}],
         "priorities": [{"name": "LeastRequestedPriority", "weight": 1}, {"name": "TaintTolerationPriority", "weight": 2},
          {"name": "NodeAffinityPriority", "weight": 1}, {"name": "SelectorSpreadPriority", "weight": 1},
          {"name": "Max", "weight": 1, "argument": {"rule": {"expression": "100 / node.podCount", "normalize": "max"}}},
          {"name": "Plain", "weight": 2, "argument": {"rule": {"expression": "50 / (3 - node.podCount)"}}},
          {"name": "Free", "weight": 3, "argument": {"rule": {"expression": "node.freeCpu - 4 * pod.cpu",
            "normalize": "minmax"}}},
          {"name": "Names", "weight": 1, "argument": {"rule": {"expression":
            "pod.name.endsWith('1') ? 1 - node.podCount : node.podCount", "normalize": "reverse"}}},
          {"name": "WhenName", "weight": 1, "argument": {"rule": {"expression": "10 * node.podCount",
            "when": "pod.name.endsWith('5')"}}}]}
        """;

    private final AlgorithmRegistry registry = Algorithms.registry();
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);

    @Test
    void decidesLikeABeginner() throws Exception {
        Long only = Long.getLong("seed");
        int placed = 0;
        int refused = 0;
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SNAPSHOTS : only); seed++) {
            Run snapshot = new Run(seed);
            snapshot.live();
            placed += snapshot.placed;
            refused += snapshot.refused;
        }
        int total = placed + refused;
        assertTrue(placed > 100 && refused > 10, () -> "too little happens: " + total);
    }

    private final class Run {
        private final long seed;
        private final SplittableRandom random;
        private final ClusterState state = new ClusterState();
        private final SchedulingCycle experienced;
        private final Function<ClusterState, Profile> profile;
        private final Map<String, Node> nodes = new TreeMap<>();
        private final Map<String, ClusterObject> services = new TreeMap<>();
        private final List<PodInfo> pods = new ArrayList<>();
        private final Map<String, List<PodInfo>> promised = new TreeMap<>();
        private int names;
        private int placed;
        private int refused;

        Run(long seed) throws PolicyException {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.profile = switch ((int) (seed % 3)) {
                case 0 -> ModernProfile::defaults;
                case 1 -> adapted(resolver().resolveProvider("DefaultProvider"));
                default -> adapted(resolver().resolve(new PolicyReader().read(RULES, "rules.json")));
            };
            this.experienced = cycle(state);
        }

        private PolicyResolver resolver() {
            return new PolicyResolver(FeatureGates.defaults(), 1, false, registry);
        }

        private Function<ClusterState, Profile> adapted(EffectivePolicy policy) {
            return cluster -> new ProviderAdapter(registry, name -> "").adapt(policy, cluster);
        }

        private SchedulingCycle cycle(ClusterState cluster) {
            return SchedulingCycle.of(profile.apply(cluster), cluster);
        }

        void live() throws IOException {
            for (int i = 0; i < NODES; i++) {
                putNode(i);
            }
            for (int step = 0; step < STEPS; step++) {
                change();
                settle(state);
                decide("seed " + seed + " step " + step);
            }
        }

        /** Until every node was visited once; before that, the order of nodes depends on earlier attempts. */
        private void settle(ClusterState cluster) {
            cluster.startCycle();
            for (int i = 0; i < 50 && cluster.index() == null; i++) {
                cluster.startCycle();
            }
        }

        private void change() throws IOException {
            switch (random.nextInt(12)) {
                case 0, 1 -> putNode(random.nextInt(NODES));
                case 2 -> {
                    String name = "n" + random.nextInt(NODES);
                    if (nodes.size() > 1 && nodes.remove(name) != null) {
                        state.removeNode(name);
                    }
                }
                case 3, 4 -> {
                    if (!pods.isEmpty()) {
                        state.removePod(pods.remove(random.nextInt(pods.size())));
                    }
                }
                case 5 -> replaceByTerminating();
                case 6 -> changeService();
                case 7 -> promised.put("n" + random.nextInt(NODES), List.of(pod(true, "")));
                case 8 -> promised.clear();
                default -> {}
            }
        }

        private void replaceByTerminating() throws IOException {
            if (!pods.isEmpty()) {
                int at = random.nextInt(pods.size());
                PodInfo old = pods.get(at);
                state.removePod(old);
                PodInfo dying = new PodInfo(
                        old.namespace(),
                        old.name(),
                        old.uid(),
                        old.resourceVersion(),
                        old.labels(),
                        old.annotations(),
                        old.controller(),
                        true,
                        old.nodeName(),
                        old.spec(),
                        old.phase(),
                        "",
                        old.startTimeMillis(),
                        old.nominatedNodeName(),
                        old.scheduled(),
                        false,
                        PodInfo.NO_TIME,
                        List.of(),
                        0);
                pods.set(at, dying);
                state.addPod(dying);
            }
        }

        private void changeService() throws IOException {
            ObjectNode service = JsonNodeFactory.instance.objectNode().put("kind", "Service");
            service.putObject("metadata").put("name", "s").put("namespace", "default");
            service.withObject("/spec/selector").put("app", "a" + random.nextInt(3));
            ClusterObject object = read(service);
            if (services.remove("s") == null) {
                services.put("s", object);
                state.putObject(object);
            } else {
                state.removeObject(object);
            }
        }

        private void putNode(int number) throws IOException {
            ObjectNode node = JsonNodeFactory.instance.objectNode().put("kind", "Node");
            node.putObject("metadata")
                    .put("name", "n" + number)
                    .putObject("labels")
                    .put("kubernetes.io/hostname", "n" + number)
                    .put("topology.kubernetes.io/zone", "z" + random.nextInt(3));
            ObjectNode spec = node.putObject("spec");
            if (random.nextInt(6) == 0) {
                spec.put("unschedulable", true);
            }
            if (random.nextInt(4) == 0) {
                spec.putArray("taints")
                        .addObject()
                        .put("key", "k")
                        .put("effect", random.nextBoolean() ? "NoSchedule" : "PreferNoSchedule");
            }
            node.putObject("status")
                    .putObject("allocatable")
                    .put("cpu", String.valueOf(1 + random.nextInt(4)))
                    .put("memory", "4Gi")
                    .put("pods", "12");
            if (read(node) instanceof Node made) {
                nodes.put(made.name(), made);
                state.putNode(made);
            }
        }

        private PodInfo pod(boolean important, String node) throws IOException {
            names++;
            int app = random.nextInt(3);
            ObjectNode pod = JsonNodeFactory.instance.objectNode().put("kind", "Pod");
            pod.putObject("metadata")
                    .put("name", "p" + names)
                    .put("namespace", "default")
                    .put("uid", "u" + names)
                    .putObject("labels")
                    .put("app", "a" + app);
            ObjectNode spec = pod.putObject("spec").put("nodeName", node).put("priority", important ? 10 : 0);
            ObjectNode container = spec.putArray("containers").addObject().put("name", "c");
            container
                    .withObject("/resources/requests")
                    .put("cpu", (1 + app) * 200 + "m")
                    .put("memory", "300Mi");
            if (app == 2) {
                container.putArray("ports").addObject().put("hostPort", 80).put("containerPort", 80);
            }
            addAffinity(spec, app);
            return (PodInfo) read(pod);
        }

        private void addAffinity(ObjectNode spec, int app) {
            String key = random.nextBoolean() ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone";
            String kind = random.nextBoolean() ? "podAffinity" : "podAntiAffinity";
            switch (random.nextInt(5)) {
                case 0 ->
                    selector(
                            spec.withObject("/affinity/" + kind)
                                    .putArray("requiredDuringSchedulingIgnoredDuringExecution")
                                    .addObject(),
                            key,
                            app);
                case 1 ->
                    selector(
                            spec.withObject("/affinity/" + kind)
                                    .putArray("preferredDuringSchedulingIgnoredDuringExecution")
                                    .addObject()
                                    .put("weight", 5)
                                    .putObject("podAffinityTerm"),
                            key,
                            app);
                default -> {}
            }
        }

        private static void selector(ObjectNode term, String key, int app) {
            term.put("topologyKey", key)
                    .withObject("/labelSelector/matchLabels")
                    .put("app", "a" + app);
        }

        private ClusterObject read(JsonNode object) throws IOException {
            try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
                parser.nextToken();
                return Objects.requireNonNull(reader.read(parser, null));
            }
        }

        private void decide(String where) throws IOException {
            PodInfo pod = pod(false, "");
            NominatedPods nominated = new NominatedPods() {
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
            };
            ClusterState same = new ClusterState();
            nodes.values().forEach(same::putNode);
            services.values().forEach(same::putObject);
            pods.forEach(same::addPod);
            settle(same);
            Evaluation expected = cycle(same).evaluate(pod, nominated);
            Decision decision = experienced.decide(pod, nominated, experienced.newState());
            String text = where + " " + pod.name() + " " + decision + " " + expected;
            if (decision.node() == null) {
                refused++;
                assertEquals(expected.error(), decision.message(), text);
                return;
            }
            placed++;
            assertEquals(expected.feasible().size(), decision.feasibleNodes(), text);
            assertEquals(expected.best().get(0), decision.node(), text);
            if (decision.feasibleNodes() > 1) {
                assertEquals(expected.totals().get(decision.node()), decision.score(), text);
            }
            PodInfo bound = pod.withNodeName(decision.node());
            pods.add(bound);
            state.addPod(bound);
        }
    }
}
