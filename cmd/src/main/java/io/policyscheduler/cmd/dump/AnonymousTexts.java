package io.policyscheduler.cmd.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** Other names for the texts of objects: of labels, images and whatever else is called something. */
final class AnonymousTexts {
    /** Their values decide how many volumes a node takes. */
    private static final Set<String> OPEN_LABELS = Set.of(
            "node.kubernetes.io/instance-type",
            "beta.kubernetes.io/instance-type",
            "kubernetes.io/os",
            "kubernetes.io/arch",
            "beta.kubernetes.io/os",
            "beta.kubernetes.io/arch");

    private final UnaryOperator<String> names;

    AnonymousTexts(UnaryOperator<String> names) {
        this.names = names;
    }

    /** Another name. */
    String name(String text) {
        return names.apply(text);
    }

    /** Other names of the parts of a text. */
    String names(String text, String separator) {
        String[] parts = text.split(Pattern.quote(separator), -1);
        for (int i = 0; i < parts.length; i++) {
            parts[i] = names.apply(parts[i]);
        }
        return String.join(separator, parts);
    }

    /** The value of a label, with another name unless decisions know what it means. */
    JsonNode label(Map.Entry<String, JsonNode> label) {
        return OPEN_LABELS.contains(label.getKey()) ? label.getValue() : text(label.getValue());
    }

    /** Volumes of several zones have all of them in one value. */
    JsonNode text(JsonNode value) {
        return value.isTextual() ? TextNode.valueOf(names(value.asText(), "__")) : value;
    }

    /** Labels with other values. */
    ObjectNode labels(JsonNode map) {
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        map.properties().forEach(label -> copy.set(label.getKey(), label(label)));
        return copy;
    }

    /** Names of images. */
    ArrayNode images(JsonNode list) {
        ArrayNode copy = JsonNodeFactory.instance.arrayNode();
        list.forEach(name -> copy.add(image(name.asText())));
        return copy;
    }

    /** A name without a tag stands for the one with the tag latest. */
    String image(String name) {
        boolean tagged = name.contains("@") || name.lastIndexOf(':') > name.lastIndexOf('/');
        return names.apply(tagged ? name : name + ":latest") + ":a";
    }
}
