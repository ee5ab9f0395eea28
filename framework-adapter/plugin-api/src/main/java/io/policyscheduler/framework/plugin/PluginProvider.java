package io.policyscheduler.framework.plugin;

import java.util.Map;

/**
 * Brings plugins into the program. A jar that contains an implementation names it in
 * {@code META-INF/services/io.policyscheduler.framework.plugin.PluginProvider}.
 */
public interface PluginProvider {
    /** The plugins by name, e.g. {@code NodeTypeFilter}. */
    Map<String, PluginFactory> plugins();
}
