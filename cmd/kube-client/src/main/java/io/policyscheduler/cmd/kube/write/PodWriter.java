package io.policyscheduler.cmd.kube.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.PodWriter.BindResult.Outcome;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler's writes to pods. Each write contains the pod's UID, so that it does not affect a new pod with the same name (the
 * server responds with 409). Thread-safe.
 */
public final class PodWriter {
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final KubeConnection connection;
    private final String evictionVersion;
    private final InstantSource wallClock;
    private final ObjectMapper mapper = new ObjectMapper();

    /** @param evictionVersion group version of the Eviction object the server understands: policy/v1 or policy/v1beta1 */
    public PodWriter(KubeConnection connection, String evictionVersion) {
        this(connection, evictionVersion, InstantSource.system());
    }

    /**
     * A writer with a clock for timestamps.
     *
     * @param evictionVersion group version of the Eviction object the server understands: policy/v1 or policy/v1beta1
     */
    public PodWriter(KubeConnection connection, String evictionVersion, InstantSource wallClock) {
        this.connection = connection;
        this.evictionVersion = evictionVersion;
        this.wallClock = wallClock;
    }

    /** Binds a pod to a node. After a conflict, a server error, or a lost response, it reads the pod to determine the result. */
    public BindResult bind(String namespace, String name, String uid, String node) {
        ObjectNode binding = object("v1", "Binding");
        binding.putObject("metadata")
                .put("namespace", namespace)
                .put("name", name)
                .put("uid", uid);
        binding.putObject("target").put("kind", "Node").put("name", node);
        ApiResponse response;
        try {
            response = connection.post(path(namespace, name) + "/binding", bytes(binding));
        } catch (ApiIoException e) {
            String text = String.valueOf(e.getMessage());
            return e.isSent() ? verify(namespace, name, uid, node, 0, text) : BindResult.of(Outcome.REFUSED, 0, text);
        }
        if (response.success()) {
            return BindResult.BOUND;
        }
        if (response.isNotFound(name)) {
            return BindResult.of(Outcome.GONE, NOT_FOUND, response.message());
        }
        if (response.code() == CONFLICT || response.isInconclusive(name)) {
            return verify(namespace, name, uid, node, response.code(), response.message());
        }
        return BindResult.of(Outcome.REFUSED, response.code(), response.message());
    }

    private BindResult verify(String namespace, String name, String uid, String node, int code, String text) {
        JsonNode pod;
        try {
            ApiResponse response = getPod(namespace, name);
            if (response.isNotFound(name)) {
                return BindResult.of(Outcome.GONE, NOT_FOUND, response.message());
            }
            if (!response.success()) {
                return BindResult.of(Outcome.UNKNOWN, code, text + " (then, reading the pod: " + response + ")");
            }
            pod = response.json();
        } catch (IOException e) {
            return BindResult.of(Outcome.UNKNOWN, code, text + " (then, reading the pod: " + e.getMessage() + ")");
        }
        if (!pod.path("metadata").path("uid").asText().equals(uid)) {
            return BindResult.of(Outcome.GONE, code, "pod " + namespace + "/" + name + " was recreated");
        }
        String boundTo = pod.path("spec").path("nodeName").asText();
        if (boundTo.equals(node)) {
            return BindResult.ALREADY_BOUND_HERE;
        }
        if (!boundTo.isEmpty()) {
            return BindResult.of(Outcome.CONFLICT, code, text);
        }
        // Only a conflict is a definite failure: after a server error or without a response, the server may still
        // execute the
        // bind.
        return BindResult.of(code == CONFLICT ? Outcome.REFUSED : Outcome.UNKNOWN, code, text);
    }

    /** The pod on the server. */
    public ApiResponse getPod(String namespace, String name) throws ApiIoException {
        return connection.get(path(namespace, name));
    }

    /**
     * Sets the pod's PodScheduled condition and its nomination in one request; other conditions stay (strategic merge by type).
     * If the pod has changed since {@code resourceVersion}, the server responds with 409, because it may be bound.
     *
     * @param condition null to leave it unchanged
     * @param nominatedNode null to leave it unchanged, empty to remove it
     * @param generation of the pod that the condition is about; 0 for none
     */
    public ApiResponse patchScheduling(
            String namespace,
            String name,
            String uid,
            String resourceVersion,
            @Nullable Condition condition,
            @Nullable String nominatedNode,
            long generation)
            throws ApiIoException {
        ObjectNode patch = patchOf(uid);
        if (!resourceVersion.isEmpty()) {
            patch.withObject("/metadata").put("resourceVersion", resourceVersion);
        }
        if (nominatedNode != null) {
            patch.withObject("/status").put("nominatedNodeName", nominatedNode.isEmpty() ? null : nominatedNode);
        }
        if (condition != null) {
            condition(patch, generation)
                    .put("type", "PodScheduled")
                    .put("status", condition.status())
                    .put("reason", condition.reason())
                    .put("message", condition.message())
                    .put(
                            "lastTransitionTime",
                            condition
                                    .lastTransitionTime()
                                    .truncatedTo(ChronoUnit.SECONDS)
                                    .toString());
        }
        return patchStatus(namespace, name, patch);
    }

    /** A PodScheduled condition. */
    public record Condition(String status, String reason, String message, Instant lastTransitionTime) {}

    /**
     * The version of a pending pod.
     *
     * @return empty if the pod is bound, terminating, or gone, or cannot be read
     */
    public String unboundVersion(String namespace, String name, String uid) throws ApiIoException {
        return unbound(namespace, name, uid)
                .path("metadata")
                .path("resourceVersion")
                .asText();
    }

    /** A pending pod, otherwise a missing node. */
    private JsonNode unbound(String namespace, String name, String uid) throws ApiIoException {
        ApiResponse response = getPod(namespace, name);
        if (response.isInconclusive(name)) {
            throw new ApiIoException("GET " + path(namespace, name) + ": " + response, response.code());
        }
        if (!response.success()) {
            return MissingNode.getInstance();
        }
        JsonNode pod;
        try {
            pod = response.json();
        } catch (IOException e) {
            throw new ApiIoException("GET " + path(namespace, name) + ": the response is not JSON", e);
        }
        boolean waits = pod.path("metadata").path("uid").asText().equals(uid)
                && pod.path("spec").path("nodeName").asText().isEmpty()
                && !pod.path("metadata").has("deletionTimestamp");
        return waits ? pod : MissingNode.getInstance();
    }

    /**
     * Writes the time into the PodScheduled condition of a pending pod, so that the pod gets a new version that all watches
     * receive. The condition is unchanged otherwise; a new one is "Unknown".
     *
     * @return whether it is written; false for a pod that has changed meanwhile, is bound, terminating, or gone
     * @throws ApiIoException if the server rejects it or does not respond
     */
    public boolean touch(String namespace, String name, String uid) throws ApiIoException {
        JsonNode pod = unbound(namespace, name, uid);
        if (pod.isMissingNode()) {
            return false;
        }
        ObjectNode patch = patchOf(uid);
        patch.withObject("/metadata")
                .put(
                        "resourceVersion",
                        pod.path("metadata").path("resourceVersion").asText());
        String now = wallClock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode condition = condition(patch, 0).put("type", "PodScheduled").put("lastProbeTime", now);
        if (!isTold(pod)) {
            condition
                    .put("status", "Unknown")
                    .put("reason", "SchedulerStarts")
                    .put("message", "the scheduler checks that its cache contains all pods")
                    .put("lastTransitionTime", now);
        }
        ApiResponse response = patchStatus(namespace, name, patch);
        if (!response.success() && response.code() != CONFLICT && response.code() != NOT_FOUND) {
            throw new ApiIoException("PATCH " + path(namespace, name) + "/status: " + response, response.code());
        }
        return response.success();
    }

    private static boolean isTold(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Sets status.nominatedNodeName; null removes it. If the pod has changed since {@code resourceVersion}, the server responds
     * with 409, because it may be bound, and the nomination would then never be removed.
     */
    public ApiResponse patchNominatedNode(
            String namespace, String name, String uid, String resourceVersion, @Nullable String node)
            throws ApiIoException {
        ObjectNode patch = patchOf(uid);
        patch.withObject("/metadata").put("resourceVersion", resourceVersion);
        patch.putObject("status").put("nominatedNodeName", node);
        return patchStatus(namespace, name, patch);
    }

    /**
     * Sets the condition {@code DisruptionTarget}, which shows controllers, and a restarted scheduler, that a scheduler deletes
     * the pod.
     *
     * @param message for users
     * @param generation of the pod that the condition is about; 0 for none
     */
    public ApiResponse patchDisruptionTarget(
            String namespace, String name, String uid, String reason, String message, long generation)
            throws ApiIoException {
        ObjectNode patch = patchOf(uid);
        condition(patch, generation)
                .put("type", "DisruptionTarget")
                .put("status", "True")
                .put("reason", reason)
                .put("message", message)
                .put(
                        "lastTransitionTime",
                        wallClock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        return patchStatus(namespace, name, patch);
    }

    private static ObjectNode condition(ObjectNode patch, long generation) {
        ObjectNode condition =
                patch.withObject("/status").putArray("conditions").addObject();
        return generation == 0 ? condition : condition.put("observedGeneration", generation);
    }

    /** Deletes the pod with its own grace period. */
    public ApiResponse deletePod(String namespace, String name, String uid) throws ApiIoException {
        return connection.delete(path(namespace, name), bytes(deleteOptions(uid)));
    }

    /** Evicts the pod: a delete that respects disruption budgets (429 if one forbids it). */
    public ApiResponse evict(String namespace, String name, String uid) throws ApiIoException {
        ObjectNode eviction = object(evictionVersion, "Eviction");
        eviction.putObject("metadata").put("namespace", namespace).put("name", name);
        eviction.set("deleteOptions", deleteOptions(uid));
        return connection.postOnce(path(namespace, name) + "/eviction", bytes(eviction));
    }

    private ApiResponse patchStatus(String namespace, String name, ObjectNode patch) throws ApiIoException {
        return connection.patch(path(namespace, name) + "/status", KubeConnection.STRATEGIC_MERGE_PATCH, bytes(patch));
    }

    private static ObjectNode patchOf(String uid) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("metadata").put("uid", uid);
        return patch;
    }

    private static ObjectNode deleteOptions(String uid) {
        ObjectNode options = object("v1", "DeleteOptions");
        options.putObject("preconditions").put("uid", uid);
        return options;
    }

    private static ObjectNode object(String apiVersion, String kind) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", apiVersion)
                .put("kind", kind);
    }

    private static String path(String namespace, String name) {
        return "/api/v1/namespaces/" + namespace + "/pods/" + name;
    }

    private byte[] bytes(ObjectNode node) {
        try {
            return mapper.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of strings is always writable", e);
        }
    }

    /**
     * The result of a bind.
     *
     * @param code HTTP status of the error; 0 without a response or after success
     * @param text the server's error message; empty after success
     */
    public record BindResult(Outcome outcome, int code, String text) {
        /** The kinds of results. */
        public enum Outcome {
            /** The server accepted the bind. */
            BOUND,
            /** The bind failed or its response was lost, but the pod is on the requested node. */
            ALREADY_BOUND_HERE,
            /** The pod is on another node. */
            CONFLICT,
            /** The pod no longer exists, or another one has its name. */
            GONE,
            /** The server rejected the bind; the pod can be retried. */
            REFUSED,
            /** No response, or a server error: the pod may be bound now or later, even if a read shows it unbound. */
            UNKNOWN
        }

        static final BindResult BOUND = new BindResult(Outcome.BOUND, 0, "");
        static final BindResult ALREADY_BOUND_HERE = new BindResult(Outcome.ALREADY_BOUND_HERE, 0, "");

        static BindResult of(Outcome outcome, int code, String text) {
            return new BindResult(outcome, code, text);
        }

        /** The pod is on the requested node. */
        public boolean success() {
            return outcome == Outcome.BOUND || outcome == Outcome.ALREADY_BOUND_HERE;
        }
    }
}
