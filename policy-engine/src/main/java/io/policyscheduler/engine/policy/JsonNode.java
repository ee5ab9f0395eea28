package io.policyscheduler.engine.policy;

import java.util.List;

/**
 * A value of a document, with duplicate keys kept and the place where it stands.
 *
 * @param text the value of a scalar as JSON writes it, of a string without quotes
 * @param members keys and values of an object in file order, else empty
 * @param items items of an array, else empty
 * @param offset in the JSON text, 0 for YAML
 */
public record JsonNode(
        Kind kind, String text, List<Member> members, List<JsonNode> items, int offset, SourcePosition position) {
    /** The types of JSON. */
    public enum Kind {
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

        /** The word for the type in error messages of Go. */
        public String goName() {
            return goName;
        }
    }

    /** One key of an object. */
    public record Member(String key, SourcePosition keyPosition, JsonNode value) {}

    static JsonNode scalar(Kind kind, String text, int offset, SourcePosition position) {
        return new JsonNode(kind, text, List.of(), List.of(), offset, position);
    }
}
