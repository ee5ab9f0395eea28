package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.policyscheduler.cmd.sources.PluginLoader;
import io.policyscheduler.cmd.sources.PluginLoader.Digests;
import io.policyscheduler.cmd.sources.PluginLoader.PluginLoadException;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.WaitingPods;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which plugin jars load, and the one-line errors of the others. */
class PluginLoaderTest {
    private static final Set<String> BUILT_IN = Set.of("NodeName", "NodePorts");

    @TempDir
    private Path temp = Path.of("");

    private Path folder = Path.of("");
    private int jars;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(temp.resolve("plugins"));
    }

    /** The arguments that a plugin gets if its profile has none. */
    record Handle(JsonNode args) implements PluginHandle {
        @Override
        public String profile() {
            return "policy-scheduler";
        }

        @Override
        public StateKeys stateKeys() {
            return new StateKeys();
        }

        @Override
        public ClusterView cluster() {
            return new ClusterState();
        }

        @Override
        public WaitingPods waitingPods() {
            return WaitingPods.NONE;
        }

        @Override
        public Clock clock() {
            return Clock.systemUTC();
        }
    }

    private PluginJars newJar() {
        jars++;
        return new PluginJars(temp.resolve("work" + jars));
    }

    /** A provider whose {@code plugins()} has this body, and a plugin class {@code P} that takes its name. */
    private static Map<String, String> sources(String body) {
        return Map.of("example.P", """
                package example;
                public final class P implements io.policyscheduler.framework.plugin.Plugin {
                    private final String name;
                    public P(String name) {
                        this.name = name;
                    }
                    @Override
                    public String name() {
                        return name;
                    }
                }
                """, "example.Provider", """
                package example;
                import io.policyscheduler.framework.plugin.Plugin.PluginException;
                import io.policyscheduler.framework.plugin.PluginFactory;
                import io.policyscheduler.framework.plugin.PluginProvider;
                import java.util.Map;
                public final class Provider implements PluginProvider {
                    @Override
                    public Map<String, PluginFactory> plugins() {
                        BODY
                    }
                }
                """.replace("BODY", body));
    }

    private Path good(String file, String... names) {
        StringBuilder body = new StringBuilder("return Map.of(");
        for (int i = 0; i < names.length; i++) {
            body.append(i == 0 ? "" : ", ").append("\"%s\", handle -> new P(\"%s\")".formatted(names[i], names[i]));
        }
        return newJar().compile(sources(body + ");"))
                .provider("example.Provider")
                .write(folder.resolve(file));
    }

    private Map<String, PluginFactory> load(Path... folders) throws PluginLoadException {
        return PluginLoader.load(
                List.of(folders), BUILT_IN, Digests.NONE, getClass().getClassLoader());
    }

    private List<String> problems(Path... folders) {
        return assertThrows(PluginLoadException.class, () -> load(folders)).problems().stream()
                .map(line -> line.replace(temp.toString(), "TEMP"))
                .toList();
    }

    private static Plugin make(Map<String, PluginFactory> factories, String name) {
        PluginFactory factory = factories.get(name);
        assertNotNull(factory);
        return factory.create(new Handle(MissingNode.getInstance()));
    }

    @Test
    void withoutFoldersThereIsNothing() throws Exception {
        assertEquals(Map.of(), load());
        assertEquals(Map.of(), load(folder));
    }

    @Test
    void jarsAreReadByFileName() throws Exception {
        good("b.jar", "Second");
        good("a.JAR", "First");
        Path other = Files.createDirectory(temp.resolve("other"));
        folder = other;
        good("0.jar", "Third");
        Files.writeString(folder.resolve("notes.txt"), "not a jar");
        Files.createDirectory(folder.resolve("folder.jar"));
        Map<String, PluginFactory> factories = load(temp.resolve("plugins"), other, temp.resolve("plugins"));
        assertEquals(List.of("First", "Second", "Third"), List.copyOf(factories.keySet()));
        assertEquals("Second", make(factories, "Second").name());
    }

    @Test
    void classesOfTheSameNameInTwoJarsDoNotMeet() throws Exception {
        good("a.jar", "First");
        good("b.jar", "Second");
        Map<String, PluginFactory> factories = load(folder);
        Plugin first = make(factories, "First");
        Plugin second = make(factories, "Second");
        assertEquals("example.P", first.getClass().getName());
        assertEquals("example.P", second.getClass().getName());
        assertEquals(false, first.getClass().equals(second.getClass()));
        assertEquals("a.jar", first.getClass().getClassLoader().getName());
    }

    @Test
    void theClassPathHasPluginsToo() throws Exception {
        Path program = good("program.jar", "OnClassPath");
        Path plugins = Files.createDirectory(temp.resolve("other"));
        folder = plugins;
        newJar().compile(Map.of("example.other.Q", """
                package example.other;
                import io.policyscheduler.framework.plugin.PluginFactory;
                import java.util.Map;
                public final class Q implements io.policyscheduler.framework.plugin.PluginProvider {
                    @Override
                    public Map<String, PluginFactory> plugins() {
                        return Map.of("InJar", handle -> () -> "InJar");
                    }
                }
                """))
                .provider("example.other.Q")
                .write(folder.resolve("q.jar"));
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {program.toUri().toURL()}, getClass().getClassLoader())) {
            assertEquals(
                    List.of("OnClassPath", "InJar"),
                    List.copyOf(PluginLoader.load(List.of(plugins), BUILT_IN, Digests.NONE, loader)
                            .keySet()));
            good("r.jar", "OnClassPath");
            PluginLoadException e = assertThrows(
                    PluginLoadException.class,
                    () -> PluginLoader.load(List.of(plugins), BUILT_IN, Digests.NONE, loader));
            assertEquals(
                    "plugin jar " + plugins.resolve("r.jar")
                            + ": a plugin named OnClassPath already exists, in plugins on the class path",
                    e.getMessage());
        }
    }

    private static Arguments broken(String name, UnaryOperator<PluginJars> jar, String problem) {
        return Arguments.of(name, jar, problem);
    }

    private static Arguments body(String name, String body, String problem) {
        return broken(name, jar -> jar.compile(sources(body)).provider("example.Provider"), problem);
    }

    static Stream<Arguments> brokenJars() {
        String good = "return Map.of(\"A\", handle -> new P(\"A\"));";
        return Stream.of(
                broken(
                        "no services file",
                        jar -> jar.compile(sources(good)),
                        " has no " + PluginJars.SERVICES + ", which must name its PluginProvider"),
                broken("services file without a name", jar -> jar.provider("# nothing"), " brings no plugin"),
                broken(
                        "a name that is none",
                        jar -> jar.provider("not a class name"),
                        ": jar:file:TEMP/plugins/x.jar!/" + PluginJars.SERVICES
                                + ":1: Illegal configuration-file syntax"),
                broken(
                        "a class that is missing",
                        jar -> jar.compile(sources(good)).provider("example.Missing"),
                        ": Provider example.Missing not found"),
                broken(
                        "a class that is no provider",
                        jar -> jar.compile(sources(good)).provider("example.P"),
                        ": example.P not a subtype"),
                broken(
                        "a constructor that throws",
                        jar -> jar.compile(withConstructor(
                                        "public Provider() { throw new IllegalStateException(\"x\"); }"))
                                .provider("example.Provider"),
                        ": Provider example.Provider could not be instantiated: java.lang.IllegalStateException: x"),
                broken(
                        "a constructor that is not public",
                        jar -> jar.compile(withConstructor("Provider() {}")).provider("example.Provider"),
                        ": example.Provider Unable to get public no-arg constructor"
                                + ": java.lang.NoSuchMethodException: example.Provider.<init>()"),
                broken(
                        "a superclass that is missing",
                        jar -> jar.compile(Map.of(
                                        "example.Base",
                                        "package example; public abstract class Base"
                                                + " implements io.policyscheduler.framework.plugin.PluginProvider {}",
                                        "example.Provider",
                                        "package example; public final class Provider extends Base { @Override public"
                                                + " java.util.Map<String, io.policyscheduler.framework.plugin.PluginFactory>"
                                                + " plugins() { return java.util.Map.of(); } }"))
                                .without("example/Base.class")
                                .provider("example.Provider"),
                        ": a class does not fit this program: java.lang.NoClassDefFoundError: example/Base"),
                broken(
                        "a class of a later JDK",
                        jar -> jar.compile(sources(good))
                                .withClassVersion("example/Provider.class", 99)
                                .provider("example.Provider"),
                        ": a class does not fit this program: java.lang.UnsupportedClassVersionError: example/Provider has"
                                + " been compiled by a more recent version of the Java Runtime (class file version 99.0),"
                                + " this version of the Java Runtime only recognizes class file versions up to "
                                + (44 + Runtime.version().feature()) + ".0"),
                body(
                        "plugins that throw",
                        "throw new IllegalStateException(\"two\\nlines\");",
                        ": plugins() of provider example.Provider failed: java.lang.IllegalStateException: two lines"),
                body(
                        "plugins that are null",
                        "return null;",
                        ": plugins() of provider example.Provider failed:"
                                + " java.lang.NullPointerException: null instead of plugins"),
                body("no plugins", "return Map.of();", " brings no plugin"),
                body(
                        "a plugin without a factory",
                        "Map<String, PluginFactory> map = new java.util.HashMap<>(); map.put(\"A\", null); return map;",
                        ": provider example.Provider has a plugin without a name or without a factory"),
                body(
                        "a plugin without a name",
                        "return Map.of(\" \", handle -> new P(\" \"));",
                        ": provider example.Provider has a plugin without a name or without a factory"),
                body(
                        "a name that is built in",
                        "return Map.of(\"NodeName\", handle -> new P(\"NodeName\"));",
                        ": a plugin named NodeName already exists, in the program itself"),
                broken(
                        "a name that two of its providers use",
                        jar -> jar.compile(sources(good))
                                .provider("example.Provider\nexample.Provider2")
                                .compile(
                                        Map.of(
                                                "example.Provider2",
                                                "package example; public final class Provider2 implements"
                                                        + " io.policyscheduler.framework.plugin.PluginProvider { @Override public"
                                                        + " java.util.Map<String, io.policyscheduler.framework.plugin.PluginFactory>"
                                                        + " plugins() { return java.util.Map.of(\"A\", handle -> () -> \"A\"); } }")),
                        ": a plugin named A is there twice, in two of its providers"));
    }

    private static Map<String, String> withConstructor(String constructor) {
        return Map.of(
                "example.Provider",
                "package example; public final class Provider implements io.policyscheduler.framework.plugin.PluginProvider"
                        + " { " + constructor + " @Override public java.util.Map<String,"
                        + " io.policyscheduler.framework.plugin.PluginFactory> plugins() { return java.util.Map.of(); } }");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenJars")
    void aBrokenJarIsRefusedByName(String name, UnaryOperator<PluginJars> content, String problem) {
        content.apply(newJar()).write(folder.resolve("x.jar"));
        assertEquals(List.of("plugin jar TEMP/plugins/x.jar" + problem), problems(folder));
    }

    @Test
    void whatIsNoJarIsRefused() throws Exception {
        Files.writeString(folder.resolve("empty.jar"), "");
        Files.write(folder.resolve("text.jar"), "this is no zip file at all".getBytes(StandardCharsets.UTF_8));
        assertEquals(
                List.of(
                        "plugin jar TEMP/plugins/empty.jar cannot be read as a jar: zip file is empty",
                        "plugin jar TEMP/plugins/text.jar cannot be read as a jar: zip END header not found"),
                problems(folder));
    }

    @Test
    void twoJarsWithTheSamePlugin() {
        good("a.jar", "One", "Two");
        good("b.jar", "Two");
        assertEquals(
                List.of("plugin jar TEMP/plugins/b.jar: a plugin named Two already exists, in plugin jar"
                        + " TEMP/plugins/a.jar"),
                problems(folder));
    }

    @Test
    void everyBrokenJarIsNamed() throws Exception {
        Files.writeString(folder.resolve("c.jar"), "");
        good("a.jar", "NodePorts");
        good("b.jar", "Good");
        assertEquals(
                List.of(
                        "plugin path TEMP/nowhere is no directory",
                        "plugin jar TEMP/plugins/a.jar: a plugin named NodePorts already exists, in the program itself",
                        "plugin jar TEMP/plugins/c.jar cannot be read as a jar: zip file is empty"),
                problems(temp.resolve("nowhere"), folder));
    }

    private String failure(String factory) throws PluginLoadException {
        newJar().compile(sources("return Map.of(\"A\", " + factory + ");"))
                .provider("example.Provider")
                .write(folder.resolve("x.jar"));
        Map<String, PluginFactory> factories = load(folder);
        return String.valueOf(assertThrows(PluginException.class, () -> make(factories, "A"))
                        .getMessage())
                .replace(temp.toString(), "TEMP");
    }

    @Test
    void aPluginThatCallsItselfDifferently() throws Exception {
        assertEquals(
                "plugin jar TEMP/plugins/x.jar: plugin A calls itself B; both names must be the same",
                failure("handle -> new P(\"B\")"));
    }

    @Test
    void aFactoryThatMakesNothing() throws Exception {
        assertEquals(
                "plugin jar TEMP/plugins/x.jar: plugin A cannot be made:"
                        + " java.lang.NullPointerException: null instead of a plugin",
                failure("handle -> null"));
    }

    @Test
    void aFactoryThatThrows() throws Exception {
        assertEquals(
                "plugin jar TEMP/plugins/x.jar: plugin A cannot be made: java.lang.IllegalStateException: x",
                failure("handle -> { throw new IllegalStateException(\"x\"); }"));
    }

    @Test
    void aComplaintAboutArgumentsIsPassedOn() throws Exception {
        assertEquals(
                "argument \"label\" must be a text",
                failure("handle -> { throw new PluginException(\"argument \\\"label\\\" must be a text\"); }"));
    }

    @Test
    void aPluginThatWasCompiledAgainstSomethingElse() throws Exception {
        newJar().compile(sources("return Map.of(\"A\", handle -> new P(\"A\"));"))
                .without("example/P.class")
                .provider("example.Provider")
                .write(folder.resolve("x.jar"));
        Map<String, PluginFactory> factories = load(folder);
        assertEquals(
                "plugin jar " + folder.resolve("x.jar")
                        + ": plugin A cannot be made: java.lang.NoClassDefFoundError: example/P",
                assertThrows(PluginException.class, () -> make(factories, "A")).getMessage());
    }
}
