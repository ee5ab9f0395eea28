package io.policyscheduler.engine.policy;

import java.nio.charset.StandardCharsets;

/**
 * The text of a file, JSON or YAML, as a tree that knows where each value stands. YAML follows the rules of go-yaml v2, so
 * that a scalar has the type it has for Kubernetes.
 *
 * @param root the document; a null value if the text is empty
 * @param moreDocuments the text goes on after the first YAML document
 */
public record SourceDocument(JsonNode root, boolean moreDocuments) {
    /**
     * Parses a text; one that starts with a brace is JSON.
     *
     * @throws DocumentException if the text is not well formed
     */
    public static SourceDocument parse(String text) throws DocumentException {
        if (text.stripLeading().startsWith("{")) {
            byte[] json = text.getBytes(StandardCharsets.UTF_8);
            return new SourceDocument(GoJsonParser.parse(json, PositionMap.ofText(json)), false);
        }
        YamlDocument yaml = YamlDocument.parse(text);
        return new SourceDocument(yaml.root(), yaml.moreDocuments());
    }
}
