package io.policyscheduler.cmd.kube.election;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** A kind of object that can keep a leader's record, and where in it the record is. */
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

    /** Where other kinds than leases have the record, as the text of a JSON object. */
    static final String ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final String apiVersion;
    private final String kind;
    private final String collection;
    private final String transitionsField;
    private final DateTimeFormatter times;

    LockKind(String apiVersion, String kind, String collection) {
        // A LeaderElectionRecord has metav1.Time, which is of whole seconds.
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

    /** The record's field for {@link LeaderRecord#transitions}. */
    String transitionsField() {
        return transitionsField;
    }

    DateTimeFormatter times() {
        return times;
    }

    /**
     * The record in an object, with whatever fields it has; no object node when there is none.
     *
     * @throws JsonProcessingException when it is not JSON, or not of an object; client-go does not go on then either
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

    /** Puts a record into an object, in the place of the one that is there. */
    void put(ObjectNode object, ObjectNode record) {
        if (this == LEASE) {
            object.set("spec", record);
        } else {
            object.withObject("/metadata/annotations").put(ANNOTATION, record.toString());
        }
    }
}
