package io.policyscheduler.tests.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.embedded.api.StoredObjects.StoredEvent;
import io.policyscheduler.engine.cluster.resource.Quantity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Follows every change of every pod in the store and records violations: a pod that changes its node, a pod that its kubelet rejects, a node whose
 * pods request more CPU than it has.
 */
public final class PlacementAudit {
    private final EmbeddedControlPlane cluster;
    private final ResourceType pods;
    private final Map<String, String> nodeByUid = new LinkedHashMap<>();
    private final Map<String, Map<String, Long>> milliByPodByNode = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private StoredObjects.EventReader changes;

    public PlacementAudit(EmbeddedControlPlane cluster) {
        this.cluster = cluster;
        this.pods = cluster.catalog().named("pods");
        this.changes = restart();
    }

    private StoredObjects.EventReader restart() {
        milliByPodByNode.clear();
        StoredObjects.Snapshot present = cluster.store().list(pods, "");
        present.items().forEach(pod -> see(pod, false));
        return cluster.store().changesAfter(pods, present.resourceVersion());
    }

    /** Returns the violations so far. */
    public synchronized List<String> violations() {
        read();
        return List.copyOf(violations);
    }

    /** Returns the number of pods, by UID, that were ever bound. */
    public synchronized int bound() {
        read();
        return nodeByUid.size();
    }

    /** Reads new changes; needed only before the store's history is compacted. */
    public synchronized void read() {
        StoredObjects.Batch batch = changes.poll();
        if (batch.expired()) {
            changes = restart();
            return;
        }
        batch.events().forEach(event -> see(event.object(), event.type() == StoredEvent.Type.DELETED));
    }

    private void see(ObjectNode pod, boolean deleted) {
        String uid = pod.path("metadata").path("uid").asText();
        String name = pod.path("metadata").path("name").asText();
        String node = pod.path("spec").path("nodeName").asText("");
        String phase = pod.path("status").path("phase").asText("");
        String before = nodeByUid.getOrDefault(uid, "");
        if (!before.isEmpty() && !before.equals(node)) {
            violations.add("pod " + name + " (" + uid + ") went from node " + before + " to \"" + node + "\"");
        }
        if (node.isEmpty()) {
            return;
        }
        nodeByUid.put(uid, node);
        Map<String, Long> usage = milliByPodByNode.computeIfAbsent(node, n -> new LinkedHashMap<>());
        if (phase.equals("Failed")) {
            violations.add("pod " + name + " was refused: " + pod.path("status"));
        }
        if (deleted || phase.equals("Failed") || phase.equals("Succeeded")) {
            usage.remove(uid);
        } else if (usage.put(uid, milliCpu(pod)) == null) {
            check(node, usage);
        }
    }

    private void check(String node, Map<String, Long> usage) {
        long used = usage.values().stream().mapToLong(Long::longValue).sum();
        cluster.get("nodes", "", node).ifPresent(object -> {
            long has = milli(object.path("status").path("allocatable").path("cpu"));
            if (used > has) {
                violations.add("node " + node + " has " + has + "m, but " + used + "m are requested: " + usage);
            }
        });
    }

    private static long milliCpu(ObjectNode pod) {
        long sum = 0;
        for (JsonNode container : pod.path("spec").path("containers")) {
            sum += milli(container.path("resources").path("requests").path("cpu"));
        }
        return sum;
    }

    private static long milli(JsonNode quantity) {
        String text = quantity.asText("0");
        return Quantity.milliValue(text.isEmpty() ? "0" : text);
    }
}
