package io.policyscheduler.cmd.embedded.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.policyscheduler.cmd.embedded.api.Json;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Kubernetes objects from protobuf to what their JSON would be. */
final class ProtobufJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    /** Go writes an empty text where nothing is set; here an empty one is a setting. */
    private static final String EMPTY_COUNTS = "k8s.io.api.core.v1.PersistentVolumeClaimSpec.storageClassName";
    /** Structs that are embedded in Go: members of their own in protobuf, not in JSON. */
    private static final Set<String> EMBEDDED = Set.of(
            "k8s.io.api.core.v1.Volume.volumeSource",
            "k8s.io.api.core.v1.PersistentVolumeSpec.persistentVolumeSource",
            "k8s.io.api.core.v1.EphemeralContainer.ephemeralContainerCommon",
            "k8s.io.api.core.v1.VolumeMountStatus.volumeStatus",
            "k8s.io.api.core.v1.Probe.handler",
            "k8s.io.api.core.v1.ConfigMapEnvSource.localObjectReference",
            "k8s.io.api.core.v1.ConfigMapKeySelector.localObjectReference",
            "k8s.io.api.core.v1.ConfigMapProjection.localObjectReference",
            "k8s.io.api.core.v1.ConfigMapVolumeSource.localObjectReference",
            "k8s.io.api.core.v1.SecretEnvSource.localObjectReference",
            "k8s.io.api.core.v1.SecretKeySelector.localObjectReference",
            "k8s.io.api.core.v1.SecretProjection.localObjectReference");

    private static final Set<String> ZERO_IS_UNSET = Set.of(
            "generation",
            "globalDefault",
            "hostIPC",
            "hostNetwork",
            "hostPID",
            "hostPort",
            "minReadySeconds",
            "nodePort",
            "paused",
            "publishNotReadyAddresses",
            "readOnly",
            "stdin",
            "stdinOnce",
            "tty",
            "unschedulable");

    private static final String META = "k8s.io.apimachinery.pkg.apis.meta.v1.";
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private ProtobufJson() {}

    /**
     * The members of an object. What is empty and so not distinguished from what is not set is left out.
     *
     * @throws InvalidProtocolBufferException when JSON within it is malformed
     */
    static ObjectNode object(Message message) throws InvalidProtocolBufferException {
        ObjectNode object = Json.object();
        for (Map.Entry<FieldDescriptor, Object> member : message.getAllFields().entrySet()) {
            FieldDescriptor field = member.getKey();
            if (isEmbedded(field)) {
                object.setAll(object((Message) member.getValue()));
            } else if (field.isMapField()) {
                object.set(field.getName(), map((List<?>) member.getValue()));
            } else if (field.isRepeated()) {
                object.set(field.getName(), list((List<?>) member.getValue()));
            } else {
                JsonNode value = value(member.getValue());
                if (value != null
                        && !isUnset(field, value)
                        && (!isEmptyText(value) || field.getFullName().equals(EMPTY_COUNTS))) {
                    object.set(field.getName(), value);
                }
            }
        }
        return object;
    }

    /** Whether the members of a field stand beside it in JSON. */
    static boolean isEmbedded(FieldDescriptor field) {
        return EMBEDDED.contains(field.getFullName());
    }

    /** Go writes zeros of fields that are no pointers, and leaves them out of JSON; elsewhere a zero is a setting. */
    private static boolean isUnset(FieldDescriptor field, JsonNode value) {
        boolean zero = value.isBoolean() ? !value.asBoolean() : value.isNumber() && value.asLong() == 0;
        return zero && ZERO_IS_UNSET.contains(field.getName());
    }

    private static boolean isEmptyText(JsonNode value) {
        return value.isTextual() && value.asText().isEmpty();
    }

    private static ArrayNode list(List<?> items) throws InvalidProtocolBufferException {
        ArrayNode array = NODES.arrayNode();
        for (Object item : items) {
            array.add(value(item));
        }
        return array;
    }

    private static ObjectNode map(List<?> entries) throws InvalidProtocolBufferException {
        ObjectNode object = Json.object();
        for (Object entry : entries) {
            Message pair = (Message) entry;
            List<FieldDescriptor> fields = pair.getDescriptorForType().getFields();
            object.set(String.valueOf(pair.getField(fields.get(0))), value(pair.getField(fields.get(1))));
        }
        return object;
    }

    /** Null for a time that is not set. */
    private static @Nullable JsonNode value(Object value) throws InvalidProtocolBufferException {
        if (value instanceof Message message) {
            return message(message);
        }
        if (value instanceof String text) {
            return NODES.textNode(text);
        }
        if (value instanceof Boolean flag) {
            return NODES.booleanNode(flag);
        }
        if (value instanceof ByteString bytes) {
            return NODES.textNode(Base64.getEncoder().encodeToString(bytes.toByteArray()));
        }
        if (value instanceof Double number) {
            return NODES.numberNode(number);
        }
        return NODES.numberNode(((Number) value).longValue());
    }

    private static @Nullable JsonNode message(Message message) throws InvalidProtocolBufferException {
        return switch (message.getDescriptorForType().getFullName()) {
            case META + "Time" -> time(message, DateTimeFormatter.ISO_INSTANT);
            case META + "MicroTime" -> time(message, MICROS);
            case META + "FieldsV1" -> json((ByteString) field(message, "Raw"));
            case "k8s.io.apimachinery.pkg.runtime.RawExtension" -> json((ByteString) field(message, "raw"));
            case "k8s.io.apimachinery.pkg.api.resource.Quantity" -> NODES.textNode((String) field(message, "string"));
            case "k8s.io.apimachinery.pkg.util.intstr.IntOrString" ->
                field(message, "type").equals(1L)
                        ? NODES.textNode((String) field(message, "strVal"))
                        : NODES.numberNode(((Number) field(message, "intVal")).longValue());
            default -> object(message);
        };
    }

    private static @Nullable JsonNode time(Message time, DateTimeFormatter format) {
        if (time.getAllFields().isEmpty()) {
            return null;
        }
        long seconds = (Long) field(time, "seconds");
        int nanos = (Integer) field(time, "nanos");
        Instant instant = Instant.ofEpochSecond(seconds, format == MICROS ? nanos : 0);
        return NODES.textNode(format.format(instant));
    }

    private static JsonNode json(ByteString text) throws InvalidProtocolBufferException {
        try {
            return Json.parse(text.toByteArray());
        } catch (IOException e) {
            throw new InvalidProtocolBufferException(e);
        }
    }

    /** A member by its name, its default when it is not set. */
    static Object field(Message message, String name) {
        return message.getField(message.getDescriptorForType().findFieldByName(name));
    }
}
