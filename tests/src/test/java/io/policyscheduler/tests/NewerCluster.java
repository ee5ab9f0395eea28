package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A random cluster of a current release whose pending pods use the fields that are newer than v1.17. */
final class NewerCluster {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final RandomValues random;
    private final NewerNodes nodes;
    private final NewerStorage storage;
    private final NewerPods pods;
    private final RandomControllers controllers;

    private NewerCluster(long seed) {
        this.random = new RandomValues(seed);
        this.nodes = new NewerNodes(random);
        RandomStorage plain = new RandomStorage(random);
        this.storage = new NewerStorage(random, plain);
        RandomPods plainPods = new RandomPods(random, plain, false);
        this.pods = new NewerPods(random, plainPods, storage);
        this.controllers = new RandomControllers(random, plainPods, "policy/v1");
    }

    /** Returns the scenario of this seed, in the form of the recordings, without a policy. */
    static ObjectNode scenario(long seed) {
        return new NewerCluster(seed).scenario("newer/" + seed);
    }

    private ObjectNode scenario(String name) {
        List<Map<String, Object>> cluster = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = random.between(1, random.percent(70) ? 6 : 14); i > 0; i--) {
            String node = "n" + names.size();
            names.add(node);
            cluster.add(nodes.node(node));
            random.maybe(60, cluster, () -> nodes.csiNode(node));
        }
        for (String namespace : RandomPods.NAMESPACES) {
            random.maybe(85, cluster, () -> namespace(namespace));
        }
        controllers.addTo(cluster);
        List<Map<String, Object>> running = new ArrayList<>();
        for (int i = random.between(0, names.size() * 3); i > 0; i--) {
            running.add(pods.pod("running-" + i, random.percent(99) ? random.of(names) : "n-gone", names));
        }
        List<Map<String, Object>> pending = new ArrayList<>();
        for (int i = random.between(1, 8); i > 0; i--) {
            pending.add(pods.pod("pending-" + i, "", names));
        }
        // Claims of ephemeral volumes exist only after their pods.
        cluster.addAll(storage.objects(names));
        cluster.addAll(running);
        // The real scheduler assumes a volume or a claim only if it has a resource version.
        cluster.forEach(object -> RandomValues.child(object, "metadata").put("resourceVersion", "1"));
        return MAPPER.valueToTree(object("name", name, "cluster", cluster, "pending", pending));
    }

    private Map<String, Object> namespace(String name) {
        Map<String, Object> labels = object("kubernetes.io/metadata.name", name);
        random.maybe(60, labels, "team", () -> random.of("red", "blue"));
        return object("apiVersion", "v1", "kind", "Namespace", "metadata", object("name", name, "labels", labels));
    }
}
