package io.policyscheduler.engine.document;

import java.util.List;
import java.util.Set;

/**
 * The text of a file, JSON or YAML, as a tree that knows where each value stands. YAML follows the rules of go-yaml v2, so
 * that a scalar has the type it has for Kubernetes.
 *
 * @param root the first document; a null value if the text is empty
 * @param moreDocuments the text goes on after the first YAML document
 * @param documents all documents up to the first one that is not well formed, the first one included
 */
public record SourceDocument(SourceNode root, boolean moreDocuments, List<SourceNode> documents) {
    /**
     * Parses a text; one that starts with a brace is JSON.
     *
     * @throws DocumentException if the text is not well formed
     */
    public static SourceDocument parse(String text) throws DocumentException {
        if (isJson(text)) {
            SourceNode root = JsonParser.parse(text);
            return new SourceDocument(root, false, List.of(root));
        }
        YamlDocument yaml = YamlDocument.parse(text);
        return new SourceDocument(yaml.root(), yaml.moreDocuments(), yaml.documents());
    }

    /** Whether a text is read as JSON. */
    public static boolean isJson(String text) {
        return text.stripLeading().startsWith("{");
    }

    /** Whether a text that is read as JSON is a YAML flow mapping instead. */
    static boolean isFlowMapping(String text) {
        try {
            return YamlDocument.parse(text).root().kind() == SourceNode.Kind.OBJECT;
        } catch (DocumentException e) {
            return false;
        }
    }

    /** The fix for a text that {@link #parse} rejects, in parentheses after a space; empty if none is recognized. */
    public static String hint(String text, DocumentException error) {
        return hint(text, error.text(), error.position());
    }

    /** As {@link #hint(String, DocumentException)}, for a text that parses as something that its author did not mean. */
    public static String hint(String text, String message, SourcePosition position) {
        return SyntaxHint.of(text, message, position);
    }

    /** The message for a YAML text that was pasted without its indentation. */
    public static final String FLAT =
            "the file has no indentation, so that all keys are at the top level; copy it again with its indentation";

    /** Keys that policies and configurations have below others only. */
    private static final Set<String> NESTED = Set.of(
            "weight",
            "argument",
            "labelsPresence",
            "labelPreference",
            "serviceAffinity",
            "serviceAntiAffinity",
            "presence",
            "enabled",
            "disabled",
            "args",
            "leaderElect");

    /** Whether no line of a YAML text is indented although its keys are those of several levels. */
    public static boolean isFlat(String text) {
        List<String> lines = text.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        return !isJson(text)
                && lines.stream().noneMatch(line -> Character.isWhitespace(line.charAt(0)))
                && lines.stream()
                        .filter(line -> line.indexOf(':') > 0)
                        .anyMatch(line -> NESTED.contains(line.substring(0, line.indexOf(':'))));
    }
}
