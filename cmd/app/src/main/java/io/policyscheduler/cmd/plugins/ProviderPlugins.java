package io.policyscheduler.cmd.plugins;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.plugins.PluginLoader.PluginLoadException;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PluginProvider;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Asks the providers of one place for their plugins. */
final class ProviderPlugins {
    /** The file in a jar that names its providers. */
    static final String SERVICE_FILE = "META-INF/services/" + PluginProvider.class.getName();

    private static final String SERVICE_PREFIX = PluginProvider.class.getName() + ": ";

    private final String origin;
    private final ClassLoader loader;
    private final Map<String, PluginFactory> plugins = new LinkedHashMap<>();

    private ProviderPlugins(String origin, ClassLoader loader) {
        this.origin = origin;
        this.loader = loader;
    }

    /**
     * The plugins of all providers, in their order, by name.
     *
     * @param origin what messages call the place, e.g. {@code plugin jar plugins/a.jar}
     * @throws PluginLoadException with the first thing that is wrong there
     */
    static Map<String, PluginFactory> plugins(String origin, ClassLoader loader) throws PluginLoadException {
        ProviderPlugins providers = new ProviderPlugins(origin, loader);
        providers.read();
        return ImmutableMap.copyOf(providers.plugins);
    }

    private void read() throws PluginLoadException {
        try {
            Iterator<PluginProvider> providers =
                    ServiceLoader.load(PluginProvider.class, loader).iterator();
            while (providers.hasNext()) {
                ask(providers.next());
            }
        } catch (ServiceConfigurationError e) {
            throw problem(withCause(e), e);
        } catch (LinkageError e) {
            throw problem("a class does not fit this program: " + e, e);
        }
    }

    private static String withCause(ServiceConfigurationError e) {
        String message = String.valueOf(e.getMessage());
        String said = message.startsWith(SERVICE_PREFIX) ? message.substring(SERVICE_PREFIX.length()) : message;
        return e.getCause() == null ? said : said + ": " + e.getCause();
    }

    private void ask(PluginProvider provider) throws PluginLoadException {
        String name = provider.getClass().getName();
        Map<String, PluginFactory> provided;
        try {
            provided = new LinkedHashMap<>(Objects.requireNonNull(provider.plugins(), "null instead of plugins"));
        } catch (RuntimeException | LinkageError e) {
            throw problem("plugins() of provider " + name + " failed: " + e, e);
        }
        for (Map.Entry<String, PluginFactory> plugin : provided.entrySet()) {
            if (plugin.getKey() == null || plugin.getKey().isBlank() || plugin.getValue() == null) {
                throw new PluginLoadException(
                        origin + ": provider " + name + " has a plugin without a name or without a factory");
            }
            if (plugins.put(plugin.getKey(), new CheckedFactory(origin, plugin.getKey(), plugin.getValue())) != null) {
                throw new PluginLoadException(
                        origin + ": a plugin named " + plugin.getKey() + " is there twice, in two of its providers");
            }
        }
    }

    private PluginLoadException problem(String what, Throwable cause) {
        return new PluginLoadException(origin + ": " + what.replaceAll("\\s*\\R\\s*", " "), cause);
    }

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
}
