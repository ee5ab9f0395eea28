package io.policyscheduler.cmd.embedded.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import java.util.Set;

/**
 * The schemas of kinds in the form of OpenAPI v3, from the same definitions that protobuf bodies are read by: names and types of
 * fields, without what they are for.
 */
public final class ProtobufSchemas {
    private static final Set<String> TIMES =
            Set.of("k8s.io.apimachinery.pkg.apis.meta.v1.Time", "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime");
    private static final Set<String> TEXTS_OR_NUMBERS =
            Set.of("k8s.io.apimachinery.pkg.api.resource.Quantity", "k8s.io.apimachinery.pkg.util.intstr.IntOrString");

    private ProtobufSchemas() {}

    /** Adds the schema of a kind and of all that it is made of; no effect for a kind without a definition. */
    public static void add(ObjectNode schemas, ResourceType type, String version) {
        ProtobufBody.find(type.apiVersion(version), type.kind()).ifPresent(definition -> {
            ObjectNode schema = object(schemas, definition);
            ObjectNode properties = Json.child(schema, "properties");
            properties.putObject("apiVersion").put("type", "string");
            properties.putObject("kind").put("type", "string");
            schema.putArray("x-kubernetes-group-version-kind")
                    .addObject()
                    .put("group", type.group())
                    .put("kind", type.kind())
                    .put("version", version);
        });
    }

    /** {@code k8s.io.api.core.v1.Pod} is {@code io.k8s.api.core.v1.Pod} in OpenAPI. */
    private static String name(Descriptor definition) {
        return "io.k8s." + definition.getFullName().substring("k8s.io.".length());
    }

    private static ObjectNode object(ObjectNode schemas, Descriptor definition) {
        String name = name(definition);
        if (schemas.path(name) instanceof ObjectNode present) {
            return present;
        }
        ObjectNode schema = schemas.putObject(name);
        if (TIMES.contains(definition.getFullName())) {
            return schema.put("type", "string").put("format", "date-time");
        }
        if (TEXTS_OR_NUMBERS.contains(definition.getFullName())) {
            schema.putArray("oneOf")
                    .add(Json.object().put("type", "string"))
                    .addObject()
                    .put("type", "number");
            return schema;
        }
        schema.put("type", "object");
        properties(schemas, definition, schema.putObject("properties"));
        return schema;
    }

    private static void properties(ObjectNode schemas, Descriptor definition, ObjectNode properties) {
        for (FieldDescriptor field : definition.getFields()) {
            if (ProtobufJson.isEmbedded(field)) {
                properties(schemas, field.getMessageType(), properties);
            } else {
                properties.set(field.getName(), property(schemas, field));
            }
        }
    }

    private static ObjectNode property(ObjectNode schemas, FieldDescriptor field) {
        ObjectNode property = Json.object();
        if (field.isMapField()) {
            FieldDescriptor value = field.getMessageType().findFieldByName("value");
            ObjectNode values = single(schemas, value);
            // As in Kubernetes' own documents, where kubectl explain takes the name of the type from.
            property.put("type", "object")
                    .set(
                            "additionalProperties",
                            values.has("allOf") ? values.path("allOf").path(0) : values);
        } else if (field.isRepeated()) {
            property.put("type", "array").set("items", single(schemas, field));
        } else {
            property = single(schemas, field);
        }
        return property;
    }

    private static ObjectNode single(ObjectNode schemas, FieldDescriptor field) {
        ObjectNode value = Json.object();
        switch (field.getJavaType()) {
            case INT, LONG -> value.put("type", "integer");
            case FLOAT, DOUBLE -> value.put("type", "number");
            case BOOLEAN -> value.put("type", "boolean");
            case MESSAGE -> {
                object(schemas, field.getMessageType());
                value.putArray("allOf").addObject().put("$ref", "#/components/schemas/" + name(field.getMessageType()));
            }
            default -> value.put("type", "string");
        }
        return value;
    }
}
