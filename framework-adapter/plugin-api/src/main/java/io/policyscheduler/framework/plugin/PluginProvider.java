package io.policyscheduler.framework.plugin;

import java.util.Map;

/**
 * Registers plugins. A jar with an implementation lists it in {@code
 * META-INF/services/io.policyscheduler.framework.plugin.PluginProvider}.
 */
public interface PluginProvider {
    /** The plugins by name, e.g. {@code NodeTypeFilter}. */
    Map<String, PluginFactory> plugins();
}
