package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Runtime;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.proto.V1Apps;
import io.kubernetes.client.proto.V1Authentication;
import io.kubernetes.client.proto.V1Authorization;
import io.kubernetes.client.proto.V1Batch;
import io.kubernetes.client.proto.V1Coordination;
import io.kubernetes.client.proto.V1Events;
import io.kubernetes.client.proto.V1Networking;
import io.kubernetes.client.proto.V1Policy;
import io.kubernetes.client.proto.V1Rbac;
import io.kubernetes.client.proto.V1Scheduling;
import io.kubernetes.client.proto.V1Storage;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Request bodies in the Kubernetes protobuf encoding, which {@code kubectl create} and schedulers send without content
 * negotiation. An unknown kind is rejected with 415; unknown fields are dropped, as a server does that is older than its client.
 *
 * <p>Only the definitions of the Java client are used, not its generated classes, because parsing hostile bodies with them is
 * known to be slow (GHSA-h4h5-3hr4-j3g2).
 */
public final class ProtobufBody {
    static final String CONTENT_TYPE = "application/vnd.kubernetes.protobuf";
    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final Descriptor ENVELOPE =
            Objects.requireNonNull(Runtime.getDescriptor().findMessageTypeByName("Unknown"));
    /** The numbers of fields are the same in all versions of a group. */
    private static final Map<String, FileDescriptor> GROUPS = Map.ofEntries(
            Map.entry("", V1.getDescriptor()),
            Map.entry("apps", V1Apps.getDescriptor()),
            Map.entry("authentication.k8s.io", V1Authentication.getDescriptor()),
            Map.entry("authorization.k8s.io", V1Authorization.getDescriptor()),
            Map.entry("batch", V1Batch.getDescriptor()),
            Map.entry("coordination.k8s.io", V1Coordination.getDescriptor()),
            Map.entry(ResourceCatalog.EVENTS_GROUP, V1Events.getDescriptor()),
            Map.entry("networking.k8s.io", V1Networking.getDescriptor()),
            Map.entry("policy", V1Policy.getDescriptor()),
            Map.entry("rbac.authorization.k8s.io", V1Rbac.getDescriptor()),
            Map.entry("scheduling.k8s.io", V1Scheduling.getDescriptor()),
            Map.entry("storage.k8s.io", V1Storage.getDescriptor()));

    private ProtobufBody() {}

    /** The object in a body. Fails with UnsupportedMediaType. */
    static ObjectNode decode(byte[] body) {
        if (body.length < MAGIC.length || !Arrays.equals(MAGIC, Arrays.copyOf(body, MAGIC.length))) {
            throw StatusError.unsupportedMediaType();
        }
        try {
            DynamicMessage envelope = DynamicMessage.parseFrom(
                    ENVELOPE, ByteString.copyFrom(body, MAGIC.length, body.length - MAGIC.length));
            Message type = (Message) ProtobufJson.field(envelope, "typeMeta");
            String apiVersion = (String) ProtobufJson.field(type, "apiVersion");
            String kind = (String) ProtobufJson.field(type, "kind");
            ObjectNode object = Json.object().put("apiVersion", apiVersion).put("kind", kind);
            object.setAll(ProtobufJson.object(DynamicMessage.parseFrom(
                    definition(apiVersion, kind), (ByteString) ProtobufJson.field(envelope, "raw"))));
            return object;
        } catch (InvalidProtocolBufferException e) {
            throw StatusError.unsupportedMediaType();
        }
    }

    /** DeleteOptions have the version of the deleted object. */
    private static Descriptor definition(String apiVersion, String kind) {
        return find(apiVersion, kind)
                .or(() -> Optional.ofNullable(Meta.getDescriptor().findMessageTypeByName(kind)))
                .orElseThrow(() -> StatusError.unsupportedMediaType());
    }

    /** The definition of a kind; empty if there is none. */
    static Optional<Descriptor> find(String apiVersion, String kind) {
        int slash = apiVersion.indexOf('/');
        FileDescriptor group = GROUPS.get(slash < 0 ? "" : apiVersion.substring(0, slash));
        return Optional.ofNullable(group == null ? null : group.findMessageTypeByName(kind));
    }

    /** Converts Kubernetes objects from protobuf to JSON. */
    static final class ProtobufJson {
        private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
        /** Go writes an empty text for an unset field; in these fields, an empty text is a value. */
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
         * The fields of an object. Empty values are omitted, because they cannot be distinguished from unset ones.
         *
         * @throws InvalidProtocolBufferException if embedded JSON is malformed
         */
        static ObjectNode object(Message message) throws InvalidProtocolBufferException {
            ObjectNode object = Json.object();
            for (Map.Entry<FieldDescriptor, Object> member :
                    message.getAllFields().entrySet()) {
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

        /** Whether JSON inlines the members of a field. */
        static boolean isEmbedded(FieldDescriptor field) {
            return EMBEDDED.contains(field.getFullName());
        }

        /** Go writes zeros of fields that are not pointers, and omits them in JSON; in other fields, a zero is a value. */
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

        /** Null for an unset time. */
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
                case "k8s.io.apimachinery.pkg.api.resource.Quantity" ->
                    NODES.textNode((String) field(message, "string"));
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

        /** A field by its name; its default if unset. */
        static Object field(Message message, String name) {
            return message.getField(message.getDescriptorForType().findFieldByName(name));
        }
    }

    /**
     * The schemas of kinds in the form of OpenAPI v3, from the definitions of protobuf bodies: names and types of fields, without
     * descriptions.
     */
    public static final class ProtobufSchemas {
        private static final Set<String> TIMES =
                Set.of("k8s.io.apimachinery.pkg.apis.meta.v1.Time", "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime");
        private static final Set<String> TEXTS_OR_NUMBERS = Set.of(
                "k8s.io.apimachinery.pkg.api.resource.Quantity", "k8s.io.apimachinery.pkg.util.intstr.IntOrString");

        private ProtobufSchemas() {}

        /** Adds the schema of a kind with all nested types; no effect for a kind without a definition. */
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
                // As in the documents of Kubernetes, from which kubectl explain reads the name of the type.
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
                    value.putArray("allOf")
                            .addObject()
                            .put("$ref", "#/components/schemas/" + name(field.getMessageType()));
                }
                default -> value.put("type", "string");
            }
            return value;
        }
    }
}
