package io.policyscheduler.framework.config;

import io.policyscheduler.framework.plugin.ExtensionPoint;

/** Which plugins there are. */
public interface PluginIndex {
    /** Whether there is a plugin of this name. */
    boolean exists(String plugin);

    /** Whether a plugin that exists can be enabled at the point. */
    boolean implementsPoint(String plugin, ExtensionPoint point);
}
