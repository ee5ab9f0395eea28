package io.policyscheduler.cmd.plugins;

import com.google.common.collect.ImmutableList;
import java.util.List;

/** Plugins that cannot be used. Each problem is one line that names the jar or folder. */
public final class PluginLoadException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ImmutableList<String> problems;

    PluginLoadException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = ImmutableList.copyOf(problems);
    }

    PluginLoadException(String problem, Throwable cause) {
        super(problem, cause);
        this.problems = ImmutableList.of(problem);
    }

    PluginLoadException(String problem) {
        super(problem);
        this.problems = ImmutableList.of(problem);
    }

    /** What is wrong, at least one line. */
    public List<String> problems() {
        return problems;
    }
}
