package io.policyscheduler.cmd.report;

/** What a line comes to, which terminals show as its colour. */
public enum Verdict {
    /** As it should be. */
    GOOD("\u001b[32m"),
    /** Worth a look. */
    DOUBTFUL("\u001b[33m"),
    /** An error, or the answer no. */
    BAD("\u001b[31m");

    private final String control;

    Verdict(String control) {
        this.control = control;
    }

    /** {@link #GOOD} or {@link #BAD}. */
    public static Verdict of(boolean good) {
        return good ? GOOD : BAD;
    }

    /** What a terminal obeys. */
    String control() {
        return control;
    }
}
