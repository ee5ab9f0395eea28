package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An object as a user has written it, with the line of each field.
 *
 * @param object as it is sent to the server
 * @param source the same with places, counted from the beginning of the document
 * @param linesBefore lines of the text before the document
 */
record Manifest(ObjectNode object, SourceNode source, int linesBefore) {
    private static final Pattern STEP = Pattern.compile("([^.\\[\\]]+)|\\[([^\\]]*)]");
    private static final int MOST_DIGITS = 40;

    /**
     * The objects of a text, JSON or YAML, including the items of lists.
     *
     * @throws PlaygroundException with the line if the text is malformed or empty
     */
    static List<Manifest> parse(String text) {
        List<Manifest> manifests = new ArrayList<>();
        StringBuilder document = new StringBuilder();
        int line = 0;
        int start = 0;
        for (String each : Splitter.on('\n').split(text)) {
            line++;
            if (each.startsWith("---")) {
                add(manifests, document.toString(), start);
                document.setLength(0);
                start = line;
            } else {
                document.append(each).append('\n');
            }
        }
        add(manifests, document.toString(), start);
        if (manifests.isEmpty()) {
            throw PlaygroundException.of("the text has no object");
        }
        return List.copyOf(manifests);
    }

    private static void add(List<Manifest> all, String document, int before) {
        SourceNode root;
        try {
            root = parsed(document);
        } catch (DocumentException e) {
            int line = e.position().known() ? before + e.position().line() : 0;
            // Its own line counts from the beginning of the document, and libraries do not agree on the first number.
            String message = e.text().replaceFirst("line \\d+: ", "");
            throw new PlaygroundException(List.of(new PlaygroundException.Reason(message, line)));
        }
        add(all, root, before);
    }

    /** JSON, or YAML that may begin with a brace as well. */
    private static SourceNode parsed(String document) throws DocumentException {
        try {
            return SourceDocument.parse(document).root();
        } catch (DocumentException asJson) {
            if (SourceDocument.isJson(document)) {
                try {
                    return SourceDocument.parse("--- " + document).root();
                } catch (DocumentException asYaml) {
                    asJson.addSuppressed(asYaml);
                }
            }
            throw asJson;
        }
    }

    private static void add(List<Manifest> all, SourceNode root, int before) {
        if (root.kind() == SourceNode.Kind.NULL) {
            return;
        }
        if (!(tree(root) instanceof ObjectNode object)) {
            int line = before + root.position().line();
            throw new PlaygroundException(List.of(new PlaygroundException.Reason(
                    "expected a Kubernetes object, found " + root.kind().goName(), line)));
        }
        Optional<SourceNode> items = member(root, "items").map(SourceNode.Member::value);
        if (object.path("kind").asText().endsWith("List") && items.isPresent()) {
            items.get().items().forEach(item -> add(all, item, before));
        } else {
            all.add(new Manifest(object, root, before));
        }
    }

    private static Optional<SourceNode.Member> member(SourceNode node, String key) {
        return node.members().stream()
                .filter(member -> member.key().equals(key))
                .reduce((first, last) -> last);
    }

    private static JsonNode tree(SourceNode node) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return switch (node.kind()) {
            case NULL -> json.nullNode();
            case BOOL -> json.booleanNode(Boolean.parseBoolean(node.text()));
            case NUMBER -> number(node.text());
            case STRING -> json.textNode(node.text());
            case ARRAY -> {
                ArrayNode array = json.arrayNode();
                node.items().forEach(item -> array.add(tree(item)));
                yield array;
            }
            case OBJECT -> {
                ObjectNode object = json.objectNode();
                node.members().forEach(member -> object.set(member.key(), tree(member.value())));
                yield object;
            }
        };
    }

    private static JsonNode number(String text) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        if (text.length() > MOST_DIGITS) {
            return json.textNode(text);
        }
        BigDecimal value = new BigDecimal(text);
        boolean whole = !text.contains(".") && !text.contains("e") && !text.contains("E");
        return whole && value.precision() < 19 ? json.numberNode(value.longValue()) : json.numberNode(value);
    }

    /**
     * Where a field or, if it is not set, the innermost thing around it stands.
     *
     * @param path as in {@code spec.containers[0].name} or {@code requests[cpu]}
     * @return line of the whole text, from 1
     */
    int line(String path) {
        SourceNode node = source;
        int line = source.position().line();
        Matcher steps = STEP.matcher(path);
        while (steps.find()) {
            String key = steps.group(1) == null ? steps.group(2) : steps.group(1);
            if (node.kind() == SourceNode.Kind.ARRAY
                    && key.matches("\\d{1,6}")
                    && Integer.parseInt(key) < node.items().size()) {
                node = node.items().get(Integer.parseInt(key));
                line = node.position().line();
                continue;
            }
            Optional<SourceNode.Member> member = member(node, key);
            if (member.isEmpty()) {
                break;
            }
            line = member.get().keyPosition().line();
            node = member.get().value();
        }
        return linesBefore + Math.max(1, line);
    }
}
