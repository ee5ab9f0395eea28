package io.policyscheduler.cmd.options;

import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import java.util.stream.Collectors;

/** Input that cannot be used: a file that is missing, unreadable or malformed. Ends the program with exit code 3. */
public final class InputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An error.
     *
     * @param message for the user, names the file; several lines are several errors
     */
    public InputException(String message) {
        super(message);
    }

    /** An error with its cause, which {@code --debug} shows. */
    public InputException(String message, Throwable cause) {
        super(message, cause);
    }

    /** An invalid policy: one line for each problem. */
    public static InputException of(PolicyException policy) {
        return new InputException(
                policy.problems().stream().map(Problem::line).collect(Collectors.joining("\n")), policy);
    }

    /** An invalid configuration: one line for each problem. */
    public static InputException of(ConfigurationException configuration) {
        return new InputException(
                configuration.problems().stream().map(Problem::line).collect(Collectors.joining("\n")), configuration);
    }
}
