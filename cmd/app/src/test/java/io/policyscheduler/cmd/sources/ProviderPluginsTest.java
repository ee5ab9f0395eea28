package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.sources.PluginLoader.PluginClassLoader;
import io.policyscheduler.cmd.sources.PluginLoader.PluginLoadException;
import io.policyscheduler.cmd.sources.PluginLoader.ProviderPlugins;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProviderPluginsTest {
    private static final String GIVEN = GivenProviders.class.getName() + "$";

    @TempDir
    private Path folder = Path.of("");

    private List<String> names(String... providers) throws IOException, PluginLoadException {
        Path jar = ServiceFile.jar(
                folder.resolve("a.jar"),
                Stream.of(providers).map(name -> GIVEN + name).toArray(String[]::new));
        try (PluginClassLoader classes =
                new PluginClassLoader("a.jar", jar.toUri().toURL(), getClass().getClassLoader())) {
            return List.copyOf(ProviderPlugins.plugins("a.jar", classes).keySet());
        }
    }

    @Test
    void pluginsComeInTheOrderOfTheirProviders() throws Exception {
        assertEquals(List.of("Rack", "Row"), names("Rack", "None", "Row"));
        assertEquals(List.of("Row", "Rack"), names("Row", "Rack"));
        assertEquals(List.of(), names("None"));
        assertEquals(List.of(), names());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Nameless | a.jar: provider GIVEN$Nameless has a plugin without a name or without a factory",
                "Failing  | a.jar: plugins() of provider GIVEN$Failing failed: java.lang.IllegalStateException: no racks at all",
                "Missing  | a.jar: Provider GIVEN$Missing not found",
            })
    void theFirstThatIsWrongIsTold(String provider, String message) {
        PluginLoadException e = assertThrows(PluginLoadException.class, () -> names("Rack", provider, "Row"));
        assertEquals(List.of(message.replace("GIVEN", GivenProviders.class.getName())), e.problems());
    }

    @Test
    void aProviderHasAPublicConstructorWithoutParameters() {
        PluginLoadException e = assertThrows(PluginLoadException.class, () -> names("Closed"));
        assertEquals(1, e.problems().size());
        assertEquals(
                "a.jar: " + GIVEN + "Closed Unable to get public no-arg constructor: java.lang.NoSuchMethodException: "
                        + GIVEN + "Closed.<init>()",
                e.problems().get(0));
    }

    /** ServiceLoader ignores a provider that is named twice. */
    @Test
    void aProviderNamedTwiceIsOne() throws Exception {
        assertEquals(List.of("Rack"), names("Rack", "Rack"));
    }
}
