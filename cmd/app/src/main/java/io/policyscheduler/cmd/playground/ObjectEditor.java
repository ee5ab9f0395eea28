package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.net.UrlEscapers;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.cmd.report.Output;
import java.util.ArrayList;
import java.util.List;

/** Creates, shows, changes and deletes objects of the embedded cluster, by the requests that kubectl would send. */
final class ObjectEditor {
    private static final String DEFAULT_NAMESPACE = "default";
    private static final String JSON = "application/json";
    private static final byte[] NOTHING = new byte[0];
    /** Rows of a table that are shown. */
    static final int MOST_ROWS = 200;

    private final EmbeddedControlPlane cluster;
    private final FieldSchemas schemas;

    ObjectEditor(EmbeddedControlPlane cluster, FieldSchemas schemas) {
        this.cluster = cluster;
        this.schemas = schemas;
    }

    /** How many objects there are of each kind: {@code [{"kind", "resource", "namespaced", "count"}]}. */
    ArrayNode kinds() {
        ArrayNode kinds = JsonNodeFactory.instance.arrayNode();
        for (ResourceType type : cluster.catalog().types()) {
            if (cluster.catalog().stored(type).equals(type)) {
                kinds.addObject()
                        .put("kind", type.kind())
                        .put("resource", type.qualifiedName())
                        .put("namespaced", type.namespaced())
                        .put("count", cluster.list(type.qualifiedName()).size());
            }
        }
        return kinds;
    }

    /**
     * The first objects of a kind as a table of kubectl: {@code {"columns", "rows": [{"namespace", "name", "cells"}], "more"}}.
     *
     * @param part substring of the names; empty for all
     */
    ObjectNode table(String resource, String part) {
        ResourceType type = type(resource);
        JsonNode table = done(cluster.table(path(type, "") + (part.isEmpty() ? "?limit=" + MOST_ROWS : "")));
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode columns = json.putArray("columns");
        table.path("columnDefinitions")
                .forEach(column -> columns.addObject()
                        .put("name", column.path("name").asText())
                        .put("wide", column.path("priority").asInt() > 0));
        ArrayNode rows = json.putArray("rows");
        int more = table.path("metadata").path("remainingItemCount").asInt();
        for (JsonNode row : table.path("rows")) {
            ObjectKey key = ObjectKey.of(row.path("object"));
            if (!key.name().contains(part)) {
                continue;
            }
            if (rows.size() == MOST_ROWS) {
                more++;
            } else {
                rows.addObject()
                        .put("namespace", key.namespace())
                        .put("name", key.name())
                        .set("cells", row.path("cells"));
            }
        }
        return json.put("more", more);
    }

    /** An object as YAML, without managed fields. */
    String yaml(String resource, ObjectKey key) {
        JsonNode object = done(cluster.call("GET", path(type(resource), key), "", NOTHING));
        return Output.yaml(withoutOwners(object));
    }

    static JsonNode withoutOwners(JsonNode object) {
        JsonNode copy = object.deepCopy();
        if (copy.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
        }
        return copy;
    }

    /**
     * Creates all objects of a text; if one is rejected, the earlier ones stay.
     *
     * @return {@code {"done": ["pod web", ...], "warnings": [{"message", "line"}]}}
     */
    ObjectNode create(String text) {
        ArrayNode created = JsonNodeFactory.instance.arrayNode();
        List<PlaygroundException.Reason> warnings = new ArrayList<>();
        for (Manifest manifest : Manifest.parse(text)) {
            ResourceType type = type(manifest);
            Response response = cluster.call("POST", path(type, namespace(type, manifest)), JSON, bytes(manifest));
            if (response.code() >= 300) {
                throw refusal(response, manifest);
            }
            created.add(type.singular() + " " + Json.text(response.body(), "metadata", "name"));
            warnings.addAll(schemas.unknown(manifest));
        }
        return done(created, warnings);
    }

    /**
     * Replaces an object and returns the same result as {@link #create}. The status of a node is replaced, too, because no
     * kubelet sets its resources.
     */
    ObjectNode replace(String text) {
        List<Manifest> manifests = Manifest.parse(text);
        if (manifests.size() != 1) {
            throw PlaygroundException.of("the editor saves one object at a time, but the text has " + manifests.size());
        }
        Manifest manifest = manifests.get(0);
        ResourceType type = type(manifest);
        ObjectKey key = new ObjectKey(
                type.namespaced() ? namespace(type, manifest) : "", Json.text(manifest.object(), "metadata", "name"));
        Response response = cluster.call("PUT", path(type, key), JSON, bytes(manifest));
        if (response.code() < 300 && type.qualifiedName().equals("nodes")) {
            ObjectNode status = manifest.object().deepCopy();
            Json.child(status, "metadata")
                    .put("resourceVersion", Json.text(response.body(), "metadata", "resourceVersion"));
            response = cluster.call("PUT", path(type, key) + "/status", JSON, Json.bytes(status));
        }
        if (response.code() >= 300) {
            throw refusal(response, manifest);
        }
        ArrayNode replaced = JsonNodeFactory.instance.arrayNode().add(type.singular() + " " + key.name());
        return done(replaced, schemas.unknown(manifest));
    }

    private static ObjectNode done(ArrayNode done, List<PlaygroundException.Reason> warnings) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("done", done);
        return json.set("warnings", PlaygroundException.json(warnings));
    }

    /** Deletes an object and its dependents, as kubectl does. */
    void delete(String resource, ObjectKey key) {
        done(cluster.call("DELETE", path(type(resource), key), "", NOTHING));
    }

    private ResourceType type(String resource) {
        return cluster.catalog().types().stream()
                .filter(type -> type.qualifiedName().equals(resource))
                .findFirst()
                .orElseThrow(() -> PlaygroundException.of("the cluster does not serve \"" + resource + "\""));
    }

    private ResourceType type(Manifest manifest) {
        String version = Json.text(manifest.object(), "apiVersion");
        String kind = Json.text(manifest.object(), "kind");
        return cluster.catalog()
                .ofManifest(version, kind)
                .filter(type -> type.versions().stream()
                        .anyMatch(one -> type.apiVersion(one).equals(version)))
                .orElseThrow(() -> new PlaygroundException(List.of(new PlaygroundException.Reason(
                        kind.isEmpty() || version.isEmpty()
                                ? "an object needs apiVersion and kind"
                                : "the cluster does not serve kind \"" + kind + "\" of apiVersion \"" + version + "\"",
                        manifest.line(version.isEmpty() ? "apiVersion" : "kind")))));
    }

    private static String namespace(ResourceType type, Manifest manifest) {
        String given = Json.text(manifest.object(), "metadata", "namespace");
        return type.namespaced() && given.isEmpty() ? DEFAULT_NAMESPACE : given;
    }

    /** Of all objects of a kind, or with a namespace of those in it. */
    static String path(ResourceType type, String namespace) {
        String version = type.versions().get(0);
        String group = type.group().isEmpty() ? "/api/" + version : "/apis/" + type.group() + "/" + version;
        String scope = type.namespaced() && !namespace.isEmpty() ? "/namespaces/" + escaped(namespace) : "";
        return group + scope + "/" + type.plural();
    }

    static String path(ResourceType type, ObjectKey key) {
        return path(type, key.namespace()) + "/" + escaped(key.name());
    }

    private static String escaped(String text) {
        return UrlEscapers.urlPathSegmentEscaper().escape(text);
    }

    private static byte[] bytes(Manifest manifest) {
        return Json.bytes(manifest.object());
    }

    private static JsonNode done(Response response) {
        if (response.code() >= 300) {
            throw PlaygroundException.of(Json.text(response.body(), "message"));
        }
        return response.body();
    }

    /** The error of the server, each cause with the line of its field. */
    private static PlaygroundException refusal(Response response, Manifest manifest) {
        List<PlaygroundException.Reason> reasons = new ArrayList<>();
        for (JsonNode cause : response.body().path("details").path("causes")) {
            String field = Json.text(cause, "field");
            if (!field.isEmpty()) {
                reasons.add(new PlaygroundException.Reason(
                        field + ": " + Json.text(cause, "message"), manifest.line(field)));
            }
        }
        return reasons.isEmpty()
                ? new PlaygroundException(List.of(new PlaygroundException.Reason(
                        Json.text(response.body(), "message"), manifest.line("metadata.name"))))
                : new PlaygroundException(reasons);
    }
}
