package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.Map;

/**
 * A document of OpenAPI v2 in protobuf, as far as {@link OpenApiV2} has one; the numbers of fields are those of gnostic's
 * openapi.v2.Document, which kubectl reads.
 */
final class SwaggerProtobuf {
    /** What requests call it, with {@code @} or a point before the version; client-go cannot read it in an answer. */
    static final String ACCEPTED = "application/com.github.proto-openapi.spec.v2";

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
                    UnknownFieldSet.Field.newBuilder().addLengthDelimited(value).build());
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
            // A parameter that is not the body, and of those one of the query.
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

    /** Their values are YAML, of which JSON is a kind. */
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
