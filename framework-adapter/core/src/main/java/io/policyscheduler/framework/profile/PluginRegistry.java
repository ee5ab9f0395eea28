package io.policyscheduler.framework.profile;

import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.Status;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    /** Converts exceptions of plugins to errors of one attempt. */
    public static final class PluginFailures {
        private static final Logger LOG = LoggerFactory.getLogger(PluginFailures.class);

        private PluginFailures() {}

        /**
         * Calls a plugin. An exception becomes an error status, including linkage errors of plugins that were compiled against another
         * version; null does too.
         */
        public static Status call(Plugin plugin, Supplier<Status> question) {
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
}
