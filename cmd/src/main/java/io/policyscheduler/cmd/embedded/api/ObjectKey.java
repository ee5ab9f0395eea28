package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;

/**
 * Namespace and name; the order is that of lists.
 *
 * @param namespace empty for objects outside namespaces
 * @param name object name
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    private static final Comparator<ObjectKey> ORDER =
            Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

    public static ObjectKey of(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return new ObjectKey(Json.text(metadata, "namespace"), Json.text(metadata, "name"));
    }

    @Override
    public int compareTo(ObjectKey other) {
        return ORDER.compare(this, other);
    }
}
