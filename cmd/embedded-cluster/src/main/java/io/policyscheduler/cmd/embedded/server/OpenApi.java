package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ListSchema;
import io.policyscheduler.cmd.embedded.api.ProtobufBody.ProtobufSchemas;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The part of /openapi/v3 that kubectl reads: for each kind, a PATCH operation with the {@code fieldValidation} parameter, which
 * shows kubectl that the server validates, and its schema for {@code kubectl explain}.
 */
final class OpenApi {
    /** The media type in requests, with {@code @} or a point before the version; client-go cannot read it in a response. */
    static final String PROTOBUF = "application/com.github.proto-openapi.spec.v2";

    private final Discovery discovery;
    private final Supplier<ObjectNode> v2 = Suppliers.memoize(this::makeV2);
    private final Supplier<byte[]> encodedV2 = Suppliers.memoize(() -> SwaggerProtobuf.encode(makeV2()));

    OpenApi(Discovery discovery) {
        this.discovery = discovery;
    }

    ObjectNode index() {
        ObjectNode index = Json.object();
        ObjectNode paths = index.putObject("paths");
        for (String path : discovery.groupVersionPaths()) {
            paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=0");
        }
        return index;
    }

    /** The document of the group and version at {@code api/v1} or {@code apis/GROUP/VERSION}. */
    Optional<ObjectNode> document(List<String> segments) {
        boolean core = segments.size() == 2 && segments.get(0).equals("api");
        boolean named = segments.size() == 3 && segments.get(0).equals("apis");
        if (!core && !named) {
            return Optional.empty();
        }
        String group = core ? "" : segments.get(1);
        String version = segments.get(segments.size() - 1);
        List<ResourceType> types = discovery.types(group, version);
        if (types.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode document = Json.object().put("openapi", "3.0.0");
        document.putObject("info").put("title", "Kubernetes").put("version", "embedded");
        ObjectNode paths = document.putObject("paths");
        ObjectNode schemas = Json.object();
        String prefix = "/" + String.join("/", segments);
        for (ResourceType type : types) {
            String scope = type.namespaced() ? "/namespaces/{namespace}/" : "/";
            ObjectNode operations = paths.putObject(prefix + scope + type.plural() + "/{name}");
            ObjectNode patch = operations.putObject("patch");
            patch.putArray("parameters")
                    .addObject()
                    .put("name", "fieldValidation")
                    .put("in", "query")
                    .putObject("schema")
                    .put("type", "string");
            patch.putObject("responses");
            ObjectNode kind = patch.putObject("x-kubernetes-group-version-kind")
                    .put("group", group)
                    .put("kind", type.kind())
                    .put("version", version);
            ObjectNode get = operations.putObject("get");
            get.putObject("responses");
            get.set("x-kubernetes-group-version-kind", kind);
            ProtobufSchemas.add(schemas, type, version);
        }
        document.putObject("components").set("schemas", schemas);
        return Optional.of(document);
    }

    /**
     * Returns the document at {@code /openapi/v2}, which kubectl before 1.27 needs to create an object from a file: the same kinds in
     * the older form, with the merge rules of lists for kubectl apply.
     */
    ObjectNode v2() {
        return Objects.requireNonNull(v2.get());
    }

    /** Returns {@link #v2} in the encoding {@link #PROTOBUF}. */
    byte[] encodedV2() {
        return Objects.requireNonNull(encodedV2.get());
    }

    private ObjectNode makeV2() {
        ObjectNode made = Json.object().put("swagger", "2.0");
        made.putObject("info").put("title", "Kubernetes").put("version", "embedded");
        ObjectNode paths = made.putObject("paths");
        ObjectNode definitions = made.putObject("definitions");
        for (String path : discovery.groupVersionPaths()) {
            Optional<ObjectNode> newer = document(Splitter.on('/').splitToList(path));
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

    /** kubectl detects support of dry runs by this parameter. */
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
        return toSwaggerSchema(newer);
    }

    private static ObjectNode toSwaggerSchema(JsonNode newer) {
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
                            .forEach(each -> properties.set(each.getKey(), toSwaggerSchema(each.getValue())));
                }
                case "items", "additionalProperties" -> schema.set(field.getKey(), toSwaggerSchema(field.getValue()));
                default -> schema.set(field.getKey(), field.getValue().deepCopy());
            }
        }
        return schema;
    }

    /** Adds the merge strategy of lists among some properties. */
    private static void lists(ObjectNode definitions, JsonNode properties) {
        for (Map.Entry<String, JsonNode> each : properties.properties()) {
            if (!(each.getValue() instanceof ObjectNode property)
                    || !Json.text(property, "type").equals("array")) {
                continue;
            }
            String items = Json.text(property, "items", "$ref").replace("#/definitions/", "");
            JsonNode members = definitions.path(items).path("properties");
            Optional<String> key = ListSchema.of(each.getKey()).patchMergeKeys().stream()
                    .filter(members::has)
                    .findFirst();
            key.ifPresent(name -> property.put("x-kubernetes-patch-merge-key", name));
            if (key.isPresent() || (items.isEmpty() && ListSchema.isPatchedSet(each.getKey()))) {
                boolean variants = each.getKey().equals("volumes");
                property.put("x-kubernetes-patch-strategy", variants ? "merge,retainKeys" : "merge");
            }
        }
    }

    /**
     * An OpenAPI v2 document in protobuf with the content of {@link OpenApi#v2}; the field numbers are those of gnostic's
     * openapi.v2.Document, which kubectl reads.
     */
    static final class SwaggerProtobuf {
        private static final int NAME = 1;
        private static final int VALUE = 2;
        private static final int ANY_YAML = 2;

        /** A message under construction. */
        private static final class Wire {
            private final UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();

            Wire text(int number, String value) {
                return value.isEmpty() ? this : bytes(number, ByteString.copyFromUtf8(value));
            }

            Wire message(int number, Wire value) {
                return bytes(number, value.fields.build().toByteString());
            }

            private Wire bytes(int number, ByteString value) {
                fields.mergeField(
                        number,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(value)
                                .build());
                return this;
            }

            byte[] toBytes() {
                return fields.build().toByteArray();
            }
        }

        private SwaggerProtobuf() {}

        static byte[] encode(JsonNode document) {
            Wire info = new Wire()
                    .text(1, Json.text(document, "info", "title"))
                    .text(2, Json.text(document, "info", "version"));
            Wire paths = new Wire();
            for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
                Wire item = new Wire()
                        .message(2, operation(path.getValue().path("get")))
                        .message(8, operation(path.getValue().path("patch")));
                paths.message(2, named(path.getKey(), item));
            }
            Wire definitions = new Wire();
            for (Map.Entry<String, JsonNode> definition :
                    document.path("definitions").properties()) {
                definitions.message(1, named(definition.getKey(), schema(definition.getValue())));
            }
            return new Wire()
                    .text(1, Json.text(document, "swagger"))
                    .message(2, info)
                    .message(8, paths)
                    .message(9, definitions)
                    .toBytes();
        }

        private static Wire named(String name, Wire value) {
            return new Wire().text(NAME, name).message(VALUE, value);
        }

        private static Wire operation(JsonNode operation) {
            Wire wire = new Wire();
            for (JsonNode parameter : operation.path("parameters")) {
                Wire query = new Wire()
                        .text(2, Json.text(parameter, "in"))
                        .text(4, Json.text(parameter, "name"))
                        .text(6, Json.text(parameter, "type"));
                // A parameter other than the body, in the query.
                wire.message(8, new Wire().message(1, new Wire().message(2, new Wire().message(3, query))));
            }
            return extensions(wire.message(9, new Wire()), 13, operation);
        }

        private static Wire schema(JsonNode schema) {
            Wire wire = new Wire()
                    .text(1, Json.text(schema, "$ref"))
                    .text(2, Json.text(schema, "format"))
                    .text(4, Json.text(schema, "description"));
            if (schema.has("additionalProperties")) {
                wire.message(21, new Wire().message(1, schema(schema.path("additionalProperties"))));
            }
            if (schema.has("type")) {
                wire.message(22, new Wire().text(1, Json.text(schema, "type")));
            }
            if (schema.has("items")) {
                wire.message(23, new Wire().message(1, schema(schema.path("items"))));
            }
            if (schema.has("properties")) {
                Wire properties = new Wire();
                schema.path("properties")
                        .properties()
                        .forEach(each -> properties.message(1, named(each.getKey(), schema(each.getValue()))));
                wire.message(25, properties);
            }
            return extensions(wire, 31, schema);
        }

        /** Their values are YAML, which includes JSON. */
        private static Wire extensions(Wire wire, int number, JsonNode from) {
            for (Map.Entry<String, JsonNode> field : from.properties()) {
                if (field.getKey().startsWith("x-")) {
                    Wire any = new Wire().text(ANY_YAML, field.getValue().toString());
                    wire.message(number, named(field.getKey(), any));
                }
            }
            return wire;
        }
    }
}
