package io.policyscheduler.framework.plugin;

import io.policyscheduler.framework.plugin.Plugin.PluginException;

/** Makes a plugin for one profile. */
@FunctionalInterface
public interface PluginFactory {
    /**
     * A new plugin.
     *
     * @throws PluginException when the arguments are wrong; the message names the argument
     */
    Plugin create(PluginHandle handle);
}
