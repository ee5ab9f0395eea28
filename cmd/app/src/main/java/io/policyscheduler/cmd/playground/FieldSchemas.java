package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The field names and types of each kind, from the OpenAPI documents of the embedded server, which {@code kubectl explain} uses,
 * too. Belongs to one thread.
 */
final class FieldSchemas {
    private static final String REF = "$ref";
    private static final String PROPERTIES = "properties";
    private static final String VALUES = "additionalProperties";

    private final EmbeddedControlPlane cluster;
    /** Schemas by their names, by apiVersion. */
    private final Map<String, JsonNode> documents = new HashMap<>();

    FieldSchemas(EmbeddedControlPlane cluster) {
        this.cluster = cluster;
    }

    /** The schemas of one kind. */
    private record Schemas(JsonNode all, JsonNode kind) {
        JsonNode resolved(JsonNode schema) {
            JsonNode ref = schema.path("allOf").path(0).path(REF);
            String name = ref.isMissingNode() ? schema.path(REF).asText() : ref.asText();
            return name.isEmpty() ? schema : all.path(name.substring(name.lastIndexOf('/') + 1));
        }

        /** The element schema of a list or map; otherwise the schema itself. */
        JsonNode element(JsonNode schema) {
            JsonNode found = resolved(schema);
            if (found.has("items")) {
                return element(found.path("items"));
            }
            return found.has(VALUES) ? element(found.path(VALUES)) : found;
        }

        /** As {@code kubectl explain} writes it. */
        String type(JsonNode schema) {
            if (schema.has("items")) {
                return "[]" + type(schema.path("items"));
            }
            if (schema.has(VALUES)) {
                return "map[string]" + type(schema.path(VALUES));
            }
            JsonNode ref = schema.path("allOf").path(0).path(REF);
            String name = ref.isMissingNode() ? schema.path(REF).asText() : ref.asText();
            return name.isEmpty() ? schema.path("type").asText() : name.substring(name.lastIndexOf('.') + 1);
        }
    }

    private Schemas schemas(String apiVersion, String kind) {
        JsonNode all = documents.computeIfAbsent(apiVersion, this::document);
        for (JsonNode schema : all) {
            for (JsonNode one : schema.path("x-kubernetes-group-version-kind")) {
                if (one.path("kind").asText().equals(kind)) {
                    return new Schemas(all, schema);
                }
            }
        }
        return new Schemas(all, JsonNodeFactory.instance.missingNode());
    }

    private JsonNode document(String apiVersion) {
        String path = (apiVersion.contains("/") ? "apis/" : "api/") + apiVersion;
        if (!path.matches("[\\w./-]+")) {
            return JsonNodeFactory.instance.missingNode();
        }
        Response response = cluster.call("GET", "/openapi/v3/" + path, "", new byte[0]);
        return response.code() == 200
                ? response.body().path("components").path("schemas")
                : JsonNodeFactory.instance.missingNode();
    }

    /**
     * The fields at a path: {@code {"path": [], "type", "fields": [{"name", "type", "more"}]}}; {@code more} is true for fields
     * with fields of their own.
     *
     * @param path names of fields from the object; lists and maps are passed over
     * @throws PlaygroundException if the path does not exist
     */
    ObjectNode fields(String apiVersion, String kind, List<String> path) {
        Schemas schemas = schemas(apiVersion, kind);
        JsonNode at = schemas.kind();
        String type = kind;
        for (String step : path) {
            JsonNode property = at.path(PROPERTIES).path(step);
            type = schemas.type(property);
            at = schemas.element(property);
        }
        if (at.isMissingNode()) {
            throw PlaygroundException.of(
                    "no schema for " + kind + (path.isEmpty() ? "" : "." + String.join(".", path)));
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        path.forEach(json.putArray("path")::add);
        json.put("type", type);
        ArrayNode fields = json.putArray("fields");
        at.path(PROPERTIES)
                .properties()
                .forEach(field -> fields.addObject()
                        .put("name", field.getKey())
                        .put("type", schemas.type(field.getValue()))
                        .put("more", schemas.element(field.getValue()).has(PROPERTIES)));
        return json;
    }

    /** Fields that the kind does not have, which the server stores without a warning. */
    List<PlaygroundException.Reason> unknown(Manifest manifest) {
        Schemas schemas = schemas(Json.text(manifest.object(), "apiVersion"), Json.text(manifest.object(), "kind"));
        List<PlaygroundException.Reason> found = new ArrayList<>();
        unknown(manifest, manifest.source(), schemas.kind(), schemas, "", found);
        return List.copyOf(found);
    }

    private static void unknown(
            Manifest manifest,
            SourceNode node,
            JsonNode schema,
            Schemas schemas,
            String path,
            List<PlaygroundException.Reason> found) {
        JsonNode at = schemas.resolved(schema);
        if (at.has("items")) {
            node.items().forEach(item -> unknown(manifest, item, at.path("items"), schemas, path, found));
        } else if (at.has(VALUES)) {
            node.members().forEach(member -> unknown(manifest, member.value(), at.path(VALUES), schemas, path, found));
        } else if (at.has(PROPERTIES)) {
            for (SourceNode.Member member : node.members()) {
                JsonNode property = at.path(PROPERTIES).path(member.key());
                String place = path.isEmpty() ? member.key() : path + "." + member.key();
                if (property.isMissingNode()) {
                    List<String> names = new ArrayList<>();
                    at.path(PROPERTIES).fieldNames().forEachRemaining(names::add);
                    String nearest = Suggestions.nearest(member.key(), names);
                    String hint = nearest == null ? "" : " (did you mean \"" + nearest + "\"?)";
                    found.add(new PlaygroundException.Reason(
                            "unknown field \"" + place + "\"" + hint,
                            manifest.linesBefore() + member.keyPosition().line()));
                } else {
                    unknown(manifest, member.value(), property, schemas, place, found);
                }
            }
        }
    }
}
