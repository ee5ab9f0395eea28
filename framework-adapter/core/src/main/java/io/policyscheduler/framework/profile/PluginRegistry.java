package io.policyscheduler.framework.profile;

import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The plugins that are available to profiles. Mirrors {@code pkg/scheduler/framework/runtime/registry.go}. */
public final class PluginRegistry {
    private final SortedMap<String, PluginFactory> factories;

    private PluginRegistry(Map<String, PluginFactory> factories) {
        this.factories = ImmutableSortedMap.copyOf(factories);
    }

    /** An empty registry. */
    public static PluginRegistry empty() {
        return new PluginRegistry(Map.of());
    }

    /**
     * A registry with additional plugins.
     *
     * @throws PluginException if a name already exists: {@code a plugin named X already exists}
     */
    public PluginRegistry with(Map<String, PluginFactory> more) {
        Map<String, PluginFactory> all = new TreeMap<>(factories);
        more.forEach((name, factory) -> {
            if (all.putIfAbsent(name, factory) != null) {
                throw new PluginException("a plugin named " + name + " already exists");
            }
        });
        return new PluginRegistry(all);
    }

    /** The factory of a plugin; null if there is none. */
    public @Nullable PluginFactory find(String name) {
        return factories.get(name);
    }

    /** All names, sorted. */
    public Set<String> names() {
        return factories.keySet();
    }
}
