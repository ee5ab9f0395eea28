package io.policyscheduler.cmd.kube.election;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * A Lease object of coordination.k8s.io/v1. Any field may be missing; what is not known here stays as it is. Immutable.
 */
final class Lease {
    /** metav1.MicroTime: always six digits. */
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final ObjectNode object;

    private Lease(ObjectNode object) {
        this.object = object;
    }

    /** What the API server sent. */
    static Lease of(JsonNode object) {
        return new Lease(object instanceof ObjectNode node ? node.deepCopy() : JsonNodeFactory.instance.objectNode());
    }

    /** An object to create, without a holder. */
    static Lease create(String namespace, String name) {
        ObjectNode object = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", "coordination.k8s.io/v1")
                .put("kind", "Lease");
        object.putObject("metadata").put("namespace", namespace).put("name", name);
        return new Lease(object);
    }

    /** Empty when nobody holds it. */
    String holder() {
        return spec().path("holderIdentity").asText("");
    }

    /** The duration that its holder wrote; {@code missing} when there is none. */
    Duration duration(Duration missing) {
        long seconds = spec().path("leaseDurationSeconds").asLong(0);
        return seconds > 0 ? Duration.ofSeconds(seconds) : missing;
    }

    long transitions() {
        return spec().path("leaseTransitions").asLong(0);
    }

    /** True when nobody has written the record in between; labels and annotations do not count. */
    boolean isSameRecord(Lease other) {
        return spec().equals(other.spec());
    }

    private JsonNode spec() {
        return object.path("spec");
    }

    /** As renewed or taken over by a holder. Whole seconds, at least one, because the API has no others. */
    Lease heldBy(String identity, Duration duration, Instant now) {
        boolean taken = !holder().equals(identity);
        Lease copy = new Lease(object.deepCopy());
        boolean hasRecord = spec().isObject();
        ObjectNode spec = copy.object.withObject("/spec");
        spec.put("holderIdentity", identity)
                .put(
                        "leaseDurationSeconds",
                        Math.max(1, duration.plusMillis(999).toSeconds()));
        if (taken || !spec.path("acquireTime").isTextual()) {
            spec.put("acquireTime", MICRO_TIME.format(now));
        }
        spec.put("renewTime", MICRO_TIME.format(now));
        spec.put("leaseTransitions", transitions() + (taken && hasRecord ? 1 : 0));
        return copy;
    }

    /** As given back: without a holder, and over in a second for those who look at the duration only. */
    Lease released(Instant now) {
        Lease copy = new Lease(object.deepCopy());
        copy.object
                .withObject("/spec")
                .put("holderIdentity", "")
                .put("leaseDurationSeconds", 1)
                .put("acquireTime", MICRO_TIME.format(now))
                .put("renewTime", MICRO_TIME.format(now))
                .put("leaseTransitions", transitions());
        return copy;
    }

    ObjectNode json() {
        return object.deepCopy();
    }
}
