package io.policyscheduler.cmd.plugins;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Enumeration;

/** The classes of one plugin jar. The program's classes are there too, but not the plugins that are on its class path. */
final class PluginClassLoader extends URLClassLoader {
    PluginClassLoader(String name, URL jar, ClassLoader program) {
        super(name, new URL[] {jar}, program);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        return name.equals(ProviderPlugins.SERVICE_FILE) ? findResources(name) : super.getResources(name);
    }
}
