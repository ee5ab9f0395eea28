package io.policyscheduler.engine.rules.compiler;

/** Text of a rule as it is put into messages. */
public final class Shown {
    private static final int MAX = 40;

    private Shown() {}

    /** Cut to a length that fits a line. */
    public static String text(String text) {
        return text.length() <= MAX ? text : text.substring(0, MAX) + "...";
    }
}
