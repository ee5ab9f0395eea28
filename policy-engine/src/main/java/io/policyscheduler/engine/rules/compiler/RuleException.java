package io.policyscheduler.engine.rules.compiler;

import org.jspecify.annotations.Nullable;

/** A rule that is refused when it is loaded. The only exception that parsing, checking and building of rules throw. */
public final class RuleException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient RuleProblem problem;

    /** Refuses a rule. */
    public RuleException(RuleProblem problem) {
        super(problem.text());
        this.problem = problem;
    }

    /** What is wrong, where, and the way out. */
    public RuleProblem problem() {
        return problem;
    }

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

    /** A factory of the error messages for one expression. */
    public record ProblemFactory(String expression) {
        public RuleException at(RuleCode code, int offset, String message, @Nullable String hint) {
            return new RuleException(
                    new RuleProblem(code, message, hint, expression, Math.min(offset, expression.length())));
        }
    }

    /** Text of a rule as it is put into messages. */
    public static final class PrintableText {
        private static final int MAX = 40;

        private PrintableText() {}

        /** Cut to a length that fits a line. */
        public static String text(String text) {
            return text.length() <= MAX ? text : text.substring(0, MAX) + "...";
        }
    }

    /**
     * An error message of the compiler.
     *
     * @param code the stable code
     * @param message what is wrong, naming the value
     * @param hint the way out; null when the message says it
     * @param expression the text that the position belongs to
     * @param offset 0-based offset in {@code expression} of the first character to blame
     */
    public record RuleProblem(
            RuleCode code, String message, @Nullable String hint, String expression, int offset) {
        /** Where it is. */
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

        /** The line of the expression that is to blame, and under it a caret. */
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
