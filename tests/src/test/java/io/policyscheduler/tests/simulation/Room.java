package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The capacity of a node and the requests of its pods, computed without any code of the scheduler. */
final class Room {
    private final @Nullable ObjectNode node;
    private final List<ObjectNode> pods;

    Room(@Nullable ObjectNode node, List<ObjectNode> pods) {
        this.node = node;
        this.pods = pods;
    }

    /** A node with all of its current pods. */
    static Room of(EmbeddedControlPlane cluster, String name) {
        List<ObjectNode> pods = new ArrayList<>();
        for (ObjectNode pod : cluster.list("pods")) {
            if (Manifests.nodeOf(pod).equals(name) && !Manifests.isFinished(pod)) {
                pods.add(pod);
            }
        }
        return new Room(cluster.get("nodes", "", name).orElse(null), pods);
    }

    boolean fits(ObjectNode pod) {
        List<ObjectNode> more = new ArrayList<>(pods);
        more.add(pod);
        return node != null && problem(List.of(node), more, pod) == null;
    }

    /**
     * Returns what does not fit into the largest of several versions of a node; null if everything fits.
     *
     * @param placed the pod that must be compatible with all others
     */
    static @Nullable String problem(List<ObjectNode> versions, List<ObjectNode> pods, ObjectNode placed) {
        int cpu = 0;
        int memory = 0;
        for (ObjectNode pod : pods) {
            cpu += request(pod, "cpu");
            memory += request(pod, "memory");
        }
        if (cpu > allocatable(versions, "cpu")) {
            return cpu + "m cpu of " + allocatable(versions, "cpu") + "m";
        }
        if (memory > allocatable(versions, "memory")) {
            return memory + "Mi memory of " + allocatable(versions, "memory") + "Mi";
        }
        if (pods.size() > allocatable(versions, "pods")) {
            return pods.size() + " pods of " + allocatable(versions, "pods");
        }
        for (ObjectNode other : pods) {
            if (Manifests.uid(other).equals(Manifests.uid(placed))) {
                continue;
            }
            if (port(placed) > 0 && port(placed) == port(other)) {
                return "port " + port(placed) + " twice";
            }
            if (repels(placed, other) || repels(other, placed)) {
                return Manifests.name(placed) + " beside " + Manifests.name(other);
            }
        }
        return null;
    }

    private static int allocatable(List<ObjectNode> versions, String resource) {
        int most = 0;
        for (ObjectNode version : versions) {
            most = Math.max(
                    most,
                    Manifests.number(version.path("status").path("allocatable").path(resource)));
        }
        return most;
    }

    private static JsonNode container(ObjectNode pod) {
        return pod.path("spec").path("containers").path(0);
    }

    private static int request(ObjectNode pod, String resource) {
        JsonNode spec = pod.path("spec");
        int asked = asked(container(pod), resource);
        for (JsonNode sidecar : spec.path("initContainers")) {
            asked += asked(sidecar, resource);
        }
        JsonNode whole = spec.path("resources").path("requests").path(resource);
        return (whole.isMissingNode() ? asked : Manifests.number(whole))
                + Manifests.number(spec.path("overhead").path(resource));
    }

    private static int asked(JsonNode container, String resource) {
        return Manifests.number(container.path("resources").path("requests").path(resource));
    }

    /** Returns the host port of a pod; 0 if it has none. */
    static int port(ObjectNode pod) {
        return container(pod).path("ports").path(0).path("hostPort").asInt();
    }

    /** Labels of namespaces change; a term that depends on them is left to the scheduler. */
    private static boolean selectsNamespace(JsonNode term, ObjectNode pod, ObjectNode other) {
        if (term.has("namespaceSelector")) {
            return false;
        }
        String namespace = Manifests.text(other, "metadata", "namespace");
        JsonNode listed = term.path("namespaces");
        return listed.isEmpty()
                ? namespace.equals(Manifests.text(pod, "metadata", "namespace"))
                : listed.path(0).asText().equals(namespace);
    }

    private static boolean repels(ObjectNode pod, ObjectNode other) {
        String app = Manifests.text(other, "metadata", "labels", "app");
        for (JsonNode term : pod.path("spec")
                .path("affinity")
                .path("podAntiAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution")) {
            if (!app.isEmpty()
                    && selectsNamespace(term, pod, other)
                    && Manifests.text(term, "labelSelector", "matchLabels", "app")
                            .equals(app)) {
                return true;
            }
        }
        return false;
    }
}
