package io.policyscheduler.cmd.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * GitHub Flavored Markdown for comments. {@link #text} and {@link #code} escape texts, so that they cannot become markup, links,
 * mentions, or issue references.
 */
public final class Markdown {
    /** Longer texts in tables are cut. */
    private static final int CELL = 300;

    /** Characters that are always escaped. */
    private static final String PLAIN = " ,'/%;?!\"(";
    /** The same but for the places that {@link #SPECIAL} finds. */
    private static final String MOSTLY_PLAIN = "-+=.:)";
    /** The last character of markup that depends on its position: lists, underlines of titles, links, and pictures. */
    private static final Pattern SPECIAL =
            Pattern.compile("^\\s*[-+=]|^\\s*\\d+[.)]|(?i:www\\.)|(?i:gh-)|:(?=//|[\\w+-]+:)");

    private final StringBuilder text = new StringBuilder();

    /** Escapes a text for one line. */
    public static String text(String words) {
        Set<Integer> special =
                SPECIAL.matcher(words).results().map(found -> found.end() - 1).collect(Collectors.toUnmodifiableSet());
        StringBuilder escaped = new StringBuilder(words.length());
        for (int i = 0; i < words.length(); i += Character.charCount(words.codePointAt(i))) {
            int letter = words.codePointAt(i);
            if (Character.isLetterOrDigit(letter)
                    || PLAIN.indexOf(letter) >= 0
                    || (MOSTLY_PLAIN.indexOf(letter) >= 0 && !special.contains(i))) {
                escaped.appendCodePoint(letter);
            } else if (Character.isISOControl(letter) || Character.isWhitespace(letter)) {
                escaped.append(' ');
            } else {
                escaped.append(String.format(Locale.ROOT, "&#%d;", letter));
                // A character reference would be resolved before mentions and issues are detected.
                if (letter == '@' || letter == '#') {
                    escaped.append("&#8203;");
                }
            }
        }
        return escaped.toString();
    }

    /** A name, shown as it is. */
    public static String code(String name) {
        return "<code>" + text(name) + "</code>";
    }

    /** Escapes a text for a table and cuts it. */
    public static String cell(String words) {
        return text(
                words.length() > CELL
                        ? words.substring(0, words.offsetByCodePoints(0, words.codePointCount(0, CELL))) + "..."
                        : words);
    }

    /** A paragraph. */
    public Markdown paragraph(String markup) {
        text.append(markup).append("\n\n");
        return this;
    }

    /** Sentences; the first ones are visible without unfolding. */
    public Markdown conclusion(List<String> sentences) {
        sentences.forEach(sentence -> paragraph("**" + text(sentence) + "**"));
        return this;
    }

    /**
     * A table; empty without rows.
     *
     * @param head titles; those that begin with {@code #} stand above numbers
     * @param rows markup
     * @param most maximum number of rows; the number of omitted ones follows
     */
    public Markdown table(List<String> head, List<List<String>> rows, int most) {
        if (rows.isEmpty()) {
            return this;
        }
        List<String> titles = head.stream()
                .map(title -> text(title.startsWith("#") ? title.substring(1) : title))
                .toList();
        List<String> lines = head.stream()
                .map(title -> title.startsWith("#") ? "---:" : "---")
                .toList();
        line(titles);
        line(lines);
        rows.stream().limit(most).forEach(this::line);
        text.append('\n');
        return rows.size() > most ? paragraph("and " + (rows.size() - most) + " more") : this;
    }

    private void line(List<String> cells) {
        text.append(cells.stream().collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    /** A collapsed section; empty without content. */
    public Markdown details(String summary, Markdown content) {
        if (!content.text.isEmpty()) {
            text.append("<details><summary>").append(text(summary)).append("</summary>\n\n");
            text.append(content.text).append("</details>\n\n");
        }
        return this;
    }

    /** A text line by line as it is. */
    public Markdown block(String language, String content) {
        String fence = "```";
        while (content.contains(fence)) {
            fence += "`";
        }
        text.append(fence)
                .append(language)
                .append('\n')
                .append(content.stripTrailing())
                .append('\n');
        text.append(fence).append("\n\n");
        return this;
    }

    /** A list; empty without items. */
    public Markdown list(Iterable<String> items) {
        List<String> lines = new ArrayList<>();
        items.forEach(item -> lines.add("- " + item));
        return lines.isEmpty() ? this : paragraph(String.join("\n", lines));
    }

    /** All of it. */
    @Override
    public String toString() {
        return text.toString().stripTrailing() + "\n";
    }
}
