package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.kubernetes.client.proto.V1;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Encodes JSON objects in protobuf with the message descriptors of the Kubernetes client. */
final class ProtobufObjects {
    private ProtobufObjects() {}

    /** Returns an encoded pod; empty lists and maps are omitted, because no server writes them. */
    static byte[] pod(JsonNode json) {
        return message(V1.Pod.getDescriptor(), json).toByteArray();
    }

    private static Message message(Descriptor type, JsonNode json) {
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        if (type.getName().equals("Quantity")) {
            return message.setField(type.findFieldByName("string"), json.asText())
                    .build();
        }
        if (type.getName().equals("Time")) {
            long seconds = Instant.parse(json.asText()).getEpochSecond();
            return message.setField(type.findFieldByName("seconds"), seconds)
                    .setField(type.findFieldByName("nanos"), 0)
                    .build();
        }
        for (Iterator<Map.Entry<String, JsonNode>> all = json.properties().iterator(); all.hasNext(); ) {
            Map.Entry<String, JsonNode> entry = all.next();
            FieldDescriptor field = type.findFieldByName(entry.getKey());
            if (field != null && field.isRepeated() && entry.getValue().isEmpty()) {
                all.remove();
                continue;
            }
            FieldDescriptor inlined = inlined(type, entry.getKey());
            JsonNode value = entry.getValue();
            if (field != null) {
                add(message, field, value);
            } else if (inlined != null) {
                DynamicMessage.Builder inside = DynamicMessage.newBuilder(inlined.getMessageType());
                add(inside, inlined.getMessageType().findFieldByName(entry.getKey()), value);
                message.setField(inlined, inside.build());
            } else if (!entry.getKey().equals("apiVersion") && !entry.getKey().equals("kind")) {
                throw new IllegalArgumentException(type.getName() + " has no " + entry.getKey());
            }
        }
        return message.build();
    }

    /** Returns the field whose message contains such a field, which JSON has in the enclosing object. */
    private static @Nullable FieldDescriptor inlined(Descriptor type, String name) {
        for (String field : List.of("volumeSource", "localObjectReference")) {
            FieldDescriptor known = type.findFieldByName(field);
            if (known != null && known.getMessageType().findFieldByName(name) != null) {
                return known;
            }
        }
        return null;
    }

    private static void add(DynamicMessage.Builder message, FieldDescriptor field, JsonNode value) {
        if (value.isNull()) {
            return;
        }
        if (field.isMapField()) {
            Descriptor type = field.getMessageType();
            for (Map.Entry<String, JsonNode> entry : value.properties()) {
                message.addRepeatedField(
                        field,
                        DynamicMessage.newBuilder(type)
                                .setField(type.findFieldByNumber(1), entry.getKey())
                                .setField(
                                        type.findFieldByNumber(2), single(type.findFieldByNumber(2), entry.getValue()))
                                .build());
            }
        } else if (field.isRepeated()) {
            value.forEach(element -> message.addRepeatedField(field, single(field, element)));
        } else {
            message.setField(field, single(field, value));
        }
    }

    private static Object single(FieldDescriptor field, JsonNode value) {
        return switch (field.getJavaType()) {
            case STRING -> value.asText();
            case INT -> value.asInt();
            case LONG -> value.asLong();
            case BOOLEAN -> value.asBoolean();
            case MESSAGE -> message(field.getMessageType(), value);
            default -> throw new IllegalArgumentException(field.getFullName());
        };
    }
}
