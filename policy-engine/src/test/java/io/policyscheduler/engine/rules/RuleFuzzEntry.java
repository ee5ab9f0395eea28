package io.policyscheduler.engine.rules;

import java.nio.charset.StandardCharsets;

/** The entry point for Jazzer in a process of its own. */
public final class RuleFuzzEntry {
    private static final RuleFuzzTarget TARGET = new RuleFuzzTarget();

    private RuleFuzzEntry() {}

    /** One text; bytes that are no UTF-8 count as replacement characters. */
    public static void fuzzerTestOneInput(byte[] input) {
        TARGET.run(new String(input, StandardCharsets.UTF_8));
    }
}
