package io.policyscheduler.framework.plugin;

import io.policyscheduler.framework.plugin.Plugin.PluginException;

/** Creates a plugin for one profile. */
@FunctionalInterface
public interface PluginFactory {
    /**
     * Creates a plugin.
     *
     * @throws PluginException if the arguments are invalid; the message contains the argument
     */
    Plugin create(PluginHandle handle);
}
