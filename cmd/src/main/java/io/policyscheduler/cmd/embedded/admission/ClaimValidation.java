package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import java.util.ArrayList;
import java.util.List;

/** What may become of the status of a resource claim. Mirrors {@code pkg/apis/resource/validation} of 1.34. */
final class ClaimValidation {
    private ClaimValidation() {}

    /** Why its status may not be written so; empty when it may. */
    static List<Cause> statusChange(ObjectNode present, ObjectNode proposed) {
        JsonNode before = present.path("status");
        JsonNode after = proposed.path("status");
        JsonNode consumers = after.path("reservedFor");
        JsonNode allocation = after.path("allocation");
        boolean isDeleted = present.path("metadata").has("deletionTimestamp");
        List<Cause> causes = new ArrayList<>();
        if (!consumers.isEmpty() && allocation.isMissingNode()) {
            causes.add(Cause.forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
        } else if (isDeleted && addsConsumer(before.path("reservedFor"), consumers)) {
            causes.add(Cause.forbidden(
                    "status.reservedFor",
                    "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"));
        }
        JsonNode had = before.path("allocation");
        if (!had.isMissingNode() && !allocation.isMissingNode() && !had.equals(allocation)) {
            causes.add(immutable("status.allocation", allocation));
        }
        return causes;
    }

    private static Cause immutable(String field, JsonNode value) {
        return new Cause(field, "FieldValueInvalid", "Invalid value: " + value + ": field is immutable");
    }

    private static boolean addsConsumer(JsonNode before, JsonNode after) {
        for (JsonNode consumer : after) {
            boolean isKnown = false;
            for (JsonNode other : before) {
                isKnown |= Json.text(other, "uid").equals(Json.text(consumer, "uid"));
            }
            if (!isKnown) {
                return true;
            }
        }
        return false;
    }
}
