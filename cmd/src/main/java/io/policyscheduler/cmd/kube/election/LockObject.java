package io.policyscheduler.cmd.kube.election;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One object of a lock, as it was read or is to be written. Any field may be missing; what is not known here stays as it is.
 * Immutable.
 */
final class LockObject {
    private final LockKind kind;
    private final boolean stored;
    private final ObjectNode object;
    private final JsonNode json;

    private LockObject(LockKind kind, boolean stored, ObjectNode object, JsonNode json) {
        this.kind = kind;
        this.stored = stored;
        this.object = object;
        this.json = json;
    }

    /**
     * What the API server sent.
     *
     * @throws JsonProcessingException when the record in it cannot be read
     */
    static LockObject stored(LockKind kind, JsonNode object) throws JsonProcessingException {
        ObjectNode copy = object instanceof ObjectNode node ? node.deepCopy() : JsonNodeFactory.instance.objectNode();
        return new LockObject(kind, true, copy, kind.find(copy));
    }

    /** One that is not there; it is created when it is written. */
    static LockObject absent(LockKind kind, String namespace, String name) {
        ObjectNode object = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", kind.apiVersion())
                .put("kind", kind.kind());
        object.putObject("metadata").put("namespace", namespace).put("name", name);
        return new LockObject(kind, false, object, MissingNode.getInstance());
    }

    LockKind kind() {
        return kind;
    }

    boolean isStored() {
        return stored;
    }

    /** Whether it is there, perhaps without a record, or is to be there with one. */
    boolean hasSay() {
        return stored || hasRecord();
    }

    /** Whether there is a record, though all of its fields may be missing. */
    boolean hasRecord() {
        return json.isObject();
    }

    LeaderRecord record() {
        return LeaderRecord.read(kind, json);
    }

    /** True when nobody has written the record in between; labels and other annotations do not count. */
    boolean isSameRecord(LockObject other) {
        return kind == other.kind && json.equals(other.json);
    }

    LockObject with(LeaderRecord record) {
        ObjectNode written = json instanceof ObjectNode node ? node.deepCopy() : JsonNodeFactory.instance.objectNode();
        record.write(kind, written);
        ObjectNode copy = object.deepCopy();
        kind.put(copy, written);
        return new LockObject(kind, stored, copy, written);
    }

    ObjectNode json() {
        return object.deepCopy();
    }
}
