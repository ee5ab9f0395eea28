package io.policyscheduler.cmd.cli;

import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyProblem;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationProblem;
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

    /** A policy that is refused: one line for each problem. */
    static InputException refused(PolicyException policy) {
        return new InputException(
                policy.problems().stream().map(PolicyProblem::line).collect(Collectors.joining("\n")), policy);
    }

    /** A configuration that is refused: one line for each problem. */
    static InputException refused(ConfigurationException configuration) {
        return new InputException(
                configuration.problems().stream()
                        .map(ConfigurationProblem::line)
                        .collect(Collectors.joining("\n")),
                configuration);
    }
}
