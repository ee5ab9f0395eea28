package io.policyscheduler.cmd.kube.election;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.election.LeaderElector.Deadline;
import io.policyscheduler.cmd.kube.election.LeaderElector.ElectionLock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of lock objects, all with the lock's name and namespace. Mirrors client-go tools/leaderelection/resourcelock up to
 * 1.26; the pairs are for a migration between kinds.
 */
public enum ResourceLock {
    /** The only one since 1.27, and the default of kube-scheduler since 1.20. */
    LEASES("leases", LockKind.LEASE),
    /** The default of kube-scheduler from 1.17 to 1.19. */
    ENDPOINTS_LEASES("endpointsleases", LockKind.ENDPOINTS, LockKind.LEASE),
    /** The default of kube-scheduler up to 1.16. */
    ENDPOINTS("endpoints", LockKind.ENDPOINTS),
    CONFIG_MAPS_LEASES("configmapsleases", LockKind.CONFIG_MAP, LockKind.LEASE),
    CONFIG_MAPS("configmaps", LockKind.CONFIG_MAP);

    private final String text;
    private final List<LockKind> kinds;

    ResourceLock(String text, LockKind... kinds) {
        this.text = text;
        this.kinds = List.of(kinds);
    }

    /** The text in {@code --leader-elect-resource-lock} and {@code resourceLock}. */
    public String text() {
        return text;
    }

    /** In the order of reads and writes. */
    List<LockKind> kinds() {
        return kinds;
    }

    /** The resources for which a candidate needs permissions, with their RBAC names. */
    String resources() {
        return kinds.stream().map(LockKind::resource).collect(Collectors.joining(" and "));
    }

    /** The lock with this text; empty if there is none. */
    public static Optional<ResourceLock> find(String text) {
        return Arrays.stream(values()).filter(lock -> lock.text.equals(text)).findFirst();
    }

    /** The texts that {@link #find} accepts. */
    public static List<String> texts() {
        return Arrays.stream(values()).map(ResourceLock::text).toList();
    }

    /** A kind of lock object, and the place of the record in it. */
    enum LockKind {
        /** The record is the spec; its times are metav1.MicroTime, always with six digits. */
        LEASE(
                "coordination.k8s.io/v1",
                "Lease",
                "/apis/coordination.k8s.io/v1/namespaces/%s/leases",
                "leaseTransitions",
                "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"),
        ENDPOINTS("v1", "Endpoints", "/api/v1/namespaces/%s/endpoints"),
        CONFIG_MAP("v1", "ConfigMap", "/api/v1/namespaces/%s/configmaps");

        /** Kinds other than leases have the record in an annotation, as the text of a JSON object. */
        static final String ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

        private static final ObjectMapper MAPPER =
                new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

        private final String apiVersion;
        private final String kind;
        private final String collection;
        private final String transitionsField;
        private final DateTimeFormatter times;

        LockKind(String apiVersion, String kind, String collection) {
            // LeaderElectionRecord uses metav1.Time, which has whole seconds.
            this(apiVersion, kind, collection, "leaderTransitions", "yyyy-MM-dd'T'HH:mm:ss'Z'");
        }

        LockKind(String apiVersion, String kind, String collection, String transitionsField, String times) {
            this.apiVersion = apiVersion;
            this.kind = kind;
            this.collection = collection;
            this.transitionsField = transitionsField;
            this.times = DateTimeFormatter.ofPattern(times).withZone(ZoneOffset.UTC);
        }

        String apiVersion() {
            return apiVersion;
        }

        String kind() {
            return kind;
        }

        /** The resource with its API group. */
        String resource() {
            return this == LEASE ? "leases.coordination.k8s.io" : collection.substring(collection.lastIndexOf('/') + 1);
        }

        /** The path of all objects of this kind in a namespace. */
        String collection(String namespace) {
            return collection.formatted(namespace);
        }

        /** The record's field for {@link LeaderElectionRecord#transitions}. */
        String transitionsField() {
            return transitionsField;
        }

        DateTimeFormatter times() {
            return times;
        }

        /**
         * The record in an object, with all its fields; a missing node if there is none.
         *
         * @throws JsonProcessingException if it is not a JSON object; client-go fails, too
         */
        JsonNode find(JsonNode object) throws JsonProcessingException {
            if (this == LEASE) {
                return object.path("spec");
            }
            JsonNode annotation = object.path("metadata").path("annotations").path(ANNOTATION);
            if (!annotation.isTextual()) {
                return annotation;
            }
            JsonNode record = MAPPER.readTree(annotation.asText());
            if (!record.isObject() && !record.isNull()) {
                throw new JsonParseException(null, "not an object: " + annotation);
            }
            return record;
        }

        /** Replaces the record of an object. */
        void put(ObjectNode object, ObjectNode record) {
            if (this == LEASE) {
                object.set("spec", record);
            } else {
                object.withObject("/metadata/annotations").put(ANNOTATION, record.toString());
            }
        }
    }

    /**
     * The record of all objects of a lock. Mirrors MultiLock of client-go, and also handles what it ignores: a second object
     * without the first one, and the versions that were read, which are those that are replaced.
     *
     * @param objects at least one, in the order of reads and writes
     */
    record LockState(List<LockObject> objects) {
        /** The holder if the objects differ; not a valid identity. */
        static final String UNKNOWN_HOLDER = "leaderelection.k8s.io/unknown";

        LockState {
            objects = List.copyOf(objects);
        }

        /** Empty if there is no holder, {@link #UNKNOWN_HOLDER} if the objects differ. */
        String holder() {
            List<String> holders = objects.stream()
                    .filter(LockObject::isPresent)
                    .map(object -> object.record().holder())
                    .distinct()
                    .toList();
            return switch (holders.size()) {
                case 0 -> "";
                case 1 -> holders.get(0);
                default -> UNKNOWN_HOLDER;
            };
        }

        /** The longest duration in the objects; {@code missing} for absent ones. */
        Duration duration(Duration missing) {
            return objects.stream()
                    .filter(LockObject::isPresent)
                    .map(object -> object.record().leaseSeconds())
                    .map(seconds -> seconds > 0 ? Duration.ofSeconds(seconds) : missing)
                    .max(Duration::compareTo)
                    .orElse(missing);
        }

        /** Whether the record is unchanged. */
        boolean isSameRecord(LockState other) {
            return objects.size() == other.objects.size()
                    && IntStream.range(0, objects.size())
                            .allMatch(i -> objects.get(i).isSameRecord(other.objects.get(i)));
        }

        /** The lock after a renewal or an acquisition: one record for all objects, which continues the first existing one. */
        LockState heldBy(String identity, Duration duration, Instant now) {
            LeaderElectionRecord before = objects.stream()
                    .filter(LockObject::hasRecord)
                    .findFirst()
                    .map(LockObject::record)
                    .orElse(LeaderElectionRecord.NONE);
            boolean renewed = holder().equals(identity) || objects.stream().noneMatch(LockObject::hasRecord);
            LeaderElectionRecord record =
                    renewed ? before.renewed(identity, duration, now) : before.taken(identity, duration, now);
            return new LockState(
                    objects.stream().map(object -> object.with(record)).toList());
        }

        /** The lock after a release. Absent objects are not created. */
        LockState released(Instant now) {
            return new LockState(objects.stream()
                    .filter(LockObject::isStored)
                    .map(object -> object.with(object.record().released(now)))
                    .toList());
        }
    }

    /** One object of a lock, as read or to be written. All fields can be absent; unknown fields are preserved. Immutable. */
    static final class LockObject {
        private final LockKind kind;
        private final boolean stored;
        private final ObjectNode object;
        private final JsonNode json;

        private LockObject(LockKind kind, boolean stored, ObjectNode object, JsonNode json) {
            this.kind = kind;
            this.stored = stored;
            this.object = object;
            this.json = json;
        }

        /**
         * An object from the API server.
         *
         * @throws JsonProcessingException if its record is invalid
         */
        static LockObject stored(LockKind kind, JsonNode object) throws JsonProcessingException {
            ObjectNode copy =
                    object instanceof ObjectNode node ? node.deepCopy() : JsonNodeFactory.instance.objectNode();
            return new LockObject(kind, true, copy, kind.find(copy));
        }

        /** An absent object, which a write creates. */
        static LockObject absent(LockKind kind, String namespace, String name) {
            ObjectNode object = JsonNodeFactory.instance
                    .objectNode()
                    .put("apiVersion", kind.apiVersion())
                    .put("kind", kind.kind());
            object.putObject("metadata").put("namespace", namespace).put("name", name);
            return new LockObject(kind, false, object, MissingNode.getInstance());
        }

        LockKind kind() {
            return kind;
        }

        boolean isStored() {
            return stored;
        }

        /** Whether the object exists, possibly without a record, or will be created. */
        boolean isPresent() {
            return stored || hasRecord();
        }

        /** Whether there is a record, even without fields. */
        boolean hasRecord() {
            return json.isObject();
        }

        LeaderElectionRecord record() {
            return LeaderElectionRecord.read(kind, json);
        }

        /** Whether the record is unchanged; labels and other annotations are ignored. */
        boolean isSameRecord(LockObject other) {
            return kind == other.kind && json.equals(other.json);
        }

        LockObject with(LeaderElectionRecord record) {
            ObjectNode written =
                    json instanceof ObjectNode node ? node.deepCopy() : JsonNodeFactory.instance.objectNode();
            record.write(kind, written);
            ObjectNode copy = object.deepCopy();
            kind.put(copy, written);
            return new LockObject(kind, stored, copy, written);
        }

        ObjectNode json() {
            return object.deepCopy();
        }
    }

    /**
     * The record of a leader. Mirrors LeaderElectionRecord of client-go and the spec of a Lease. Decisions do not depend on its
     * times, which come from other clocks.
     *
     * @param holder empty for none
     * @param leaseSeconds duration of the lease; not positive if absent
     * @param acquireTime since when the holder is the leader; null if absent or invalid
     * @param renewTime time of the record; null if absent or invalid
     * @param transitions number of changes of the holder, limited to an int32
     */
    record LeaderElectionRecord(
            String holder,
            long leaseSeconds,
            @Nullable Instant acquireTime,
            @Nullable Instant renewTime,
            long transitions) {
        static final LeaderElectionRecord NONE = new LeaderElectionRecord("", 0, null, null, 0);

        /** All fields can be absent. */
        static LeaderElectionRecord read(LockKind kind, JsonNode json) {
            return new LeaderElectionRecord(
                    json.path("holderIdentity").asText(""),
                    json.path("leaseDurationSeconds").asLong(0),
                    time(json.path("acquireTime")),
                    time(json.path("renewTime")),
                    json.path(kind.transitionsField()).asLong(0));
        }

        private static @Nullable Instant time(JsonNode text) {
            try {
                return Instant.parse(text.asText(""));
            } catch (DateTimeParseException e) {
                return null;
            }
        }

        /** Overwrites the fields of the record; others stay. */
        void write(LockKind kind, ObjectNode json) {
            json.put("holderIdentity", holder);
            json.put("leaseDurationSeconds", leaseSeconds);
            putTime(kind, json, "acquireTime", acquireTime);
            putTime(kind, json, "renewTime", renewTime);
            json.put(kind.transitionsField(), transitions);
        }

        private static void putTime(LockKind kind, ObjectNode json, String field, @Nullable Instant time) {
            if (time == null) {
                json.remove(field);
            } else {
                json.put(field, kind.times().format(time));
            }
        }

        /** The record after a renewal. Whole seconds, at least one, as in the API. */
        LeaderElectionRecord renewed(String identity, Duration duration, Instant now) {
            return new LeaderElectionRecord(
                    identity, seconds(duration), acquireTime == null ? now : acquireTime, now, transitions);
        }

        /** The record after an acquisition. */
        LeaderElectionRecord taken(String identity, Duration duration, Instant now) {
            return new LeaderElectionRecord(
                    identity, seconds(duration), now, now, Math.min(Integer.MAX_VALUE, transitions + 1));
        }

        /**
         * The record after a release: without a holder, and with a duration of one second for clients that only read the
         * duration.
         */
        LeaderElectionRecord released(Instant now) {
            return new LeaderElectionRecord("", 1, now, now, transitions);
        }

        private static long seconds(Duration duration) {
            return Math.max(1, duration.plusMillis(999).toSeconds());
        }
    }

    /** A lock in objects of the API server. */
    static final class LockClient implements ElectionLock {
        private static final int NOT_FOUND = 404;
        private static final int CONFLICT = 409;

        private final KubeConnection connection;
        private final ResourceLock lock;
        private final String namespace;
        private final String name;

        LockClient(KubeConnection connection, LeaderElectionConfig settings) {
            this.connection = connection;
            this.lock = settings.lock();
            this.namespace = settings.namespace();
            this.name = settings.name();
        }

        @Override
        public LockState read(Deadline time) throws ApiIoException {
            List<LockObject> objects = new ArrayList<>();
            for (LockKind kind : lock.kinds()) {
                objects.add(read(kind, time));
            }
            return new LockState(objects);
        }

        private LockObject read(LockKind kind, Deadline time) throws ApiIoException {
            String path = path(kind);
            ApiResponse response = connection.withTimeout(time.get()).get(path);
            if (response.code() == NOT_FOUND) {
                return LockObject.absent(kind, namespace, name);
            }
            require(response, "GET " + path);
            JsonNode object;
            try {
                object = response.json();
            } catch (IOException e) {
                throw new ApiIoException("GET " + path + ": the response is not JSON", e);
            }
            try {
                return LockObject.stored(kind, object);
            } catch (JsonProcessingException e) {
                throw new ApiIoException(
                        "GET " + path + ": the annotation " + LockKind.ANNOTATION
                                + " is not a leader election record; remove it if no process is the leader",
                        e);
            }
        }

        @Override
        public boolean write(LockState state, Deadline time) throws ApiIoException {
            for (LockObject object : state.objects()) {
                if (!write(object, time)) {
                    return false;
                }
            }
            return true;
        }

        private boolean write(LockObject object, Deadline time) throws ApiIoException {
            KubeConnection timed = connection.withTimeout(time.get());
            byte[] body = object.json().toString().getBytes(StandardCharsets.UTF_8);
            String collection = object.kind().collection(namespace);
            String path = path(object.kind());
            ApiResponse response = object.isStored() ? timed.put(path, body) : timed.post(collection, body);
            if (response.code() == CONFLICT) {
                return false;
            }
            require(response, object.isStored() ? "PUT " + path : "POST " + collection);
            return true;
        }

        private String path(LockKind kind) {
            return kind.collection(namespace) + "/" + name;
        }

        private static void require(ApiResponse response, String call) throws ApiIoException {
            if (!response.success()) {
                throw new ApiIoException(call + ": " + response, response.code());
            }
        }
    }
}
