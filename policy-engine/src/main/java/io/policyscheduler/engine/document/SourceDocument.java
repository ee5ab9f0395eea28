package io.policyscheduler.engine.document;

/**
 * The text of a file, JSON or YAML, as a tree that knows where each value stands. YAML follows the rules of go-yaml v2, so
 * that a scalar has the type it has for Kubernetes.
 *
 * @param root the document; a null value if the text is empty
 * @param moreDocuments the text goes on after the first YAML document
 */
public record SourceDocument(SourceNode root, boolean moreDocuments) {
    /**
     * Parses a text; one that starts with a brace is JSON.
     *
     * @throws DocumentException if the text is not well formed
     */
    public static SourceDocument parse(String text) throws DocumentException {
        if (isJson(text)) {
            return new SourceDocument(JsonParser.parse(text), false);
        }
        YamlDocument yaml = YamlDocument.parse(text);
        return new SourceDocument(yaml.root(), yaml.moreDocuments());
    }

    /** Whether a text is read as JSON. */
    public static boolean isJson(String text) {
        return text.stripLeading().startsWith("{");
    }
}
