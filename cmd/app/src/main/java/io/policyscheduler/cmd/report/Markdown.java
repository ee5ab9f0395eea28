package io.policyscheduler.cmd.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Markdown as GitHub and others read it in comments. Texts go through {@link #text} or {@link #code}: nothing in them becomes markup,
 * a link, a mention of somebody or of an issue.
 */
public final class Markdown {
    /** Longer texts are cut where a table has to stay readable. */
    private static final int CELL = 300;

    /** Signs that nothing can be made of, wherever they stand. */
    private static final String PLAIN = " ,'/%;?!\"(";
    /** The same but for the places that {@link #SPECIAL} finds. */
    private static final String MOSTLY_PLAIN = "-+=.:)";
    /** What begins a list, underlines a title, makes a link or a picture: the sign at the end of each. */
    private static final Pattern SPECIAL =
            Pattern.compile("^\\s*[-+=]|^\\s*\\d+[.)]|(?i:www\\.)|(?i:gh-)|:(?=//|[\\w+-]+:)");

    private final StringBuilder text = new StringBuilder();

    /** Words, whatever they are, for one line. */
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
                // What is written as a number is a letter again when names and issues are looked for.
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

    /** Words for a table: cut where they are too long. */
    public static String cell(String words) {
        return text(
                words.length() > CELL
                        ? words.substring(0, words.offsetByCodePoints(0, words.codePointCount(0, CELL))) + "..."
                        : words);
    }

    /** A paragraph of its own. */
    public Markdown paragraph(String markup) {
        text.append(markup).append("\n\n");
        return this;
    }

    /** Sentences, the first of which are seen at once. */
    public Markdown conclusion(List<String> sentences) {
        sentences.forEach(sentence -> paragraph("**" + text(sentence) + "**"));
        return this;
    }

    /**
     * A table, or nothing where there is no row.
     *
     * @param head titles; those that begin with {@code #} stand above numbers
     * @param rows markup
     * @param most so many rows are shown, and how many are left out
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

    /** What unfolds; nothing where the content is empty. */
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

    /** A list, or nothing where there is no item. */
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
