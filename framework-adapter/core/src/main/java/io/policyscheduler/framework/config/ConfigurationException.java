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

    /** The codes of what can be wrong with a configuration. */
    static final class ConfigurationProblemCode {
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

        private ConfigurationProblemCode() {}
    }
}
