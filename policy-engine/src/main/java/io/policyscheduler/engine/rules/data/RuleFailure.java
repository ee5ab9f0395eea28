package io.policyscheduler.engine.rules.data;

/** A rule that fails while it runs. Has no stack trace: a rule may fail on every node of every pod. */
public final class RuleFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kinds of failures of a checked rule. */
    public enum Kind {
        /** The right side of {@code /} or {@code %} is 0. */
        DIVISION_BY_ZERO("division by zero"),
        /** Arithmetic left the range of 64-bit floating point. */
        NOT_FINITE("number out of range"),
        /** The objects that the rule looks at are so large that it would cost more than the limits of the rule. */
        BUDGET("too much work"),
        /** Anything else: a bug of this program. */
        INTERNAL("internal error");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** What went wrong, as users see it. */
        public String text() {
            return text;
        }
    }

    private final Kind kind;

    RuleFailure(Kind kind) {
        super(kind.text(), null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
