package io.policyscheduler.engine.rules.compiler;

/**
 * A place in an expression, as it is shown.
 *
 * @param expression the text that the place belongs to
 * @param offset 0-based offset of the character to point at
 */
public record Excerpt(String expression, int offset) {
    /** Lines around the caret longer than this are cut. */
    private static final int WIDTH = 100;

    /** 1-based line in the expression. */
    public int line() {
        int line = 1;
        for (int i = 0; i < offset && i < expression.length(); i++) {
            line += expression.charAt(i) == '\n' ? 1 : 0;
        }
        return line;
    }

    /** 1-based column in that line, in characters. */
    public int column() {
        return offset - lineStart() + 1;
    }

    private int lineStart() {
        return offset == 0 ? 0 : expression.lastIndexOf('\n', offset - 1) + 1;
    }

    /** The line of the expression, and under it a caret. */
    public String caret() {
        int start = lineStart();
        int newline = expression.indexOf('\n', start);
        int end = newline < 0 ? expression.length() : newline;
        int from = Math.max(start, offset - WIDTH / 2);
        int to = Math.min(end, from + WIDTH);
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            char c = expression.charAt(i);
            text.append(c < ' ' || c > '~' ? '?' : c);
        }
        return text + "\n" + " ".repeat(Math.max(0, offset - from)) + "^";
    }
}
