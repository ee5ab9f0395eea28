package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.Problem;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A configuration that is refused, with every problem found in the stage that refused it. */
public final class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient ImmutableList<Problem> problems;

    /** @param problems at least one */
    public ConfigurationException(List<Problem> problems) {
        this(problems, aggregate(problems.stream().map(Problem::message).toList()));
    }

    /**
     * Problems of a stage that does not say all that it finds.
     *
     * @param problems at least one
     * @param message what kube-scheduler says
     */
    ConfigurationException(List<Problem> problems, String message) {
        super(message);
        this.problems = ImmutableList.copyOf(problems);
    }

    /** All problems, each fit for one line of output; the message may name only the first of them, as kube-scheduler does. */
    public List<Problem> problems() {
        return problems;
    }

    /** One message as it is, several different ones in brackets, as Kubernetes aggregates errors. */
    static String aggregate(List<String> messages) {
        Set<String> different = new LinkedHashSet<>(messages);
        String joined = String.join(", ", different);
        return different.size() == 1 ? joined : "[" + joined + "]";
    }
}
