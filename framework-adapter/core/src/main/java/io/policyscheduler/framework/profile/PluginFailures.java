package io.policyscheduler.framework.profile;

import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.Status;
import java.util.Objects;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exceptions of plugins as errors of one attempt. */
public final class PluginFailures {
    private static final Logger LOG = LoggerFactory.getLogger(PluginFailures.class);

    private PluginFailures() {}

    /**
     * Asks a plugin. What it throws becomes an error, also when its jar was compiled against something else; so does no answer at
     * all.
     */
    public static Status ask(Plugin plugin, Supplier<Status> question) {
        try {
            return Objects.requireNonNull(question.get(), "no answer");
        } catch (RuntimeException | LinkageError e) {
            return status(plugin, e);
        }
    }

    /** The error that stands for an exception; one that the plugin did not mean to throw is logged. */
    public static Status status(Plugin plugin, Throwable e) {
        if (e instanceof PluginException) {
            return Status.error(String.valueOf(e.getMessage()));
        }
        LOG.error("W120 plugin {} failed unexpectedly", plugin.name(), e);
        return Status.error(e.toString());
    }
}
