package io.policyscheduler.cmd.report.html;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** Texts of a page that occur often, each of them once: names of nodes and algorithms, causes and messages. */
final class Texts {
    private final Map<String, Integer> indices = new LinkedHashMap<>();
    private int length;

    /** The place of a text in the list, which is added to it when it is new. */
    int of(String text) {
        Integer known = indices.get(text);
        if (known != null) {
            return known;
        }
        length += text.length();
        indices.put(text, indices.size());
        return indices.size() - 1;
    }

    /** How many characters all texts have. */
    int length() {
        return length;
    }

    /** The list. */
    ArrayNode json() {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        indices.keySet().forEach(array::add);
        return array;
    }
}
