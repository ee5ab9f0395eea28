package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How to delete (meta/v1 DeleteOptions).
 *
 * @param gracePeriodSeconds null for the object's own
 * @param uid required uid; empty for any
 * @param resourceVersion required version; empty for any
 * @param dryRun whether to change nothing
 */
record DeleteOptions(@Nullable Long gracePeriodSeconds, String uid, String resourceVersion, boolean dryRun) {
    static DeleteOptions of(ApiRequest request) {
        DeleteOptions options = of(request.optionalBody());
        long inQuery = request.number("gracePeriodSeconds", -1);
        return new DeleteOptions(
                options.gracePeriodSeconds == null && inQuery >= 0 ? Long.valueOf(inQuery) : options.gracePeriodSeconds,
                options.uid,
                options.resourceVersion,
                options.dryRun || request.isDryRun());
    }

    static DeleteOptions of(ObjectNode body) {
        JsonNode grace = body.path("gracePeriodSeconds");
        boolean dryRun = Json.text(body.path("dryRun").path(0)).equals("All");
        return new DeleteOptions(
                grace.isNumber() ? Long.valueOf(Math.max(0, grace.asLong())) : null,
                Json.text(body, "preconditions", "uid"),
                Json.text(body, "preconditions", "resourceVersion"),
                dryRun);
    }
}
