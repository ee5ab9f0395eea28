package io.policyscheduler.cmd.plugins;

import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import java.util.Objects;

/**
 * A factory of somebody else. What is wrong with it is told with its origin; a plugin's own complaint about its arguments is passed on
 * as it is.
 *
 * @param name under which the plugin is registered
 */
record CheckedFactory(String origin, String name, PluginFactory factory) implements PluginFactory {
    @Override
    public Plugin create(PluginHandle handle) {
        try {
            Plugin plugin = Objects.requireNonNull(factory.create(handle), "null instead of a plugin");
            if (!name.equals(plugin.name())) {
                throw new PluginException(origin + ": plugin " + name + " calls itself " + plugin.name()
                        + "; both names must be the same");
            }
            return plugin;
        } catch (PluginException e) {
            throw e;
        } catch (RuntimeException | LinkageError e) {
            throw new PluginException(origin + ": plugin " + name + " cannot be made: " + e, e);
        }
    }
}
