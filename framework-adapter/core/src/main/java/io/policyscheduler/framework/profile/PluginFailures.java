package io.policyscheduler.framework.profile;

import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.Status;
import java.util.Objects;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts exceptions of plugins to errors of one attempt. */
public final class PluginFailures {
    private static final Logger LOG = LoggerFactory.getLogger(PluginFailures.class);

    private PluginFailures() {}

    /**
     * Calls a plugin. An exception becomes an error status, including linkage errors of plugins that were compiled against another
     * version; null does too.
     */
    public static Status ask(Plugin plugin, Supplier<Status> question) {
        try {
            return Objects.requireNonNull(question.get(), "no answer");
        } catch (RuntimeException | LinkageError e) {
            return status(plugin, e);
        }
    }

    /** The error status of an exception; unexpected ones are logged. */
    public static Status status(Plugin plugin, Throwable e) {
        if (e instanceof PluginException) {
            return Status.error(String.valueOf(e.getMessage()));
        }
        LOG.error("W120 plugin {} failed unexpectedly", plugin.name(), e);
        return Status.error(e.toString());
    }
}
