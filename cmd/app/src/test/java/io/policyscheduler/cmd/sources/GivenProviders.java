package io.policyscheduler.cmd.sources;

import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginProvider;
import java.util.Map;

/** Valid and invalid plugin providers for jars that name them. */
public final class GivenProviders {
    private GivenProviders() {}

    private static PluginFactory factory(String name) {
        return handle -> () -> name;
    }

    /** Provides Rack. */
    public static final class Rack implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            return Map.of("Rack", factory("Rack"));
        }
    }

    /** Provides Row. */
    public static final class Row implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            return Map.of("Row", factory("Row"));
        }
    }

    /** Provides no plugin. */
    public static final class None implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            return Map.of();
        }
    }

    /** Provides a plugin without a name. */
    public static final class Nameless implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            return Map.of(" ", factory(" "));
        }
    }

    /** Throws. */
    public static final class Failing implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            throw new IllegalStateException("no racks\n  at all");
        }
    }

    /** Has no constructor that the program can call. */
    public static final class Closed implements PluginProvider {
        private final Map<String, PluginFactory> plugins;

        public Closed(Map<String, PluginFactory> plugins) {
            this.plugins = plugins;
        }

        @Override
        public Map<String, PluginFactory> plugins() {
            return plugins;
        }
    }
}
