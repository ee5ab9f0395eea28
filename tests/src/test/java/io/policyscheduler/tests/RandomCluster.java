package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A random scheduling problem in the form of the recordings. */
final class RandomCluster {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Priorities that exist only with an argument. */
    private static final Set<String> BY_ARGUMENT = Set.of(
            KnownAlgorithms.NODE_LABEL,
            KnownAlgorithms.SERVICE_AFFINITY,
            KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO,
            KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE,
            KnownAlgorithms.CHECK_SERVICE_AFFINITY);

    private static final String EVEN_SPREAD = "EvenPodsSpread";
    private static final String RESOURCE_LIMITS = "ResourceLimitsPriorityFunction";
    private static final int SHARED_GATES = 64;

    private final RandomValues random;
    private final AlgorithmRegistry registry;
    private final boolean badSelectors;
    private final boolean evenSpread;
    private final boolean resourceLimits;

    /** Null if each snapshot has feature gates of its own, and rules in its policy. */
    private final @Nullable Map<String, Object> gates;

    private RandomCluster(long seed, AlgorithmRegistry registry, @Nullable Map<String, Object> gates) {
        this.random = new RandomValues(seed);
        this.registry = registry;
        this.badSelectors = random.percent(5);
        this.evenSpread = gates == null ? random.percent(60) : Boolean.TRUE.equals(gates.get(EVEN_SPREAD));
        this.resourceLimits = gates == null ? random.percent(50) : Boolean.TRUE.equals(gates.get(RESOURCE_LIMITS));
        this.gates = gates;
    }

    /** Returns the scenario of this seed; policies use the algorithms of the registry. */
    static ObjectNode scenario(long seed, AlgorithmRegistry registry) {
        return new RandomCluster(seed, registry, null).scenario(seed);
    }

    /**
     * Returns the scenario of this seed with features of v1.17 only. Consecutive seeds have the same feature gates, because a process of v1.17 cannot
     * reset them, and few have a policy, for the same reason.
     */
    static ObjectNode forV117(long seed, AlgorithmRegistry registry) {
        RandomValues shared = new RandomValues(seed / SHARED_GATES);
        Map<String, Object> gates = gates(shared, shared.percent(60), shared.percent(50));
        ObjectNode scenario = new RandomCluster(seed, registry, gates).scenario(seed);
        for (JsonNode object : scenario.path("cluster")) {
            // The real scheduler assumes a volume or a claim only if it has a resource version.
            object.withObject("/metadata").put("resourceVersion", "1");
        }
        return scenario;
    }

    private ObjectNode scenario(long seed) {
        Map<String, Object> scenario = object("name", "random/" + seed);
        if (random.percent(gates == null ? 25 : 80)) {
            scenario.put("provider", random.of("DefaultProvider", "ClusterAutoscalerProvider"));
        } else {
            scenario.put("policy", policy());
        }
        Map<String, Object> gates = this.gates == null ? gates(random, evenSpread, resourceLimits) : this.gates;
        if (scenario.get("policy") instanceof Map<?, ?> policy && policy.containsKey("alwaysCheckAllPredicates")) {
            // The two executors of v1.17 differ then: functions continue after
            // the first failure and leave volume counts behind.
            gates.put("BalanceAttachedNodeVolumes", false);
        }
        scenario.put("featureGates", gates);
        random.maybe(30, scenario, "hardPodAffinitySymmetricWeight", () -> random.of(1, 10, 100));
        addObjects(scenario);
        return MAPPER.valueToTree(scenario);
    }

    private static Map<String, Object> gates(RandomValues random, boolean evenSpread, boolean resourceLimits) {
        return object(
                EVEN_SPREAD,
                evenSpread,
                RESOURCE_LIMITS,
                resourceLimits,
                "NonPreemptingPriority",
                random.percent(50),
                "PodOverhead",
                random.percent(50),
                "BalanceAttachedNodeVolumes",
                random.percent(30),
                "CSIMigrationAWS",
                random.percent(20),
                "PodDisruptionBudget",
                random.percent(90));
    }

    private Map<String, Object> policy() {
        Map<String, Object> policy = object("kind", "Policy", "apiVersion", "v1");
        random.maybe(95, policy, "predicates", this::predicates);
        random.maybe(95, policy, "priorities", this::priorities);
        random.maybe(15, policy, "alwaysCheckAllPredicates", () -> true);
        random.maybe(15, policy, "hardPodAffinitySymmetricWeight", () -> random.of(1, 10, 100));
        return policy;
    }

    private List<Map<String, Object>> predicates() {
        Set<String> names = new TreeSet<>(registry.predicateNames());
        names.remove(KnownAlgorithms.NO_RESOURCE_CLAIMS);
        names.removeAll(BY_ARGUMENT);
        // No release has it as a predicate, so no file can name it.
        names.remove(KnownAlgorithms.DYNAMIC_RESOURCES);
        if (!evenSpread) {
            names.remove(KnownAlgorithms.EVEN_PODS_SPREAD);
        }
        List<Map<String, Object>> entries = new ArrayList<>();
        for (String name : names) {
            if (random.percent(40)) {
                entries.add(object("name", name));
            }
        }
        if (random.percent(10)) {
            Map<String, Object> labels =
                    object("labels", List.of(random.of("zone", "disk", "rack")), "presence", random.percent(50));
            entries.add(object("name", "Labels", "argument", object("labelsPresence", labels)));
        }
        if (random.percent(15)) {
            List<String> labels = random.several(1, 2, () -> random.of("zone", "rack", "disk"));
            entries.add(object("name", "Together", "argument", object("serviceAffinity", object("labels", labels))));
        }
        if (gates == null && random.percent(15)) {
            Map<String, Object> rule =
                    object("expression", random.of(RandomRules.PREDICATES), "reason", "a rule says no");
            random.maybe(50, rule, "resolvable", () -> random.percent(50));
            random.maybe(20, rule, "when", () -> random.of(RandomRules.CONDITIONS));
            entries.add(object("name", "Rule", "argument", object("rule", rule)));
        }
        return entries;
    }

    private List<Map<String, Object>> priorities() {
        Set<String> names = new TreeSet<>(registry.priorityNames());
        names.removeAll(BY_ARGUMENT);
        names.add(KnownAlgorithms.EQUAL_PRIORITY);
        if (!evenSpread) {
            names.remove(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY);
        }
        if (!resourceLimits) {
            names.remove(KnownAlgorithms.RESOURCE_LIMITS_PRIORITY);
        }
        List<Map<String, Object>> entries = new ArrayList<>();
        for (String name : names) {
            if (random.percent(45)) {
                entries.add(object("name", name, "weight", random.of(1, 1, 2, 5, 10_000)));
            }
        }
        if (random.percent(20)) {
            entries.add(withArgument("Spread", "serviceAntiAffinity", object("label", random.of("zone", "rack"))));
        }
        if (random.percent(20)) {
            entries.add(withArgument(
                    "Prefer", "labelPreference", object("label", random.of("zone", "disk"), "presence", true)));
        }
        if (random.percent(20)) {
            Map<String, Object> ratio = object(
                    "shape",
                    List.of(
                            object("utilization", 0, "score", random.between(0, 10)),
                            object("utilization", random.between(1, 100), "score", random.between(0, 10))));
            random.maybe(
                    50,
                    ratio,
                    "resources",
                    () -> List.of(
                            object("name", "cpu", "weight", 1),
                            object("name", random.of("memory", "example.com/gpu"), "weight", random.between(1, 5))));
            entries.add(withArgument("Ratio", "requestedToCapacityRatioArguments", ratio));
        }
        if (gates == null && random.percent(15)) {
            Map<String, Object> rule = object(
                    "expression",
                    random.of(RandomRules.PRIORITIES),
                    "normalize",
                    random.of("none", "max", "minmax", "reverse"));
            random.maybe(20, rule, "when", () -> random.of(RandomRules.CONDITIONS));
            entries.add(withArgument("Score", "rule", rule));
        }
        return entries;
    }

    private Map<String, Object> withArgument(String name, String argument, Map<String, Object> value) {
        return object("name", name, "weight", random.between(1, 5), "argument", object(argument, value));
    }

    private void addObjects(Map<String, Object> scenario) {
        int nodeCount = random.percent(2) ? random.between(50, 200) : random.between(1, random.percent(70) ? 6 : 20);
        int podCount = random.percent(2) ? 1000 * nodeCount / 200 : random.between(0, nodeCount * 3);
        List<Map<String, Object>> cluster = new ArrayList<>();
        List<String> names = new ArrayList<>();
        RandomNodes nodes = new RandomNodes(random);
        for (int i = 0; i < nodeCount; i++) {
            names.add("n" + i);
            cluster.add(nodes.node("n" + i));
            if (random.percent(30)) {
                cluster.add(nodes.csiNode("n" + i));
            }
        }
        RandomStorage storage = new RandomStorage(random);
        cluster.addAll(storage.objects());
        RandomPods pods = new RandomPods(random, storage, badSelectors);
        new RandomControllers(random, pods, "policy/v1beta1").addTo(cluster);
        for (int i = 0; i < podCount; i++) {
            cluster.add(pods.pod("running-" + i, random.percent(99) ? random.of(names) : "n-gone", names));
        }
        List<Map<String, Object>> pending = new ArrayList<>();
        for (int i = random.between(1, 8); i > 0; i--) {
            pending.add(pods.pod("pending-" + i, "", names));
        }
        scenario.put("cluster", cluster);
        scenario.put("pending", pending);
    }
}
