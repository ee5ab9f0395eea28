package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Request bodies in the Kubernetes protobuf encoding, which {@code kubectl create KIND} and other Go clients send
 * without asking what the server takes. Covers the small kinds that people create by hand and the pod subresources;
 * anything else, also a field this table does not know, is refused with 415. Numbers are those of generated.proto.
 */
final class ProtobufBody {
    static final String CONTENT_TYPE = "application/vnd.kubernetes.protobuf";
    private static final byte[] MAGIC = {'k', '8', 's', 0};

    private enum Form {
        TEXT,
        TEXTS,
        NUMBER,
        FLAG,
        TEXT_MAP,
        MESSAGE,
        MESSAGES,
        NUMBER_OR_TEXT,
        IGNORED
    }

    private record Field(String name, Form form, Map<Integer, Field> fields) {}

    private static final Field STATUS = field("status", Form.IGNORED);
    private static final Field METADATA = message(
            "metadata",
            Map.of(
                    1, field("name", Form.TEXT),
                    2, field("generateName", Form.TEXT),
                    3, field("namespace", Form.TEXT),
                    5, field("uid", Form.TEXT),
                    6, field("resourceVersion", Form.TEXT),
                    11, field("labels", Form.TEXT_MAP),
                    12, field("annotations", Form.TEXT_MAP),
                    14, field("finalizers", Form.TEXTS)));
    private static final Field SELECTOR = message(
            "selector",
            Map.of(
                    1,
                    field("matchLabels", Form.TEXT_MAP),
                    2,
                    new Field(
                            "matchExpressions",
                            Form.MESSAGES,
                            Map.of(
                                    1, field("key", Form.TEXT),
                                    2, field("operator", Form.TEXT),
                                    3, field("values", Form.TEXTS)))));
    private static final Map<Integer, Field> DELETE_OPTIONS = Map.of(
            1,
            field("gracePeriodSeconds", Form.NUMBER),
            2,
            message("preconditions", Map.of(1, field("uid", Form.TEXT), 2, field("resourceVersion", Form.TEXT))),
            3,
            field("orphanDependents", Form.FLAG),
            4,
            field("propagationPolicy", Form.TEXT),
            5,
            field("dryRun", Form.TEXTS));
    private static final Map<String, Map<Integer, Field>> KINDS = Map.of(
            "Namespace",
            Map.of(1, METADATA, 2, message("spec", Map.of(1, field("finalizers", Form.TEXTS))), 3, STATUS),
            "ServiceAccount",
            Map.of(1, METADATA),
            "ConfigMap",
            Map.of(1, METADATA, 2, field("data", Form.TEXT_MAP), 4, field("immutable", Form.FLAG)),
            "PriorityClass",
            Map.of(
                    1, METADATA,
                    2, field("value", Form.NUMBER),
                    3, field("globalDefault", Form.FLAG),
                    4, field("description", Form.TEXT),
                    5, field("preemptionPolicy", Form.TEXT)),
            "PodDisruptionBudget",
            Map.of(
                    1,
                    METADATA,
                    2,
                    message(
                            "spec",
                            Map.of(
                                    1, field("minAvailable", Form.NUMBER_OR_TEXT),
                                    2, SELECTOR,
                                    3, field("maxUnavailable", Form.NUMBER_OR_TEXT),
                                    4, field("unhealthyPodEvictionPolicy", Form.TEXT))),
                    3,
                    STATUS),
            "Eviction",
            Map.of(1, METADATA, 2, message("deleteOptions", DELETE_OPTIONS)),
            "DeleteOptions",
            DELETE_OPTIONS,
            "Binding",
            Map.of(
                    1,
                    METADATA,
                    2,
                    message(
                            "target",
                            Map.of(
                                    1, field("kind", Form.TEXT),
                                    2, field("namespace", Form.TEXT),
                                    3, field("name", Form.TEXT),
                                    4, field("uid", Form.TEXT),
                                    5, field("apiVersion", Form.TEXT)))));
    private static final Map<Integer, Field> ENVELOPE = Map.of(
            1,
            message("typeMeta", Map.of(1, field("apiVersion", Form.TEXT), 2, field("kind", Form.TEXT))),
            2,
            field("raw", Form.IGNORED));

    private ProtobufBody() {}

    private static Field field(String name, Form form) {
        return new Field(name, form, Map.of());
    }

    private static Field message(String name, Map<Integer, Field> fields) {
        return new Field(name, Form.MESSAGE, fields);
    }

    /** The object in a body. Fails with UnsupportedMediaType. */
    static ObjectNode decode(byte[] body) {
        if (body.length < MAGIC.length || !Arrays.equals(MAGIC, Arrays.copyOf(body, MAGIC.length))) {
            throw StatusError.unsupportedMediaType(CONTENT_TYPE);
        }
        try {
            ByteBuffer envelope = ByteBuffer.wrap(body, MAGIC.length, body.length - MAGIC.length);
            ObjectNode type = Json.child(message(envelope.duplicate(), ENVELOPE), "typeMeta");
            Map<Integer, Field> fields = KINDS.get(Json.text(type, "kind"));
            if (fields == null) {
                throw StatusError.unsupportedMediaType(CONTENT_TYPE);
            }
            type.setAll(message(raw(envelope), fields));
            return type;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw StatusError.unsupportedMediaType(CONTENT_TYPE);
        }
    }

    /** The encoded object, which is field 2 of the envelope. */
    private static ByteBuffer raw(ByteBuffer envelope) {
        while (envelope.hasRemaining()) {
            long tag = varint(envelope);
            ByteBuffer content = bytes(envelope);
            if (tag >>> 3 == 2) {
                return content;
            }
        }
        return ByteBuffer.allocate(0);
    }

    private static ObjectNode message(ByteBuffer input, Map<Integer, Field> fields) {
        ObjectNode object = Json.object();
        while (input.hasRemaining()) {
            long tag = varint(input);
            Field field = fields.get((int) (tag >>> 3));
            if ((tag & 7) == 0) {
                number(object, field, varint(input));
            } else if ((tag & 7) == 2) {
                content(object, field, bytes(input));
            } else {
                throw StatusError.unsupportedMediaType(CONTENT_TYPE);
            }
        }
        return object;
    }

    private static void number(ObjectNode object, @Nullable Field field, long value) {
        if (field != null && field.form() == Form.NUMBER) {
            object.put(field.name(), value);
        } else if (field != null && field.form() == Form.FLAG) {
            object.put(field.name(), value != 0);
        } else if (value != 0) {
            throw StatusError.unsupportedMediaType(CONTENT_TYPE);
        }
    }

    /** Empty texts and messages are how the encoding writes what is not set. */
    private static void content(ObjectNode object, @Nullable Field field, ByteBuffer input) {
        if (field == null) {
            if (input.hasRemaining()) {
                throw StatusError.unsupportedMediaType(CONTENT_TYPE);
            }
            return;
        }
        switch (field.form()) {
            case TEXT -> {
                if (input.hasRemaining()) {
                    object.put(field.name(), text(input));
                }
            }
            case TEXTS -> Json.list(object, field.name()).add(text(input));
            case MESSAGE -> object.set(field.name(), message(input, field.fields()));
            case MESSAGES -> Json.list(object, field.name()).add(message(input, field.fields()));
            case TEXT_MAP -> {
                ObjectNode entry = message(input, Map.of(1, field("key", Form.TEXT), 2, field("value", Form.TEXT)));
                Json.child(object, field.name()).put(Json.text(entry, "key"), Json.text(entry, "value"));
            }
            case NUMBER_OR_TEXT -> {
                ObjectNode value = message(
                        input,
                        Map.of(
                                1,
                                field("type", Form.NUMBER),
                                2,
                                field("number", Form.NUMBER),
                                3,
                                field("text", Form.TEXT)));
                boolean isText = value.path("type").asInt() == 1;
                object.set(field.name(), value.path(isText ? "text" : "number"));
            }
            case NUMBER, FLAG -> throw StatusError.unsupportedMediaType(CONTENT_TYPE);
            case IGNORED -> {}
        }
    }

    private static long varint(ByteBuffer input) {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte next = input.get();
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("number too long");
    }

    private static ByteBuffer bytes(ByteBuffer input) {
        long length = varint(input);
        if (length < 0 || length > input.remaining()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer content = input.slice(input.position(), (int) length);
        input.position(input.position() + (int) length);
        return content;
    }

    private static String text(ByteBuffer input) {
        return StandardCharsets.UTF_8.decode(input).toString();
    }
}
