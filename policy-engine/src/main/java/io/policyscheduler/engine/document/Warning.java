package io.policyscheduler.engine.document;

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
}
