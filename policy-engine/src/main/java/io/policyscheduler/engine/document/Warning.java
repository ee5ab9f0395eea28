package io.policyscheduler.engine.document;

import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A warning about an accepted document.
 *
 * @param code stable code: {@code W001} and up for policies, {@code W201} and up for configurations
 * @param problem the value and the rule that it breaks
 * @param fix the change that avoids the warning, empty if there is none
 * @param position position in the file
 */
public record Warning(String code, String problem, String fix, SourcePosition position) {
    /** A warning without a fix. */
    public Warning(String code, String problem, SourcePosition position) {
        this(code, problem, "", position);
    }

    /** Returns the problem and the fix in one line. */
    public String message() {
        return fix.isEmpty() ? problem : problem + "; " + fix;
    }

    /** Returns {@code FILE:LINE:COLUMN: warning CODE: problem}, and the fix on a second, indented line. */
    public String line(String file) {
        String line = position.in(file) + ": warning " + code + ": " + problem;
        return fix.isEmpty() ? line : line + "\n  " + fix;
    }

    /**
     * Combines warnings that are equal except for their position into the first of them, which lists the other lines.
     *
     * @return the warnings in the order of their first positions
     */
    public static List<Warning> combined(List<Warning> warnings) {
        Map<List<String>, List<Warning>> equal = new LinkedHashMap<>();
        for (Warning warning : warnings) {
            equal.computeIfAbsent(
                            List.of(warning.code(), warning.problem(), warning.fix()), unused -> new ArrayList<>())
                    .add(warning);
        }
        return equal.values().stream().map(Warning::first).toList();
    }

    private static Warning first(List<Warning> equal) {
        Warning first = equal.get(0);
        String lines = equal.stream()
                .skip(1)
                .map(Warning::position)
                .filter(SourcePosition::known)
                .map(position -> Integer.toString(position.line()))
                .distinct()
                .collect(Collectors.joining(", "));
        return lines.isEmpty()
                ? first
                : new Warning(
                        first.code(), first.problem() + " (also on line " + lines + ")", first.fix(), first.position());
    }
}
