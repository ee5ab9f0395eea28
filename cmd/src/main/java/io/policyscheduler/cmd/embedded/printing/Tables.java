package io.policyscheduler.cmd.embedded.printing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import java.time.Clock;
import java.util.List;
import java.util.Map;

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

    /** Rows of finished pods are marked, so that clients may leave them out. */
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
}
