package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import org.jspecify.annotations.Nullable;

/** A table that is refused: its declaration, or the text with its values. */
public final class TableException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    /**
     * The refusal.
     *
     * @param hint the way out
     * @param suggestion what was probably meant, null for nothing
     */
    TableException(
            String table,
            String message,
            String hint,
            String file,
            SourcePosition position,
            @Nullable String suggestion) {
        super(message);
        this.problem = Problem.at(
                        RuleCode.TABLE.code(),
                        RuleCode.TABLE.code() + ": table " + table + ": " + message + "; " + hint,
                        file,
                        position,
                        table)
                .suggesting(suggestion);
    }

    /** The refusal of a source that cannot be had. */
    public TableException(String table, String message, String hint, String file, SourcePosition position) {
        this(table, message, hint, file, position, null);
    }

    /** What is wrong, and where. */
    public Problem problem() {
        return problem;
    }
}
