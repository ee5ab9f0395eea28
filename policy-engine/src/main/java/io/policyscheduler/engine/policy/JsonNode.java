package io.policyscheduler.engine.policy;

import java.util.List;

/** A value of a document, with duplicate keys kept and the place where it stands. */
record JsonNode(
        Kind kind, String text, List<Member> members, List<JsonNode> items, int offset, SourcePosition position) {
    enum Kind {
        NULL("null"),
        BOOL("bool"),
        NUMBER("number"),
        STRING("string"),
        ARRAY("array"),
        OBJECT("object");

        /** The word that Go's encoding/json uses. */
        final String goName;

        Kind(String goName) {
            this.goName = goName;
        }
    }

    /** One key of an object. */
    record Member(String key, SourcePosition keyPosition, JsonNode value) {}

    static JsonNode scalar(Kind kind, String text, int offset, SourcePosition position) {
        return new JsonNode(kind, text, List.of(), List.of(), offset, position);
    }
}
