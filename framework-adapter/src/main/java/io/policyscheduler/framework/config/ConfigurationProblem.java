package io.policyscheduler.framework.config;

import io.policyscheduler.engine.policy.SourcePosition;
import org.jspecify.annotations.Nullable;

/**
 * One thing wrong with a configuration.
 *
 * @param code stable code, {@code C001} and up
 * @param message what kube-scheduler says about it; a validation problem starts with its field path
 * @param file name of the file, as given to the reader
 * @param position where in the file, unknown if the file does not say it
 * @param suggestion what was probably meant, null if nothing is near
 */
public record ConfigurationProblem(
        String code,
        String message,
        String file,
        SourcePosition position,
        @Nullable String suggestion) {
    /** The file cannot be parsed, or a value does not fit its field. */
    public static final String DECODE = "C001";
    /** kind or apiVersion is not one of a scheduler configuration. */
    public static final String KIND = "C002";
    /** A key that the version does not know. */
    public static final String UNKNOWN_FIELD = "C003";
    /** A key that stands twice in one object. */
    public static final String DUPLICATE_FIELD = "C004";
    /** A value that fails validation. */
    public static final String INVALID = "C005";
    /** Plugins from which no profile can be built. */
    public static final String PLUGINS = "C006";

    static ConfigurationProblem of(String code, String message, String file, SourcePosition position) {
        return new ConfigurationProblem(code, message, file, position, null);
    }

    ConfigurationProblem suggesting(@Nullable String better) {
        return new ConfigurationProblem(code, message, file, position, better);
    }

    /** One line: {@code FILE:LINE:COLUMN: message (did you mean "X"?)}; an unknown position is left out. */
    public String line() {
        String where = position.known() ? file + ":" + position : file;
        String hint = suggestion == null ? "" : " (did you mean \"" + suggestion + "\"?)";
        return where + ": " + message.replace("\n", " ").replace("\r", " ") + hint;
    }
}
