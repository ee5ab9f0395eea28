package io.policyscheduler.engine.rules.compiler;

import org.jspecify.annotations.Nullable;

/** Thrown for an invalid rule when it is loaded; the only exception of the parser, checker and compiler. */
public final class RuleException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient RuleProblem problem;

    /** Refuses a rule. */
    public RuleException(RuleProblem problem) {
        super(problem.text());
        this.problem = problem;
    }

    /** The error, its position, and the fix. */
    public RuleProblem problem() {
        return problem;
    }

    /**
     * A position in an expression, for messages.
     *
     * @param expression the text
     * @param offset 0-based offset of the character
     */
    public record Excerpt(String expression, int offset) {
        /** Longer lines around the caret are truncated. */
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

    /** A factory of the error messages for one expression. */
    public record ProblemFactory(String expression) {
        public RuleException at(RuleCode code, int offset, String message, @Nullable String hint) {
            return new RuleException(
                    new RuleProblem(code, message, hint, expression, Math.min(offset, expression.length())));
        }
    }

    /** Formats text of a rule for messages. */
    public static final class PrintableText {
        private static final int MAX = 40;

        private PrintableText() {}

        /** Truncated to fit a line. */
        public static String text(String text) {
            return text.length() <= MAX ? text : text.substring(0, MAX) + "...";
        }
    }

    /**
     * An error message of the compiler.
     *
     * @param code the stable code
     * @param message the problem, with the value
     * @param hint the fix; null if the message contains it
     * @param expression the text of the position
     * @param offset 0-based offset of the error in {@code expression}
     */
    public record RuleProblem(
            RuleCode code, String message, @Nullable String hint, String expression, int offset) {
        /** The position. */
        public Excerpt excerpt() {
            return new Excerpt(expression, offset);
        }

        /** 1-based line in the expression. */
        public int line() {
            return excerpt().line();
        }

        /** 1-based column in that line, in characters. */
        public int column() {
            return excerpt().column();
        }

        /** One line without position: {@code R013: pod has no member 'lable'; did you mean "label"?}. */
        public String text() {
            return code.code() + ": " + message + (hint == null ? "" : "; " + hint);
        }

        /** The line of the expression with the error, and under it a caret. */
        public String caret() {
            return excerpt().caret();
        }

        /** Position, text and caret: {@code line:column: R013: ...} and the source below. */
        public String format() {
            return line() + ":" + column() + ": " + text() + "\n"
                    + caret().indent(2).stripTrailing();
        }
    }
}
