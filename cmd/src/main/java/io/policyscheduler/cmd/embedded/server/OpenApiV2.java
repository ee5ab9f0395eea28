package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * /openapi/v2, which kubectl before 1.27 must have to create anything from a file: the kinds of {@link OpenApi} in the older form,
 * with what kubectl apply needs to know of lists that are merged. Made when first asked for. Thread-safe.
 */
final class OpenApiV2 {
    private final OpenApi kinds;
    private final ServedApis discovery;
    private final Supplier<ObjectNode> document = Suppliers.memoize(this::make);
    private final Supplier<byte[]> encoded = Suppliers.memoize(() -> SwaggerProtobuf.encode(make()));

    OpenApiV2(OpenApi kinds, ServedApis discovery) {
        this.kinds = kinds;
        this.discovery = discovery;
    }

    ObjectNode document() {
        return Objects.requireNonNull(document.get());
    }

    /** The same as kubectl reads it. */
    byte[] encoded() {
        return Objects.requireNonNull(encoded.get());
    }

    private ObjectNode make() {
        ObjectNode made = Json.object().put("swagger", "2.0");
        made.putObject("info").put("title", "Kubernetes").put("version", "embedded");
        ObjectNode paths = made.putObject("paths");
        ObjectNode definitions = made.putObject("definitions");
        for (String path : discovery.groupVersionPaths()) {
            Optional<ObjectNode> newer = kinds.document(Splitter.on('/').splitToList(path));
            newer.ifPresent(group -> {
                group.path("paths").properties().forEach(each -> paths.set(each.getKey(), operations(each.getValue())));
                group.at("/components/schemas")
                        .properties()
                        .forEach(each -> definitions.set(each.getKey(), definition(each.getKey(), each.getValue())));
            });
        }
        definitions
                .properties()
                .forEach(each -> lists(definitions, each.getValue().path("properties")));
        return made;
    }

    /** That a patch can be tried without being carried out is known by the parameter. */
    private static ObjectNode operations(JsonNode newer) {
        ObjectNode operations = newer.deepCopy();
        ArrayNode parameters = Json.object().putArray("parameters");
        for (String name : new String[] {"dryRun", "fieldManager", "fieldValidation"}) {
            parameters.addObject().put("name", name).put("in", "query").put("type", "string");
        }
        Json.child(operations, "patch").set("parameters", parameters);
        return operations;
    }

    private static ObjectNode definition(String name, JsonNode newer) {
        if (newer.has("oneOf")) {
            ObjectNode text = Json.object().put("type", "string");
            return name.endsWith(".IntOrString") ? text.put("format", "int-or-string") : text;
        }
        return older(newer);
    }

    private static ObjectNode older(JsonNode newer) {
        ObjectNode schema = Json.object();
        JsonNode wrapped = newer.path("allOf").path(0);
        String reference = Json.text(wrapped.isMissingNode() ? newer : wrapped, "$ref");
        if (!reference.isEmpty()) {
            return schema.put("$ref", reference.replace("#/components/schemas/", "#/definitions/"));
        }
        for (Map.Entry<String, JsonNode> field : newer.properties()) {
            switch (field.getKey()) {
                case "properties" -> {
                    ObjectNode properties = schema.putObject("properties");
                    field.getValue()
                            .properties()
                            .forEach(each -> properties.set(each.getKey(), older(each.getValue())));
                }
                case "items", "additionalProperties" -> schema.set(field.getKey(), older(field.getValue()));
                default -> schema.set(field.getKey(), field.getValue().deepCopy());
            }
        }
        return schema;
    }

    /** Says how the lists among some properties are merged. */
    private static void lists(ObjectNode definitions, JsonNode properties) {
        for (Map.Entry<String, JsonNode> each : properties.properties()) {
            if (!(each.getValue() instanceof ObjectNode property)
                    || !Json.text(property, "type").equals("array")) {
                continue;
            }
            String items = Json.text(property, "items", "$ref").replace("#/definitions/", "");
            JsonNode members = definitions.path(items).path("properties");
            Optional<String> key = StrategicMerge.keys(each.getKey()).stream()
                    .filter(members::has)
                    .findFirst();
            key.ifPresent(name -> property.put("x-kubernetes-patch-merge-key", name));
            if (key.isPresent() || (items.isEmpty() && StrategicMerge.isSet(each.getKey()))) {
                boolean variants = each.getKey().equals("volumes");
                property.put("x-kubernetes-patch-strategy", variants ? "merge,retainKeys" : "merge");
            }
        }
    }
}
