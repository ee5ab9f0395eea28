package io.policyscheduler.framework.insight.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes a tree as YAML in block style, with comments aligned in one column. */
public final class YamlWriter {
    private static final int REMARK_COLUMN = 44;
    private static final int LONGEST_REMARK = 400;
    private static final String INDENT = "  ";

    private final List<Line> lines = new ArrayList<>();

    /** A line and its trailing comment, empty for none. */
    private record Line(String text, String remark) {}

    private YamlWriter() {}

    /**
     * Writes a document.
     *
     * @param heading comment lines before it
     */
    public static String write(List<String> heading, YamlMap root) {
        YamlWriter writer = new YamlWriter();
        heading.forEach(line -> writer.lines.add(new Line("", line)));
        writer.map(root, "", "");
        return writer.lines.stream().map(YamlWriter::line).collect(Collectors.joining("\n", "", "\n"));
    }

    /** One line such as {@code {name: x, weight: 1}}, without comments. */
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

    /** Comments contain names from the policy, whose line breaks must not end the comment. */
    private static String oneLine(String remark) {
        StringBuilder text = new StringBuilder();
        remark.codePoints().limit(LONGEST_REMARK).forEach(character -> {
            boolean escaped = character == ' ' || (!Character.isISOControl(character) && isPrintable(character));
            text.appendCodePoint(escaped ? character : '?');
        });
        return text.length() < remark.length() ? text + "..." : text.toString();
    }

    private static boolean isPrintable(int character) {
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

    /** @param first the start of the first line instead of the indent, if the map is an element of a list */
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

    /** A mutable list of a YAML document. */
    public static final class YamlList implements YamlNode {
        /** An element and its comment, which is empty for none, and not written for maps of several lines. */
        record Item(YamlNode value, String remark) {}

        private final List<Item> items = new ArrayList<>();

        public YamlList add(YamlNode value) {
            return add(value, "");
        }

        public YamlList add(YamlNode value, String remark) {
            items.add(new Item(value, remark));
            return this;
        }

        public YamlList add(Object scalar, String remark) {
            return add(new YamlScalar(scalar), remark);
        }

        List<Item> items() {
            return items;
        }

        public boolean isEmpty() {
            return items.isEmpty();
        }
    }

    /** A mutable map of a YAML document in insertion order. */
    public static final class YamlMap implements YamlNode {
        /** A value and its comment, empty for none. */
        public record Entry(YamlNode value, String remark) {}

        private final Map<String, Entry> entries = new LinkedHashMap<>();
        private final boolean flow;

        private YamlMap(boolean flow) {
            this.flow = flow;
        }

        /** A map in block style. */
        public static YamlMap block() {
            return new YamlMap(false);
        }

        /** A map of scalars in flow style. */
        public static YamlMap flow() {
            return new YamlMap(true);
        }

        public YamlMap put(String key, YamlNode value) {
            return put(key, value, "");
        }

        public YamlMap put(String key, YamlNode value, String remark) {
            entries.put(key, new Entry(value, remark));
            return this;
        }

        public YamlMap put(String key, Object scalar) {
            return put(key, new YamlScalar(scalar), "");
        }

        public YamlMap put(String key, Object scalar, String remark) {
            return put(key, new YamlScalar(scalar), remark);
        }

        public Map<String, Entry> entries() {
            return entries;
        }

        boolean isFlow() {
            return flow;
        }

        public boolean isEmpty() {
            return entries.isEmpty();
        }
    }

    /**
     * A single value.
     *
     * @param value a String, an Integer, a Long or a Boolean
     */
    record YamlScalar(Object value) implements YamlNode {
        /** Texts that YAML 1.1 and 1.2 parse as strings without quotes. */
        private static final Pattern PLAIN =
                Pattern.compile("[A-Za-z/][A-Za-z0-9._/-]*(://[A-Za-z0-9._/:-]*[A-Za-z0-9._/-])?");

        /** Numbers with a unit are strings as well. */
        private static final Pattern DURATION = Pattern.compile("[0-9]{1,9}(ms|s|m|h)");

        private static final Set<String> WORDS = Set.of("true", "false", "yes", "no", "on", "off", "null", "y", "n");

        /** The value in YAML syntax, quoted if needed. */
        String text() {
            if (!(value instanceof String string)) {
                return String.valueOf(value);
            }
            boolean plain = PLAIN.matcher(string).matches() && !WORDS.contains(string.toLowerCase(Locale.ROOT));
            return plain || DURATION.matcher(string).matches() ? string : quoted(string);
        }

        private static String quoted(String string) {
            StringBuilder text = new StringBuilder("\"");
            string.codePoints().forEach(character -> {
                switch (character) {
                    case '"' -> text.append("\\\"");
                    case '\\' -> text.append("\\\\");
                    case '\n' -> text.append("\\n");
                    case '\t' -> text.append("\\t");
                    default -> {
                        if (character >= ' ' && character < 0x7f) {
                            text.appendCodePoint(character);
                        } else if (character > 0xffff) {
                            text.append(String.format("\\U%08x", character));
                        } else {
                            text.append(String.format("\\u%04x", character));
                        }
                    }
                }
            });
            return text.append('"').toString();
        }
    }

    /** A value of a YAML document. */
    public sealed interface YamlNode permits YamlMap, YamlList, YamlScalar {}
}
