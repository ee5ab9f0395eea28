package io.policyscheduler.cmd.embedded.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import org.jspecify.annotations.Nullable;

/**
 * How to delete (meta/v1 DeleteOptions).
 *
 * @param gracePeriodSeconds null for the object's own
 * @param uid required uid; empty for any
 * @param resourceVersion required version; empty for any
 * @param dryRun whether to change nothing
 * @param propagation what becomes of dependents: {@code Background}, {@code Foreground}, {@code Orphan}; empty for the default
 */
public record DeleteOptions(
        @Nullable Long gracePeriodSeconds, String uid, String resourceVersion, boolean dryRun, String propagation) {
    /** Options by which dependents are deleted in the background. */
    public DeleteOptions(@Nullable Long gracePeriodSeconds, String uid, String resourceVersion, boolean dryRun) {
        this(gracePeriodSeconds, uid, resourceVersion, dryRun, "");
    }

    /** The object with this uid, with the grace that it asks for. */
    public static DeleteOptions ofUid(String uid) {
        return new DeleteOptions(null, uid, "", false);
    }

    /** Those in a request's body. */
    public static DeleteOptions of(ObjectNode body) {
        JsonNode grace = body.path("gracePeriodSeconds");
        boolean dryRun = Json.text(body.path("dryRun").path(0)).equals("All");
        boolean orphan = body.path("orphanDependents").asBoolean();
        return new DeleteOptions(
                grace.isNumber() ? Long.valueOf(Math.max(0, grace.asLong())) : null,
                Json.text(body, "preconditions", "uid"),
                Json.text(body, "preconditions", "resourceVersion"),
                dryRun,
                orphan ? "Orphan" : Json.text(body, "propagationPolicy"));
    }
}
