package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.server.OtherColumns.NodeColumns;
import io.policyscheduler.cmd.embedded.server.WorkloadColumns.PodColumns;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The columns that kubectl prints, computed by the server as meta.k8s.io/v1 Tables (pkg/printers/internalversion). */
public final class Tables {
    private final Map<String, List<Column>> byResource;
    private final List<Column> generic;

    /** Tables with ages by a clock. */
    public Tables(Clock clock) {
        Ages ages = new Ages(clock);
        this.generic = List.of(
                Column.ofName(),
                Column.text("Created At", object -> Json.text(object, "metadata", "creationTimestamp")));
        this.byResource = ImmutableMap.<String, List<Column>>builder()
                .put("pods", PodColumns.of(ages))
                .put("nodes", NodeColumns.of(ages))
                .putAll(WorkloadColumns.of(ages))
                .putAll(OtherColumns.of(ages))
                .buildOrThrow();
    }

    /** The objects as a table. */
    public ObjectNode table(ResourceRequest target, ApiRequest request, List<ObjectNode> objects) {
        List<Column> columns = byResource.getOrDefault(target.type().qualifiedName(), generic);
        ObjectNode table = Json.object().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
        ObjectNode metadata = table.putObject("metadata");
        if (objects.size() == 1) {
            metadata.put("resourceVersion", Json.text(objects.get(0), "metadata", "resourceVersion"));
        }
        ArrayNode definitions = table.putArray("columnDefinitions");
        for (Column column : columns) {
            definitions
                    .addObject()
                    .put("name", column.name())
                    .put("type", column.type())
                    .put("format", column.name().equals("Name") ? "name" : "")
                    .put("description", "")
                    .put("priority", column.priority());
        }
        boolean whole = request.parameter("includeObject").equals("Object");
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            columns.forEach(column -> cells.add(column.cell().apply(object)));
            if (target.type().isPod()) {
                finished(object, row);
            }
            row.set("object", whole ? target.external(object) : partial(object));
        }
        return table;
    }

    /** Rows of finished pods are marked, so that clients can hide them. */
    private static void finished(JsonNode pod, ObjectNode row) {
        String phase = Json.text(pod, "status", "phase");
        if (phase.equals("Succeeded") || phase.equals("Failed")) {
            row.putArray("conditions")
                    .addObject()
                    .put("type", "Completed")
                    .put("status", "True")
                    .put("reason", phase)
                    .put("message", phase.equals("Failed") ? "The pod failed." : "The pod has completed successfully.");
        }
    }

    private static ObjectNode partial(ObjectNode object) {
        ObjectNode partial = Json.object().put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", object.path("metadata"));
        return partial;
    }

    /** The age of a time, in the format of kubectl. */
    static final class Ages {
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

        /** The duration from one time to another, or until now if that is empty. */
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

        /** Ages in the format of kubectl (apimachinery util/duration). */
        static final class HumanDuration {
            private static final long MINUTE = 60;
            private static final long HOUR = 60 * MINUTE;
            private static final long DAY = 24 * HOUR;
            private static final long YEAR = 365 * DAY;

            private HumanDuration() {}

            static String format(Duration duration) {
                long seconds = duration.toSeconds();
                if (seconds < -1) {
                    return "<invalid>";
                }
                if (seconds < 2 * MINUTE) {
                    return Math.max(0, seconds) + "s";
                }
                if (seconds < 10 * MINUTE) {
                    return pair(seconds, MINUTE, "m", 1, "s");
                }
                if (seconds < 3 * HOUR) {
                    return seconds / MINUTE + "m";
                }
                if (seconds < 8 * HOUR) {
                    return pair(seconds, HOUR, "h", MINUTE, "m");
                }
                if (seconds < 2 * DAY) {
                    return seconds / HOUR + "h";
                }
                if (seconds < 8 * DAY) {
                    return pair(seconds, DAY, "d", HOUR, "h");
                }
                if (seconds < 2 * YEAR) {
                    return seconds / DAY + "d";
                }
                if (seconds < 8 * YEAR) {
                    return pair(seconds, YEAR, "y", DAY, "d");
                }
                return seconds / YEAR + "y";
            }

            private static String pair(long seconds, long large, String largeUnit, long small, String smallUnit) {
                long rest = seconds % large / small;
                return seconds / large + largeUnit + (rest == 0 ? "" : rest + smallUnit);
            }
        }
    }

    /**
     * A column of a table.
     *
     * @param type {@code string}, {@code integer} or {@code boolean}
     * @param priority 1 for a column that only {@code -o wide} shows
     */
    record Column(String name, String type, int priority, Function<JsonNode, JsonNode> cell) {
        static final String NONE = "<none>";

        static Column text(String name, Function<JsonNode, String> cell) {
            return new Column(name, "string", 0, object -> Json.object().textNode(cell.apply(object)));
        }

        static Column wide(String name, Function<JsonNode, String> cell) {
            return new Column(name, "string", 1, object -> Json.object().textNode(cell.apply(object)));
        }

        static Column number(String name, Function<JsonNode, Integer> cell) {
            return new Column(name, "integer", 0, object -> Json.object().numberNode(cell.apply(object)));
        }

        /** A number at a path such as {@code /status/replicas}; 0 if it is absent. */
        static Column number(String name, String path) {
            return number(name, object -> object.at(path).asInt());
        }

        static Column ofName() {
            return text("Name", object -> Json.text(object, "metadata", "name"));
        }

        static String orNone(String text) {
            return text.isEmpty() ? NONE : text;
        }

        static String orUnset(String text) {
            return text.isEmpty() ? "<unset>" : text;
        }
    }
}
