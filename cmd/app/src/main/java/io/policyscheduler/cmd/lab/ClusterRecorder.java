package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Sets;
import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.table.PodUsage.Use;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The writer of the changes in a cluster: turns the states of objects, as watches return them, into the lines of a trace
 * (docs/trace-format.md). It caches the node and the state of each pod, and the text of other objects. Thread-safe.
 */
final class ClusterRecorder {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TEMPLATE_DIGITS = 16;
    /** Decimals of cores. */
    private static final int NANO_DIGITS = 9;
    /** Fields of containers that decisions read. */
    private static final Set<String> CONTAINER = Set.of("name", "image", "resources", "ports", "restartPolicy");
    /** Kinds whose status and pod template no scheduler reads. */
    private static final Set<ResourceKind> WITHOUT_STATUS = Sets.immutableEnumSet(
            ResourceKind.SERVICES,
            ResourceKind.REPLICATION_CONTROLLERS,
            ResourceKind.REPLICA_SETS,
            ResourceKind.STATEFUL_SETS,
            ResourceKind.NAMESPACES);
    /** Fields of pods that differ between pods of one template. */
    private static final Set<String> OF_ONE_POD = Set.of(
            "name",
            "generateName",
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "selfLink",
            "managedFields",
            "ownerReferences",
            "namespace",
            "finalizers");

    /** Fields of the status of a pod with the requests in use. */
    private static final List<String> RESIZE =
            List.of("containerStatuses", "initContainerStatuses", "allocatedResources", "resources", "conditions");
    /** Since 1.35, the API server copies these labels of the node when it binds the pod. */
    private static final Set<String> OF_NODE = Set.of("topology.kubernetes.io/zone", "topology.kubernetes.io/region");

    private final TraceWriter trace;
    private final InstantSource clock;
    private final UnaryOperator<@Nullable ObjectNode> anonymous;
    private final Map<String, Pod> pods = new LinkedHashMap<>();
    private final Map<ResourceKind, Map<String, String>> objects = new EnumMap<>(ResourceKind.class);
    private final Set<String> templates = new HashSet<>();
    private final Set<ResourceKind> listed = EnumSet.noneOf(ResourceKind.class);
    private final Map<ResourceKind, Instant> lost = new EnumMap<>(ResourceKind.class);
    private long lines;

    /** The state of a pod. */
    private static final class Pod {
        /** Namespace and name in the cluster, also in an anonymous record. */
        private final String key;

        private boolean gated;
        private String node = "";
        private boolean started;
        private String nominated = "";
        private boolean terminating;
        /** A hash of the fields that may change and that decisions read. */
        private long version;

        Pod(String key) {
            this.key = key;
        }
    }

    /**
     * A recorder of one process.
     *
     * @param anonymous returns a copy of an object without names of the cluster, null to omit it; identity for none
     */
    ClusterRecorder(TraceWriter trace, InstantSource clock, UnaryOperator<@Nullable ObjectNode> anonymous) {
        this.trace = trace;
        this.clock = clock;
        this.anonymous = anonymous;
    }

    /**
     * Begins a list of the whole cluster, which replaces all earlier lines.
     *
     * @param serverVersion gitVersion of the API server
     */
    synchronized void begin(String serverVersion) {
        write("begin", fields().put("serverVersion", serverVersion));
    }

    /** Returns the number of lines that were written. */
    synchronized long lines() {
        return lines;
    }

    /** Returns whether the first list of a kind has arrived. */
    synchronized boolean isListed(ResourceKind kind) {
        return listed.contains(kind);
    }

    /** Makes the written lines readable. */
    synchronized void flush() throws IOException {
        trace.flush();
    }

    /** The watch of a kind has a gap. */
    synchronized void lost(ResourceKind kind) {
        lost.putIfAbsent(kind, clock.instant());
    }

    /** The watch of a kind continues after a gap. */
    synchronized void resumed(ResourceKind kind) {
        lost.remove(kind);
    }

    /** All objects of a kind; other known objects are deleted. */
    synchronized void replaced(ResourceKind kind, List<ObjectNode> items) {
        Instant since = lost.remove(kind);
        if (since != null && listed.contains(kind)) {
            write("gap", gap(since).put("kind", kind.objectKind()));
        }
        if (listed.add(kind)) {
            for (ObjectNode item : items) {
                snapshot(kind, item);
            }
            return;
        }
        Set<String> present = new HashSet<>();
        for (ObjectNode item : items) {
            present.add(kind == ResourceKind.PODS ? uid(item) : key(item));
            upserted(kind, item);
        }
        if (kind == ResourceKind.PODS) {
            for (Map.Entry<String, Pod> known : new ArrayList<>(pods.entrySet())) {
                if (!present.contains(known.getKey())) {
                    end(known.getKey(), "Deleted");
                }
            }
        } else {
            for (String key : List.copyOf(of(kind).keySet())) {
                if (!present.contains(key)) {
                    gone(kind, key);
                }
            }
        }
    }

    /** Changes since this time are missing. */
    ObjectNode gap(Instant since) {
        Duration from = Duration.between(trace.start(), since);
        return fields().put("from", from.toMillis() / 1000.0)
                .put("to", Duration.between(trace.start(), clock.instant()).toMillis() / 1000.0);
    }

    /** Changes from the last line of an earlier process until now are missing. */
    synchronized void resumedAfter(Instant last) {
        write("gap", gap(last));
    }

    private void snapshot(ResourceKind kind, ObjectNode item) {
        ObjectNode slim = slim(kind, item);
        if (slim == null) {
            return;
        }
        if (kind == ResourceKind.PODS) {
            if (isFinished(slim)) {
                return;
            }
            Pod pod = new Pod(key(item));
            pod.gated = isGated(slim);
            pod.node = node(slim);
            pod.started = isStarted(slim);
            pod.nominated = nominated(slim);
            pod.terminating = isTerminating(slim);
            pod.version = version(slim);
            pods.put(uid(slim), pod);
        } else {
            of(kind).put(key(slim), slim.toString());
        }
        write("snap", fields().set("object", slim));
    }

    /** An object was added or changed. */
    synchronized void upserted(ResourceKind kind, ObjectNode item) {
        ObjectNode slim = slim(kind, item);
        if (slim == null) {
            return;
        }
        if (kind == ResourceKind.PODS) {
            pod(slim, key(item));
            return;
        }
        String key = key(slim);
        String known = of(kind).put(key, slim.toString());
        if (known == null) {
            write("obj", about("add", kind, key).set("object", slim));
            return;
        }
        ObjectNode patch = MergePatch.of(parsed(known), slim);
        if (!patch.isEmpty()) {
            write("obj", about("update", kind, key).set("patch", patch));
        }
    }

    /** A deleted object, with its last state. */
    synchronized void deleted(ResourceKind kind, ObjectNode item) {
        ObjectNode slim = slim(kind, item);
        if (slim == null) {
            return;
        }
        if (kind == ResourceKind.PODS) {
            if (pods.containsKey(uid(slim))) {
                end(uid(slim), howEnded(slim));
            }
        } else {
            gone(kind, key(slim));
        }
    }

    /**
     * The measured use of pods; that of pods without a node, and of unknown ones, is not recorded.
     *
     * @param byPod by namespace and name
     * @param valid how long a value is valid if no other one follows
     */
    synchronized void used(Map<String, Use> byPod, Duration valid) {
        pods.forEach((uid, pod) -> {
            Use use = pod.node.isEmpty() ? null : byPod.get(pod.key);
            if (use != null) {
                write(
                        "use",
                        fields().put("uid", uid)
                                .put("cpu", cores(use))
                                .put("mem", Math.round(use.bytes()))
                                .put("for", valid.toSeconds()));
            }
        });
    }

    private static BigDecimal cores(Use use) {
        return BigDecimal.valueOf(use.cores())
                .setScale(NANO_DIGITS, RoundingMode.HALF_UP)
                .stripTrailingZeros();
    }

    private void gone(ResourceKind kind, String key) {
        if (of(kind).remove(key) != null) {
            write("obj", about("delete", kind, key));
        }
    }

    private void pod(ObjectNode object, String key) {
        String uid = uid(object);
        Pod pod = pods.get(uid);
        if (pod == null) {
            if (isFinished(object)) {
                return;
            }
            pod = new Pod(key);
            pod.gated = isGated(object);
            pod.version = version(object);
            pods.put(uid, pod);
            arrived(uid, object);
        }
        long version = version(object);
        if (version != pod.version) {
            pod.version = version;
            write("upd", fields().put("uid", uid).put("tpl", recordedTemplate(object)));
        }
        if (pod.gated && !isGated(object)) {
            pod.gated = false;
            write("gate-", fields().put("uid", uid));
        }
        String nominated = nominated(object);
        // The bind ends the nomination.
        if (node(object).isEmpty() && !nominated.equals(pod.nominated)) {
            pod.nominated = nominated;
            write("nom", fields().put("uid", uid).put("node", nominated));
        }
        if (pod.node.isEmpty() && !node(object).isEmpty()) {
            pod.node = node(object);
            write("bind", fields().put("uid", uid).put("node", pod.node));
        }
        if (!pod.started && isStarted(object)) {
            pod.started = true;
            write("run", fields().put("uid", uid));
        }
        if (!pod.terminating && isTerminating(object)) {
            pod.terminating = true;
            write("term", fields().put("uid", uid));
        }
        if (isFinished(object)) {
            end(uid, howEnded(object));
        }
    }

    /** Returns the ID of the template of a pod, whose line is written before the first use. */
    private String recordedTemplate(ObjectNode object) {
        ObjectNode template = template(object);
        String id = Hashing.sha256()
                .hashString(template.toString(), StandardCharsets.UTF_8)
                .toString()
                .substring(0, TEMPLATE_DIGITS);
        if (templates.add(id)) {
            write("tpl", fields().put("id", id).set("object", template));
        }
        return id;
    }

    private void arrived(String uid, ObjectNode object) {
        String id = recordedTemplate(object);
        JsonNode metadata = object.path("metadata");
        ObjectNode line = fields().put("uid", uid)
                .put("ns", metadata.path("namespace").asText())
                .put("name", metadata.path("name").asText())
                .put("tpl", id);
        for (JsonNode owner : metadata.path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                line.set("owner", owner);
            }
        }
        if (isGated(object)) {
            line.put("gated", true);
        }
        if (!node(object).isEmpty()) {
            line.put("placed", true);
        }
        write("pod", line);
    }

    private void end(String uid, String how) {
        if (pods.remove(uid) != null) {
            write("end", fields().put("uid", uid).put("how", how));
        }
    }

    private Map<String, String> of(ResourceKind kind) {
        return objects.computeIfAbsent(kind, any -> new LinkedHashMap<>());
    }

    private static ObjectNode fields() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static ObjectNode about(String verb, ResourceKind kind, String key) {
        return fields().put("verb", verb).put("kind", kind.objectKind()).put("key", key);
    }

    private void write(String line, JsonNode fields) {
        try {
            trace.write(line, clock.instant(), (ObjectNode) fields);
            lines++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode parsed(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A copy without fields that change often and that no scheduler reads. */
    private @Nullable ObjectNode slim(ResourceKind kind, ObjectNode item) {
        ObjectNode copy = item.deepCopy();
        Dump.removeServerFields(copy);
        copy.put("kind", kind.objectKind());
        if (!copy.has("apiVersion")) {
            // Items of a list do not repeat it.
            String version = kind.versions().get(0);
            copy.put("apiVersion", kind.group().isEmpty() ? version : kind.group() + "/" + version);
        }
        if (copy.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove(List.of("resourceVersion", "selfLink", "generation"));
        }
        if (WITHOUT_STATUS.contains(kind)) {
            copy.remove("status");
            if (copy.path("spec") instanceof ObjectNode spec) {
                spec.remove("template");
            }
        }
        if (kind == ResourceKind.NODES) {
            for (JsonNode condition : copy.path("status").path("conditions")) {
                ((ObjectNode) condition).remove(List.of("lastHeartbeatTime", "lastTransitionTime", "message"));
            }
        }
        if (kind == ResourceKind.PODS && copy.path("spec") instanceof ObjectNode spec) {
            slimSpec(spec);
        }
        return anonymous.apply(copy);
    }

    /** Removes what differs between pods of one template, and what no decision reads. */
    static void slimSpec(ObjectNode spec) {
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : spec.path(list)) {
                ((ObjectNode) container).retain(CONTAINER);
            }
        }
        spec.remove("ephemeralContainers");
        if (spec.path("volumes").isArray()) {
            // Each pod has another name for the volume of its token, which no scheduler reads.
            List<JsonNode> volumes = new ArrayList<>();
            spec.path("volumes").forEach(volume -> {
                if (!volume.has("projected")) {
                    volumes.add(volume);
                }
            });
            spec.putArray("volumes").addAll(volumes);
        }
    }

    private static ObjectNode template(ObjectNode object) {
        ObjectNode template = object.deepCopy();
        template.remove("status");
        ObjectNode resize = resize(object);
        if (!resize.isEmpty()) {
            template.set("status", resize);
        }
        if (template.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove(OF_ONE_POD);
        }
        if (template.path("spec") instanceof ObjectNode spec) {
            spec.remove(List.of("nodeName", "schedulingGates"));
        }
        return template;
    }

    /** Annotations are not part of it: network plugins set one of their own on each pod. */
    private static long version(ObjectNode pod) {
        ObjectNode fields = fields();
        fields.withObject("/labels");
        pod.at("/metadata/labels").properties().forEach(label -> {
            if (!OF_NODE.contains(label.getKey())) {
                fields.withObject("/labels").set(label.getKey(), label.getValue());
            }
        });
        fields.set("spec", fields().setAll((ObjectNode) pod.withObject("/spec")));
        fields.withObject("/spec").remove(List.of("nodeName", "schedulingGates"));
        fields.set("resize", resize(pod));
        return Hashing.sha256()
                .hashString(fields.toString(), StandardCharsets.UTF_8)
                .asLong();
    }

    /** Gives a pod the labels, the spec, and the requests in use of a template. */
    static void update(ObjectNode pod, ObjectNode template) {
        ObjectNode spec = template.path("spec").deepCopy();
        for (String own : List.of("nodeName", "schedulingGates")) {
            if (pod.path("spec").has(own)) {
                spec.set(own, pod.path("spec").get(own));
            }
        }
        pod.set("spec", spec);
        pod.withObject("/metadata").remove("labels");
        if (template.at("/metadata/labels") instanceof ObjectNode labels) {
            pod.withObject("/metadata").set("labels", labels.deepCopy());
        }
        pod.withObject("/status").remove(RESIZE);
        if (template.path("status") instanceof ObjectNode resize) {
            pod.withObject("/status").setAll(resize.deepCopy());
        }
    }

    /** Returns the part of the status that counts while a resize is not complete; empty otherwise. */
    private static ObjectNode resize(ObjectNode pod) {
        ObjectNode resize = fields();
        for (String kind : List.of("containers", "initContainers")) {
            for (JsonNode container : pod.path("spec").path(kind)) {
                String statuses = kind.equals("containers") ? "containerStatuses" : "initContainerStatuses";
                for (JsonNode status : pod.path("status").path(statuses)) {
                    if (status.path("name").equals(container.path("name"))
                            && isOther(status, container.path("resources").path("requests"))) {
                        resize.withArray("/" + statuses)
                                .add(((ObjectNode) status.deepCopy())
                                        .retain("name", "allocatedResources", "resources"));
                    }
                }
            }
        }
        if (pod.path("spec").has("resources") && isOther(pod.path("status"), pod.at("/spec/resources/requests"))) {
            resize.set("resources", pod.at("/status/resources"));
            if (pod.path("status").has("allocatedResources")) {
                resize.set("allocatedResources", pod.at("/status/allocatedResources"));
            }
        }
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("PodResizePending")) {
                resize.withArray("/conditions")
                        .add(((ObjectNode) condition.deepCopy()).retain("type", "status", "reason"));
            }
        }
        return resize;
    }

    /** Whether the requests in use, or the allocated ones, are not those of the spec. */
    private static boolean isOther(JsonNode status, JsonNode requests) {
        JsonNode inUse = status.path("resources").path("requests");
        JsonNode allocated = status.path("allocatedResources");
        return status.has("resources")
                && ((!inUse.isMissingNode() && !inUse.equals(requests))
                        || (!allocated.isMissingNode() && !allocated.equals(requests)));
    }

    private static String uid(JsonNode object) {
        return object.path("metadata").path("uid").asText();
    }

    static String key(JsonNode object) {
        String namespace = object.path("metadata").path("namespace").asText("");
        String name = object.path("metadata").path("name").asText();
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    private static String node(JsonNode pod) {
        return pod.path("spec").path("nodeName").asText("");
    }

    private static String nominated(JsonNode pod) {
        return node(pod).isEmpty()
                ? pod.path("status").path("nominatedNodeName").asText("")
                : "";
    }

    private static boolean isTerminating(JsonNode pod) {
        return pod.path("metadata").has("deletionTimestamp");
    }

    private static boolean isGated(JsonNode pod) {
        return !pod.path("spec").path("schedulingGates").isEmpty();
    }

    private static boolean isStarted(JsonNode pod) {
        return pod.path("status").path("phase").asText().equals("Running");
    }

    private static boolean isFinished(JsonNode pod) {
        String phase = pod.path("status").path("phase").asText();
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    /** Returns why a pod ended, from its last state. */
    static String howEnded(JsonNode pod) {
        JsonNode status = pod.path("status");
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asText().equals("DisruptionTarget")
                    && condition.path("status").asText().equals("True")) {
                switch (condition.path("reason").asText()) {
                    case "PreemptionByScheduler", "PreemptionByKubeScheduler" -> {
                        return "Preempted";
                    }
                    case "EvictionByEvictionAPI" -> {
                        return "Evicted";
                    }
                    case "DeletionByTaintManager", "DeletionByPodGC" -> {
                        return "NodeLost";
                    }
                    default -> {
                        // Reasons of later releases.
                    }
                }
            }
        }
        String reason = status.path("reason").asText();
        return switch (status.path("phase").asText()) {
            case "Succeeded" -> "Succeeded";
            case "Failed" ->
                reason.equals("Evicted")
                        ? "Evicted"
                        : reason.startsWith("OutOf") || reason.equals("NodeAffinity") ? "Refused" : "Failed";
            default -> reason.equals("NodeLost") ? "NodeLost" : "Deleted";
        };
    }

    /** JSON merge patches (RFC 7386). */
    static final class MergePatch {
        private MergePatch() {}

        /** Returns the patch that makes {@code to} of {@code from}; empty if they are equal. */
        static ObjectNode of(JsonNode from, JsonNode to) {
            ObjectNode patch = JsonNodeFactory.instance.objectNode();
            from.fieldNames().forEachRemaining(name -> {
                if (!to.has(name)) {
                    patch.putNull(name);
                }
            });
            to.properties().forEach(field -> {
                JsonNode before = from.get(field.getKey());
                JsonNode now = field.getValue();
                if (before == null) {
                    patch.set(field.getKey(), now);
                } else if (before.isObject() && now.isObject()) {
                    ObjectNode inner = of(before, now);
                    if (!inner.isEmpty()) {
                        patch.set(field.getKey(), inner);
                    }
                } else if (!before.equals(now)) {
                    patch.set(field.getKey(), now);
                }
            });
            return patch;
        }

        /** Applies a patch. */
        static void apply(ObjectNode object, JsonNode patch) {
            patch.properties().forEach(field -> {
                JsonNode value = field.getValue();
                if (value.isNull()) {
                    object.remove(field.getKey());
                } else if (value.isObject()) {
                    JsonNode inner = object.path(field.getKey());
                    ObjectNode target = inner instanceof ObjectNode known ? known : object.putObject(field.getKey());
                    apply(target, value);
                } else {
                    object.set(field.getKey(), value);
                }
            });
        }
    }
}
