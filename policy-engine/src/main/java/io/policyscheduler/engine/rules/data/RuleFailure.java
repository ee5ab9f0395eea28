package io.policyscheduler.engine.rules.data;

/** Thrown when a rule fails at run time. Has no stack trace, because a rule may fail on every node for every pod. */
public final class RuleFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kinds of failures of a checked rule. */
    public enum Kind {
        /** The right side of {@code /} or {@code %} is 0. */
        DIVISION_BY_ZERO("division by zero"),
        /** The result exceeds the range of 64-bit floating point. */
        NOT_FINITE("number out of range"),
        /** The evaluation exceeds the cost limits because of the size of its inputs. */
        BUDGET("too much work"),
        /** Anything else: a bug of this program. */
        INTERNAL("internal error");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** The failure for users. */
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
