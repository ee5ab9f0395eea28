package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.Problem;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A configuration that is refused, with every problem found in the stage that refused it. */
public final class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient ImmutableList<Problem> problems;

    /** @param problems at least one */
    public ConfigurationException(List<Problem> problems) {
        super(aggregate(problems));
        this.problems = ImmutableList.copyOf(problems);
    }

    /** All problems, each fit for one line of output. */
    public List<Problem> problems() {
        return problems;
    }

    /** One message as it is, several different ones in brackets, as Kubernetes aggregates errors. */
    private static String aggregate(List<Problem> problems) {
        Set<String> messages =
                problems.stream().map(Problem::message).collect(Collectors.toCollection(LinkedHashSet::new));
        String joined = String.join(", ", messages);
        return messages.size() == 1 ? joined : "[" + joined + "]";
    }
}
