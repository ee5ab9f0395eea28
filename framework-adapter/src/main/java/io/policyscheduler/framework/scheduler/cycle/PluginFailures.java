package io.policyscheduler.framework.scheduler.cycle;

import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginException;
import io.policyscheduler.framework.plugin.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exceptions of plugins as errors of one attempt. */
public final class PluginFailures {
    private static final Logger LOG = LoggerFactory.getLogger(PluginFailures.class);

    private PluginFailures() {}

    /** The error that stands for an exception; one that the plugin did not mean to throw is logged. */
    public static Status status(Plugin plugin, RuntimeException e) {
        if (e instanceof PluginException) {
            return Status.error(String.valueOf(e.getMessage()));
        }
        LOG.error("W120 plugin {} failed unexpectedly", plugin.name(), e);
        return Status.error(e.toString());
    }
}
