package io.policyscheduler.cmd.plugins;

import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginProvider;
import java.util.Map;

/** Providers of plugins, good and bad, for jars that name them. */
public final class GivenProviders {
    private GivenProviders() {}

    private static PluginFactory factory(String name) {
        return handle -> () -> name;
    }

    /** Brings Rack. */
    public static final class Rack implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            return Map.of("Rack", factory("Rack"));
        }
    }

    /** Brings Row. */
    public static final class Row implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            return Map.of("Row", factory("Row"));
        }
    }

    /** Brings nothing. */
    public static final class None implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            return Map.of();
        }
    }

    /** Brings a plugin without a name. */
    public static final class Nameless implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            return Map.of(" ", factory(" "));
        }
    }

    /** Does not get so far. */
    public static final class Failing implements PluginProvider {
        @Override
        public Map<String, PluginFactory> plugins() {
            throw new IllegalStateException("no racks\n  at all");
        }
    }

    /** Cannot be made by the program. */
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
