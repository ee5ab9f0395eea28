package io.policyscheduler.engine.document;

import java.util.List;

/**
 * A value of a document, with duplicate keys kept and the place where it stands.
 *
 * @param text the value of a scalar as JSON writes it, of a string without quotes
 * @param members keys and values of an object in file order, else empty
 * @param items items of an array, else empty
 */
public record SourceNode(
        Kind kind, String text, List<Member> members, List<SourceNode> items, SourcePosition position) {
    /** The types of JSON. */
    public enum Kind {
        NULL("null"),
        BOOL("bool"),
        NUMBER("number"),
        STRING("string"),
        ARRAY("array"),
        OBJECT("object");

        private final String goName;

        Kind(String goName) {
            this.goName = goName;
        }

        /** The word for the type in error messages of Go. */
        public String goName() {
            return goName;
        }
    }

    /** One key of an object. */
    public record Member(String key, SourcePosition keyPosition, SourceNode value) {}

    /** A null, bool, number or string. */
    public static SourceNode scalar(Kind kind, String text, SourcePosition position) {
        return new SourceNode(kind, text, List.of(), List.of(), position);
    }

    static SourceNode array(List<SourceNode> items, SourcePosition position) {
        return new SourceNode(Kind.ARRAY, "", List.of(), List.copyOf(items), position);
    }

    static SourceNode object(List<Member> members, SourcePosition position) {
        return new SourceNode(Kind.OBJECT, "", List.copyOf(members), List.of(), position);
    }
}
