package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Deletion;
import io.policyscheduler.cmd.embedded.api.Deletion.DeleteOptions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Batch;
import io.policyscheduler.cmd.embedded.api.StoredObjects.EventReader;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Snapshot;
import io.policyscheduler.cmd.embedded.api.StoredObjects.StoredEvent;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.Release;
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
 * The kubelets of all nodes. Each {@link #tick()} runs or rejects newly bound pods, ends those whose run time is over
 * ({@link PlaygroundAnnotations}), and removes terminating pods after their grace period, which is capped. A pod bound to an
 * unknown node stays pending; a failed node does nothing.
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
    private final PodStatuses statuses;

    private final Map<ObjectKey, ObjectNode> waiting = new LinkedHashMap<>();
    private final Map<ObjectKey, ObjectNode> terminating = new LinkedHashMap<>();
    private final Map<ObjectKey, ObjectNode> ending = new LinkedHashMap<>();
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
        this.rejectionPrefix = ComponentChange.REJECTION_PREFIX.in(catalog.release()) ? "Pod was rejected: " : "Pod ";
        this.longestGrace = longestGrace;
        this.clock = clock;
        this.statuses = new PodStatuses(catalog.release());
    }

    /** Processes all due work. Returns the number of pods that it started, rejected, or removed. */
    public synchronized int tick() {
        readChanges();
        int done = 0;
        for (ObjectNode pod : List.copyOf(waiting.values())) {
            done += admit(pod) ? 1 : 0;
        }
        for (ObjectNode pod : List.copyOf(terminating.values())) {
            done += removeIfDue(pod) ? 1 : 0;
        }
        for (ObjectNode pod : List.copyOf(ending.values())) {
            done += endContainersIfDue(pod) ? 1 : 0;
        }
        return done;
    }

    /** A failed node does not act on its pods. */
    private boolean isFailed(ObjectNode pod) {
        return store.get(nodes, "", Json.text(pod, "spec", "nodeName"))
                .filter(PlaygroundAnnotations::isFailed)
                .isPresent();
    }

    private boolean endContainersIfDue(ObjectNode pod) {
        Optional<Instant> end = PodStatuses.endOf(pod);
        if (end.isEmpty() || clock.instant().isBefore(end.get()) || isFailed(pod)) {
            return false;
        }
        ObjectKey key = ObjectKey.of(pod);
        ending.remove(key);
        try {
            store.modify(pods, key.namespace(), key.name(), false, present -> {
                if (!PodStatuses.endOf(present).equals(end)) {
                    throw StatusError.conflict(pods, key.name(), "it is no longer the pod that was to end");
                }
                return statuses.ended(present, clock.instant());
            });
            return true;
        } catch (StatusError e) {
            // Deleted or changed meanwhile; the next tick reads the current state.
            return false;
        }
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
        ending.clear();
        terminating.clear();
        running.clear();
        Snapshot present = store.list(pods, "");
        changes = store.changesAfter(pods, present.resourceVersion());
        present.items().forEach(pod -> see(pod, false));
    }

    /** Queues a pod according to its state. */
    private void see(ObjectNode pod, boolean deleted) {
        ObjectKey key = ObjectKey.of(pod);
        String node = Json.text(pod, "spec", "nodeName");
        String phase = Json.text(pod, "status", "phase");
        waiting.remove(key);
        ending.remove(key);
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
        } else if (phase.equals("Running") && PodStatuses.endOf(pod).isPresent()) {
            ending.put(key, pod);
        }
    }

    private boolean admit(ObjectNode pod) {
        String nodeName = Json.text(pod, "spec", "nodeName");
        Optional<ObjectNode> node = store.get(nodes, "", nodeName);
        if (node.isEmpty() || PlaygroundAnnotations.isFailed(node.get())) {
            return false;
        }
        ObjectKey key = ObjectKey.of(pod);
        Map<ObjectKey, ObjectNode> onNode = running.computeIfAbsent(nodeName, n -> new LinkedHashMap<>());
        @Nullable String rejection = admission.reject(pod, node.get(), List.copyOf(onNode.values()));
        String uid = Json.text(pod, "metadata", "uid");
        waiting.remove(key);
        try {
            ObjectNode changed = store.modify(pods, key.namespace(), key.name(), false, present -> {
                        if (!uid.equals(Json.text(present, "metadata", "uid"))) {
                            throw StatusError.notFound(pods, key.name());
                        }
                        if (TERMINAL.contains(Json.text(present, "status", "phase"))) {
                            // Another client has set a final phase meanwhile, which cannot change.
                            throw StatusError.conflict(pods, key.name(), "the pod has finished");
                        }
                        return rejection == null
                                ? statuses.started(present, node.get(), newAddress(), clock.instant())
                                : rejected(present, rejection);
                    })
                    .object();
            if (rejection == null) {
                onNode.put(key, changed);
            }
            return true;
        } catch (StatusError e) {
            // Deleted or finished meanwhile; the next tick handles a pod that replaced it.
            return false;
        }
    }

    private ObjectNode rejected(ObjectNode pod, String rejection) {
        int colon = rejection.indexOf(": ");
        ObjectNode status = Json.child(pod, "status");
        status.put("phase", "Failed");
        status.put("reason", colon < 0 ? "UnexpectedAdmissionError" : rejection.substring(0, colon));
        status.put("message", rejectionPrefix + (colon < 0 ? rejection : rejection.substring(colon + 2)));
        status.put("startTime", Json.time(clock.instant()));
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
        if (clock.instant().isBefore(requested.plus(wait)) || isFailed(pod)) {
            return false;
        }
        ObjectKey key = ObjectKey.of(pod);
        DeleteOptions options = new DeleteOptions(0L, Json.text(metadata, "uid"), "", false);
        terminating.remove(key);
        try {
            return deletion.deleteIfPresent(pods, key, options).isPresent();
        } catch (StatusError e) {
            // Another pod with the same name replaced it.
            return false;
        }
    }

    /** The running pods of the node, in the order of their arrival, as of the last tick. */
    public synchronized List<ObjectNode> podsOn(String node) {
        Map<ObjectKey, ObjectNode> onNode = running.get(node);
        return onNode == null ? List.of() : new ArrayList<>(onNode.values());
    }

    /** The status of a pod that starts, and of one whose containers end (pkg/kubelet/status). */
    static final class PodStatuses {
        private static final List<String> WHILE_RUNNING =
                List.of("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady");

        private final Release release;

        PodStatuses(Release release) {
            this.release = release;
        }

        /** Changes a bound pod to a running one. */
        ObjectNode started(ObjectNode pod, ObjectNode node, String newAddress, Instant now) {
            ObjectNode status = Json.child(pod, "status");
            status.put("phase", "Running");
            Json.putIfAbsent(status, "startTime", Json.time(now));
            for (String condition : WHILE_RUNNING) {
                if (ComponentChange.START_CONDITION_AND_HOST_IPS.in(release)
                        || !condition.equals("PodReadyToStartContainers")) {
                    Conditions.setTrue(pod, condition, now);
                }
            }
            Conditions.setTrue(pod, "PodScheduled", now);
            observe(pod, status);
            addresses(pod, status, node, newAddress);
            ArrayNode containers = status.putArray("containerStatuses");
            for (JsonNode container : pod.path("spec").path("containers")) {
                ObjectNode state = containers
                        .addObject()
                        .put("name", Json.text(container, "name"))
                        .put("image", Json.text(container, "image"))
                        .put("imageID", "")
                        .put("containerID", containerId(pod, container))
                        .put("ready", true)
                        .put("started", true)
                        .put("restartCount", 0);
                running(state, now);
                state.putObject("lastState");
            }
            return pod;
        }

        private static String containerId(JsonNode pod, JsonNode container) {
            return "none://" + Json.text(pod, "metadata", "uid") + "/" + Json.text(container, "name");
        }

        private static void running(ObjectNode container, Instant now) {
            container.putObject("state").putObject("running").put("startedAt", Json.time(now));
        }

        /** Sets the generation of the pod that the status is about. */
        private void observe(ObjectNode pod, ObjectNode status) {
            JsonNode generation = pod.path("metadata").path("generation");
            if (!ComponentChange.OBSERVED_GENERATION.in(release) || !generation.isNumber()) {
                return;
            }
            status.set("observedGeneration", generation);
            for (JsonNode condition : status.path("conditions")) {
                if (condition instanceof ObjectNode object && WHILE_RUNNING.contains(Json.text(condition, "type"))) {
                    object.set("observedGeneration", generation);
                }
            }
        }

        private void addresses(ObjectNode pod, ObjectNode status, ObjectNode node, String newAddress) {
            String hostIp = "";
            for (JsonNode address : node.path("status").path("addresses")) {
                if (Json.text(address, "type").equals("InternalIP")) {
                    hostIp = Json.text(address, "address");
                }
            }
            if (!hostIp.isEmpty()) {
                status.put("hostIP", hostIp);
                if (ComponentChange.START_CONDITION_AND_HOST_IPS.in(release)) {
                    status.putArray("hostIPs").addObject().put("ip", hostIp);
                }
            }
            boolean hostNetwork = pod.path("spec").path("hostNetwork").asBoolean();
            String podIp = hostNetwork && !hostIp.isEmpty() ? hostIp : newAddress;
            status.put("podIP", podIp);
            status.putArray("podIPs").addObject().put("ip", podIp);
        }

        /** The end of the containers of a running pod; empty for never. */
        static Optional<Instant> endOf(JsonNode pod) {
            String started = pod.at("/status/containerStatuses/0/state/running/startedAt")
                    .asText("");
            return started.isEmpty()
                    ? Optional.empty()
                    : PlaygroundAnnotations.runTime(pod)
                            .map(time ->
                                    OffsetDateTime.parse(started).toInstant().plus(time));
        }

        /** Changes a running pod to one whose containers have ended, or have restarted according to its restart policy. */
        ObjectNode ended(ObjectNode pod, Instant now) {
            int code = PlaygroundAnnotations.exitCode(pod);
            String policy = Json.text(pod, "spec", "restartPolicy");
            boolean again = policy.equals("Always") || (policy.equals("OnFailure") && code != 0);
            ObjectNode status = Json.child(pod, "status");
            for (JsonNode container : status.path("containerStatuses")) {
                if (container instanceof ObjectNode object) {
                    end(object, code, again, now);
                }
            }
            if (!again) {
                status.put("phase", code == 0 ? "Succeeded" : "Failed");
                String reason = code == 0 ? "PodCompleted" : "PodFailed";
                for (String condition : List.of("PodReadyToStartContainers", "Ready", "ContainersReady")) {
                    Conditions.setFalse(pod, condition, reason, now);
                }
                observe(pod, status);
            }
            return pod;
        }

        private static void end(ObjectNode container, int code, boolean again, Instant now) {
            ObjectNode terminated = Json.object()
                    .put("exitCode", code)
                    .put("reason", code == 0 ? "Completed" : "Error")
                    .put("startedAt", container.at("/state/running/startedAt").asText(""))
                    .put("finishedAt", Json.time(now))
                    .put("containerID", Json.text(container, "containerID"));
            if (again) {
                container.putObject("lastState").set("terminated", terminated);
                container.put("restartCount", container.path("restartCount").asInt() + 1);
                running(container, now);
            } else {
                container.putObject("state").set("terminated", terminated);
                container.put("ready", false).put("started", false);
            }
        }
    }

    /** The kubelet's admission of a pod (pkg/kubelet/lifecycle). */
    @FunctionalInterface
    public interface NodeAdmission {
        /**
         * Decides whether a node accepts a pod.
         *
         * @param pod the bound pod
         * @param node its node
         * @param podsOnNode the running pods that the node has accepted, in order
         * @return null to run the pod; otherwise {@code REASON: message}, for example
         *     {@code OutOfcpu: Node didn't have enough resource: cpu, ...}
         */
        @Nullable
        String reject(ObjectNode pod, ObjectNode node, List<ObjectNode> podsOnNode);
    }

    /** The annotations that control the simulated behavior of nodes and pods. */
    public static final class PlaygroundAnnotations {
        /** On a node, with any value but {@code false}: it does not respond. */
        public static final String FAILED = "policy-scheduler.io/failed";
        /** On a pod: the run time of its containers in seconds; a decimal number. */
        public static final String RUN_SECONDS = "policy-scheduler.io/run-seconds";
        /** On a pod: the exit code of its containers; 0 if absent. */
        public static final String EXIT_CODE = "policy-scheduler.io/exit-code";

        private PlaygroundAnnotations() {}

        /** Whether a node is marked as failed. */
        public static boolean isFailed(JsonNode node) {
            JsonNode note = node.path("metadata").path("annotations").path(FAILED);
            return note.isTextual() && !note.asText().equals("false");
        }

        /** The run time of the containers of a pod; empty for no end, also if the text is not a number. */
        static Optional<Duration> runTime(JsonNode pod) {
            String text = Json.text(pod, "metadata", "annotations", RUN_SECONDS);
            try {
                return text.isEmpty()
                        ? Optional.empty()
                        : Optional.of(Duration.ofMillis((long) (Math.max(0, Double.parseDouble(text)) * 1000)));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        /** The exit code. */
        static int exitCode(JsonNode pod) {
            String text = Json.text(pod, "metadata", "annotations", EXIT_CODE);
            try {
                return text.isEmpty() ? 0 : Integer.parseInt(text);
            } catch (NumberFormatException e) {
                return 1;
            }
        }
    }
}
