package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.sources.PluginLoader.ProviderPlugins;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** A jar that contains only the names of providers, whose classes are on the class path of the test. */
final class ServiceFile {
    private ServiceFile() {}

    static Path jar(Path file, String... providers) throws IOException {
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
            jar.putNextEntry(new JarEntry(ProviderPlugins.SERVICE_FILE));
            jar.write(String.join("\n", providers).getBytes(StandardCharsets.UTF_8));
            jar.closeEntry();
        }
        return file;
    }
}
