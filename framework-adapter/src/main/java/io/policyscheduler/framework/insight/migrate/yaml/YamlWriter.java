package io.policyscheduler.framework.insight.migrate.yaml;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes a tree as YAML in block style, with the remarks as comments in one column. */
public final class YamlWriter {
    private static final int REMARK_COLUMN = 44;
    private static final int LONGEST_REMARK = 400;
    private static final String INDENT = "  ";

    private final List<Line> lines = new ArrayList<>();

    /** A line and the remark behind it, empty for none. */
    private record Line(String text, String remark) {}

    private YamlWriter() {}

    /**
     * Writes a document.
     *
     * @param heading lines of comments before it
     */
    public static String write(List<String> heading, YamlMap root) {
        YamlWriter writer = new YamlWriter();
        heading.forEach(line -> writer.lines.add(new Line("", line)));
        writer.map(root, "", "");
        return writer.lines.stream().map(YamlWriter::line).collect(Collectors.joining("\n", "", "\n"));
    }

    /** One line such as {@code {name: x, weight: 1}}, without remarks. */
    public static String inline(YamlNode node) {
        if (node instanceof YamlMap map) {
            return map.entries().entrySet().stream()
                    .map(entry ->
                            key(entry.getKey()) + ": " + inline(entry.getValue().value()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (node instanceof YamlList list) {
            return list.items().stream().map(item -> inline(item.value())).collect(Collectors.joining(", ", "[", "]"));
        }
        return ((YamlScalar) node).text();
    }

    private static String line(Line line) {
        if (line.remark().isEmpty()) {
            return line.text();
        }
        String remark = "# " + oneLine(line.remark());
        if (line.text().isEmpty()) {
            return remark;
        }
        int gap = Math.max(2, REMARK_COLUMN - line.text().length());
        return line.text() + " ".repeat(gap) + remark;
    }

    /** Remarks hold names from the policy, which must not end the comment. */
    private static String oneLine(String remark) {
        StringBuilder text = new StringBuilder();
        remark.codePoints().limit(LONGEST_REMARK).forEach(character -> {
            boolean shown = character == ' ' || (!Character.isISOControl(character) && isShown(character));
            text.appendCodePoint(shown ? character : '?');
        });
        return text.length() < remark.length() ? text + "..." : text.toString();
    }

    private static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            case Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    private static String key(String key) {
        return new YamlScalar(key).text();
    }

    /** @param first what the first line starts with instead of the indent, when the map is an element of a list */
    private void map(YamlMap map, String indent, String first) {
        String start = first.isEmpty() ? indent : first;
        for (Map.Entry<String, YamlMap.Entry> entry : map.entries().entrySet()) {
            value(
                    start + key(entry.getKey()) + ":",
                    entry.getValue().value(),
                    indent,
                    entry.getValue().remark());
            start = indent;
        }
    }

    private void value(String start, YamlNode value, String indent, String remark) {
        if (isInline(value)) {
            lines.add(new Line(start + " " + inline(value), remark));
            return;
        }
        lines.add(new Line(start, remark));
        if (value instanceof YamlMap map) {
            map(map, indent + INDENT, "");
        } else if (value instanceof YamlList list) {
            list(list, indent);
        }
    }

    private void list(YamlList list, String indent) {
        for (YamlList.Item item : list.items()) {
            String start = indent + "- ";
            if (item.value() instanceof YamlMap map && !isInline(map)) {
                map(map, indent + INDENT, start);
            } else {
                lines.add(new Line(start + inline(item.value()), item.remark()));
            }
        }
    }

    private static boolean isInline(YamlNode node) {
        if (node instanceof YamlMap map) {
            return map.isFlow() || map.isEmpty();
        }
        return !(node instanceof YamlList list) || list.isEmpty();
    }
}
