package io.policyscheduler.cmd.embedded.printing;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;

/** How long ago something was, as kubectl says it. */
final class Ages {
    private final Clock clock;

    Ages(Clock clock) {
        this.clock = clock;
    }

    Column column() {
        return Column.text("Age", object -> since(Json.text(object, "metadata", "creationTimestamp")));
    }

    String since(String time) {
        if (time.isEmpty()) {
            return "<unknown>";
        }
        try {
            return HumanDuration.format(
                    Duration.between(OffsetDateTime.parse(time).toInstant(), clock.instant()));
        } catch (DateTimeException e) {
            return "<invalid>";
        }
    }

    /** From a time until another one, or until now when that is empty. */
    String between(String from, String to) {
        if (from.isEmpty() || to.isEmpty()) {
            return from.isEmpty() ? "" : since(from);
        }
        return HumanDuration.format(Duration.between(OffsetDateTime.parse(from), OffsetDateTime.parse(to)));
    }

    /** The start of a Job's duration; empty when it has not started. */
    static String start(JsonNode job) {
        return Json.text(job, "status", "startTime");
    }
}
