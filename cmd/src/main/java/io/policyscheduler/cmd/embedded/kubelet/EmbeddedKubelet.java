package io.policyscheduler.cmd.embedded.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.PodConditions;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.store.DeleteOptions;
import io.policyscheduler.cmd.embedded.store.Deletion;
import io.policyscheduler.cmd.embedded.store.StoredEvent;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import io.policyscheduler.cmd.embedded.store.StoredObjects.Batch;
import io.policyscheduler.cmd.embedded.store.StoredObjects.EventReader;
import io.policyscheduler.cmd.embedded.store.StoredObjects.Snapshot;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kubelets of all nodes at once. Each {@link #tick()} runs the pods bound since the last one (or refuses them) and
 * removes terminating pods whose grace period, capped, is over. A pod bound to an unknown node stays pending.
 */
public final class EmbeddedKubelet {
    private static final Set<String> TERMINAL = Set.of("Succeeded", "Failed");

    private final StoredObjects store;
    private final ResourceType pods;
    private final ResourceType nodes;
    private final Deletion deletion;
    private final NodeAdmission admission;
    private final String rejectionPrefix;
    private final Duration longestGrace;
    private final Clock clock;

    private final Map<ObjectKey, ObjectNode> waiting = new LinkedHashMap<>();
    private final Map<ObjectKey, ObjectNode> terminating = new LinkedHashMap<>();
    private final Map<String, Map<ObjectKey, ObjectNode>> running = new LinkedHashMap<>();
    private @Nullable EventReader changes;
    private int nextAddress;

    public EmbeddedKubelet(
            StoredObjects store,
            ResourceCatalog catalog,
            Deletion deletion,
            NodeAdmission admission,
            Duration longestGrace,
            Clock clock) {
        this.store = store;
        this.pods = catalog.named("pods");
        this.nodes = catalog.named("nodes");
        this.deletion = deletion;
        this.admission = admission;
        this.rejectionPrefix = catalog.release().rejectionPrefix();
        this.longestGrace = longestGrace;
        this.clock = clock;
    }

    /** Does everything that is due. Returns how many pods it started, refused or removed. */
    public synchronized int tick() {
        readChanges();
        int done = 0;
        for (ObjectNode pod : List.copyOf(waiting.values())) {
            done += admit(pod) ? 1 : 0;
        }
        for (ObjectNode pod : List.copyOf(terminating.values())) {
            done += removeIfDue(pod) ? 1 : 0;
        }
        return done;
    }

    private void readChanges() {
        EventReader reader = changes;
        if (reader != null) {
            Batch batch = reader.poll();
            if (!batch.expired()) {
                for (StoredEvent event : batch.events()) {
                    see(event.object(), event.type() == StoredEvent.Type.DELETED);
                }
                return;
            }
        }
        waiting.clear();
        terminating.clear();
        running.clear();
        Snapshot present = store.list(pods, "");
        changes = store.changesAfter(pods, present.resourceVersion());
        present.items().forEach(pod -> see(pod, false));
    }

    /** Files a pod by what is to be done with it. */
    private void see(ObjectNode pod, boolean deleted) {
        ObjectKey key = ObjectKey.of(pod);
        String node = Json.text(pod, "spec", "nodeName");
        String phase = Json.text(pod, "status", "phase");
        waiting.remove(key);
        terminating.remove(key);
        if (node.isEmpty()) {
            return;
        }
        Map<ObjectKey, ObjectNode> onNode = running.computeIfAbsent(node, n -> new LinkedHashMap<>());
        if (deleted || TERMINAL.contains(phase)) {
            onNode.remove(key);
        } else if (phase.equals("Running")) {
            onNode.put(key, pod);
        }
        if (deleted) {
            return;
        }
        if (pod.path("metadata").has("deletionTimestamp")) {
            terminating.put(key, pod);
        } else if (!phase.equals("Running") && !TERMINAL.contains(phase)) {
            waiting.put(key, pod);
        }
    }

    private boolean admit(ObjectNode pod) {
        String nodeName = Json.text(pod, "spec", "nodeName");
        Optional<ObjectNode> node = store.get(nodes, "", nodeName);
        if (node.isEmpty()) {
            return false;
        }
        ObjectKey key = ObjectKey.of(pod);
        Map<ObjectKey, ObjectNode> onNode = running.computeIfAbsent(nodeName, n -> new LinkedHashMap<>());
        @Nullable String refusal = admission.reject(pod, node.get(), List.copyOf(onNode.values()));
        String uid = Json.text(pod, "metadata", "uid");
        waiting.remove(key);
        try {
            ObjectNode changed = store.modify(pods, key.namespace(), key.name(), false, present -> {
                        if (!uid.equals(Json.text(present, "metadata", "uid"))) {
                            throw StatusError.notFound(pods, key.name());
                        }
                        if (TERMINAL.contains(Json.text(present, "status", "phase"))) {
                            // Somebody else has finished it since it was seen waiting; nothing brings it back.
                            throw StatusError.conflict(pods, key.name(), "the pod has finished");
                        }
                        return refusal == null ? started(present, node.get()) : refused(present, refusal);
                    })
                    .object();
            if (refusal == null) {
                onNode.put(key, changed);
            }
            return true;
        } catch (StatusError e) {
            // Deleted or finished meanwhile; the next tick sees its successor, if there is one.
            return false;
        }
    }

    private ObjectNode refused(ObjectNode pod, String refusal) {
        int colon = refusal.indexOf(": ");
        ObjectNode status = Json.child(pod, "status");
        status.put("phase", "Failed");
        status.put("reason", colon < 0 ? "UnexpectedAdmissionError" : refusal.substring(0, colon));
        status.put("message", rejectionPrefix + (colon < 0 ? refusal : refusal.substring(colon + 2)));
        status.put("startTime", Json.time(clock.instant()));
        return pod;
    }

    private ObjectNode started(ObjectNode pod, ObjectNode node) {
        Instant now = clock.instant();
        ObjectNode status = Json.child(pod, "status");
        status.put("phase", "Running");
        Json.putIfAbsent(status, "startTime", Json.time(now));
        for (String condition : List.of("Initialized", "Ready", "ContainersReady", "PodScheduled")) {
            PodConditions.setTrue(pod, condition, now);
        }
        String hostIp = "";
        for (JsonNode address : node.path("status").path("addresses")) {
            if (Json.text(address, "type").equals("InternalIP")) {
                hostIp = Json.text(address, "address");
            }
        }
        if (!hostIp.isEmpty()) {
            status.put("hostIP", hostIp);
        }
        boolean hostNetwork = pod.path("spec").path("hostNetwork").asBoolean();
        String podIp = hostNetwork && !hostIp.isEmpty() ? hostIp : newAddress();
        status.put("podIP", podIp);
        status.putArray("podIPs").addObject().put("ip", podIp);
        ArrayNode containers = status.putArray("containerStatuses");
        for (JsonNode container : pod.path("spec").path("containers")) {
            ObjectNode state = containers
                    .addObject()
                    .put("name", Json.text(container, "name"))
                    .put("image", Json.text(container, "image"))
                    .put("imageID", "")
                    .put("ready", true)
                    .put("started", true)
                    .put("restartCount", 0);
            state.putObject("state").putObject("running").put("startedAt", Json.time(now));
            state.putObject("lastState");
        }
        return pod;
    }

    private String newAddress() {
        int address = ++nextAddress & 0xFFFFFF;
        return "10." + (address >> 16) + "." + ((address >> 8) & 0xFF) + "." + (address & 0xFF);
    }

    private boolean removeIfDue(ObjectNode pod) {
        JsonNode metadata = pod.path("metadata");
        Duration grace =
                Duration.ofSeconds(metadata.path("deletionGracePeriodSeconds").asLong());
        Instant requested = OffsetDateTime.parse(Json.text(metadata, "deletionTimestamp"))
                .toInstant()
                .minus(grace);
        Duration wait = grace.compareTo(longestGrace) < 0 ? grace : longestGrace;
        if (clock.instant().isBefore(requested.plus(wait))) {
            return false;
        }
        ObjectKey key = ObjectKey.of(pod);
        DeleteOptions options = new DeleteOptions(0L, Json.text(metadata, "uid"), "", false);
        terminating.remove(key);
        try {
            return deletion.deleteIfPresent(pods, key, options).isPresent();
        } catch (StatusError e) {
            // A pod of the same name has taken its place.
            return false;
        }
    }

    /** The pods that the node runs, in the order of their arrival, as of the last tick. */
    public synchronized List<ObjectNode> podsOn(String node) {
        Map<ObjectKey, ObjectNode> onNode = running.get(node);
        return onNode == null ? List.of() : new ArrayList<>(onNode.values());
    }
}
