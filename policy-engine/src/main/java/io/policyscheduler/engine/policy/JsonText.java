package io.policyscheduler.engine.policy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A document written again as compact JSON with sorted keys, as v1.17 does with YAML and before it looks for unknown
 * fields; of a duplicate key the last value stays.
 */
final class JsonText implements PositionMap {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final NavigableMap<Integer, SourcePosition> marks = new TreeMap<>();

    JsonText(JsonNode document) {
        write(document);
    }

    String text() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Override
    public SourcePosition at(int offset) {
        Map.Entry<Integer, SourcePosition> mark = marks.floorEntry(offset);
        return mark == null ? SourcePosition.UNKNOWN : mark.getValue();
    }

    private void write(JsonNode node) {
        marks.put(out.size(), node.position());
        switch (node.kind()) {
            case OBJECT -> {
                TreeMap<String, JsonNode.Member> sorted = new TreeMap<>();
                for (JsonNode.Member member : node.members()) {
                    sorted.put(member.key(), member);
                }
                char separator = '{';
                for (JsonNode.Member member : sorted.values()) {
                    raw(String.valueOf(separator));
                    marks.put(out.size(), member.keyPosition());
                    string(member.key());
                    raw(":");
                    write(member.value());
                    separator = ',';
                }
                raw(sorted.isEmpty() ? "{}" : "}");
            }
            case ARRAY -> {
                raw("[");
                for (int i = 0; i < node.items().size(); i++) {
                    raw(i == 0 ? "" : ",");
                    write(node.items().get(i));
                }
                raw("]");
            }
            case STRING -> string(node.text());
            default -> raw(node.text());
        }
    }

    private void raw(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Escapes as Go's json.Marshal, which also escapes what is special in HTML. */
    private void string(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            int named = "\n\r\t\"\\".indexOf(c);
            if (named >= 0) {
                text.append('\\').append("nrt\"\\".charAt(named));
            } else if (c < ' ' || "<>&\u2028\u2029".indexOf(c) >= 0) {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        raw(text.append('"').toString());
    }
}
