package io.policyscheduler.cmd.sources;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import com.google.common.io.MoreFiles;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PluginProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Loads external plugins: from the class path, then from the JAR files of folders, by file name. Each JAR has its own class
 * loader, so that two can contain different versions of a library. The loaders stay open, because classes are loaded lazily.
 */
public final class PluginLoader {
    private static final Logger log = LoggerFactory.getLogger(PluginLoader.class);
    private static final String CLASS_PATH = "plugins on the class path";

    private final ClassLoader program;
    private final Digests pins;
    private final Map<String, PluginFactory> factories = new LinkedHashMap<>();
    private final Map<String, String> origins = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final List<PluginClassLoader> opened = new ArrayList<>();

    private PluginLoader(ClassLoader program, Digests pins) {
        this.program = program;
        this.pins = pins;
    }

    /**
     * Loads all plugins, or none if any JAR is invalid.
     *
     * @param folders folders whose {@code .jar} files are plugin JARs, without subfolders
     * @param builtIn reserved names
     * @param pins allowed JARs
     * @param program class loader of this program
     * @return factories by plugin name, without built-in ones
     * @throws PluginLoadException with one line for each invalid JAR and folder
     */
    public static Map<String, PluginFactory> load(
            List<Path> folders, Set<String> builtIn, Digests pins, ClassLoader program) throws PluginLoadException {
        PluginLoader loader = new PluginLoader(program, pins);
        builtIn.forEach(name -> loader.origins.put(name, "the program itself"));
        loader.add(CLASS_PATH, program);
        Set<Path> jars = loader.jars(folders);
        for (Path jar : jars) {
            loader.open(jar);
        }
        loader.problems.addAll(pins.missingFrom(jars));
        if (!loader.problems.isEmpty()) {
            loader.closeAll();
            throw new PluginLoadException(loader.problems);
        }
        return ImmutableMap.copyOf(loader.factories);
    }

    private Set<Path> jars(List<Path> folders) {
        Set<Path> jars = new LinkedHashSet<>();
        for (Path folder : folders) {
            if (!Files.isDirectory(folder)) {
                problems.add("plugin path " + folder + " is no directory");
                continue;
            }
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(PluginLoader::isJar)
                        .sorted(Comparator.comparing(file -> file.getFileName().toString()))
                        .map(Path::normalize)
                        .forEach(jars::add);
            } catch (IOException | UncheckedIOException e) {
                problems.add("plugin path " + folder + " cannot be read: " + e.getMessage());
            }
        }
        return jars;
    }

    private static boolean isJar(Path file) {
        return file.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(".jar") && !Files.isDirectory(file);
    }

    private void open(Path jar) {
        String origin = "plugin jar " + jar;
        String reason = pins.problem(jar);
        if (reason != null) {
            problems.add(origin + " " + reason);
            return;
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            if (file.getEntry(ProviderPlugins.SERVICE_FILE) == null) {
                problems.add(
                        origin + " has no " + ProviderPlugins.SERVICE_FILE + ", which must name its PluginProvider");
                return;
            }
            PluginClassLoader classes = new PluginClassLoader(
                    jar.getFileName().toString(), jar.toUri().toURL(), program);
            opened.add(classes);
            add(origin, classes);
        } catch (IOException e) {
            problems.add(origin + " cannot be read as a jar: " + e.getMessage());
        }
    }

    /** All plugins of one place, or its problems. */
    private void add(String origin, ClassLoader classes) {
        Map<String, PluginFactory> plugins;
        try {
            plugins = ProviderPlugins.plugins(origin, classes);
        } catch (PluginLoadException e) {
            log.debug("plugins are refused", e);
            problems.addAll(e.problems());
            return;
        }
        if (plugins.isEmpty() && classes != program) {
            problems.add(origin + " brings no plugin");
            return;
        }
        for (String name : plugins.keySet()) {
            String owner = origins.putIfAbsent(name, origin);
            if (owner != null) {
                problems.add(origin + ": a plugin named " + name + " already exists, in " + owner);
                return;
            }
        }
        factories.putAll(plugins);
        if (!plugins.isEmpty()) {
            log.info("{}: {}", origin, String.join(", ", plugins.keySet()));
        }
    }

    private void closeAll() {
        for (PluginClassLoader classes : opened) {
            try {
                classes.close();
            } catch (IOException e) {
                log.debug("closing {} failed", classes.getName(), e);
            }
        }
    }

    /** The class loader of one plugin JAR. It also finds the program's classes, but not the plugins on its class path. */
    static final class PluginClassLoader extends URLClassLoader {
        PluginClassLoader(String name, URL jar, ClassLoader program) {
            super(name, new URL[] {jar}, program);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return name.equals(ProviderPlugins.SERVICE_FILE) ? findResources(name) : super.getResources(name);
        }
    }

    /** Plugins that cannot be loaded. Each problem is one line that names the JAR or folder. */
    public static final class PluginLoadException extends Exception {
        private static final long serialVersionUID = 1L;

        private final ImmutableList<String> problems;

        PluginLoadException(List<String> problems) {
            super(String.join("\n", problems));
            this.problems = ImmutableList.copyOf(problems);
        }

        PluginLoadException(String problem, Throwable cause) {
            super(problem, cause);
            this.problems = ImmutableList.of(problem);
        }

        PluginLoadException(String problem) {
            super(problem);
            this.problems = ImmutableList.of(problem);
        }

        /** The problems, at least one line. */
        public List<String> problems() {
            return problems;
        }
    }

    /**
     * The allowed plugin JARs, by the SHA-256 of their content: any if none is pinned; otherwise the pinned ones, all of which
     * must exist.
     *
     * @param digests 64 hexadecimal digits by file name
     */
    public record Digests(Map<String, String> digests) {
        /** No JAR is pinned, so that all are allowed. */
        public static final Digests NONE = new Digests(Map.of());

        private static final String DIGEST = "[0-9a-f]{64}";

        public Digests {
            digests = Map.copyOf(digests);
        }

        /**
         * Parses {@code FILE.jar=SHA256}.
         *
         * @throws IllegalArgumentException if an entry is malformed, or a file is named twice; the message is for users
         */
        public static Digests parse(List<String> entries) {
            Map<String, String> digests = new TreeMap<>();
            for (String entry : entries) {
                int at = entry.lastIndexOf('=');
                String digest = entry.substring(at + 1).toLowerCase(Locale.ROOT);
                if (at <= 0 || entry.indexOf('/') >= 0 || !digest.matches(DIGEST)) {
                    throw new IllegalArgumentException("\"" + entry
                            + "\" is not FILE.jar=SHA256, a file name without folders and 64 hexadecimal digits as"
                            + " sha256sum prints them");
                }
                if (digests.put(entry.substring(0, at), digest) != null) {
                    throw new IllegalArgumentException(entry.substring(0, at) + " is given twice");
                }
            }
            return new Digests(digests);
        }

        /** Why a JAR is not allowed, to complete "plugin jar NAME ..."; null if it is. */
        @Nullable
        String problem(Path jar) {
            if (digests.isEmpty()) {
                return null;
            }
            String expected = digests.get(String.valueOf(jar.getFileName()));
            if (expected == null) {
                return "is not pinned by --plugin-sha256, as the others are";
            }
            try {
                String found =
                        MoreFiles.asByteSource(jar).hash(Hashing.sha256()).toString();
                return found.equals(expected)
                        ? null
                        : "has the SHA-256 " + found + " instead of " + expected + ", which --plugin-sha256 demands";
            } catch (IOException e) {
                return "cannot be read: " + e.getMessage();
            }
        }

        /** A line for each pinned JAR that is missing. */
        List<String> missingFrom(Collection<Path> jars) {
            List<String> present =
                    jars.stream().map(jar -> String.valueOf(jar.getFileName())).toList();
            return digests.keySet().stream()
                    .filter(name -> !present.contains(name))
                    .sorted()
                    .map(name ->
                            "plugin jar " + name + ", which --plugin-sha256 names, is in no folder of --plugin-path")
                    .toList();
        }
    }

    /** Loads the plugins of the providers of one place. */
    static final class ProviderPlugins {
        /** The file in a JAR that names its providers. */
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
         * The plugins of all providers, in order, by name.
         *
         * @param origin the place in messages, such as {@code plugin jar plugins/a.jar}
         * @throws PluginLoadException with the first problem
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
                if (plugins.put(plugin.getKey(), new CheckedFactory(origin, plugin.getKey(), plugin.getValue()))
                        != null) {
                    throw new PluginLoadException(origin + ": a plugin named " + plugin.getKey()
                            + " is there twice, in two of its providers");
                }
            }
        }

        private PluginLoadException problem(String what, Throwable cause) {
            return new PluginLoadException(origin + ": " + what.replaceAll("\\s*\\R\\s*", " "), cause);
        }

        /**
         * A factory of an external plugin. Its exceptions are reported with the origin; messages about arguments are passed on
         * unchanged.
         *
         * @param name name of the plugin
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

    /** Picocli mixin: the sources of plugins. */
    public static final class PluginOptions {
        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @Option(
                names = "--plugin-path",
                paramLabel = "DIR",
                description = "Directory with plugin JAR files. Repeatable.")
        private List<Path> folders = new ArrayList<>();

        @Option(
                names = "--plugin-sha256",
                paramLabel = "FILE.jar=SHA256",
                description =
                        "Load FILE.jar only if it has this SHA-256 digest. If you set the digest of one JAR file, set"
                                + " those of all. Repeatable.")
        private List<String> digests = new ArrayList<>();

        private @Nullable Map<String, PluginFactory> loaded;

        /**
         * The options of a command that has parsed its flags itself.
         *
         * @param spec command of usage errors
         */
        public static PluginOptions of(CommandSpec spec, List<Path> folders, List<String> digests) {
            PluginOptions options = new PluginOptions();
            options.spec = spec;
            options.folders = List.copyOf(folders);
            options.digests = List.copyOf(digests);
            return options;
        }

        /** The JAR files in the directories, in order of their names; a directory that cannot be read has none. */
        public List<Path> files() {
            List<Path> files = new ArrayList<>();
            for (Path folder : folders) {
                try (Stream<Path> all = Files.list(folder)) {
                    all.filter(PluginLoader::isJar).sorted().forEach(files::add);
                } catch (IOException e) {
                    // Loading the plugins reports it.
                    continue;
                }
            }
            return files;
        }

        /**
         * Loads the plugins on the class path and in JAR files; once, so that all factories of a command share the compiled classes.
         *
         * @param builtIn built-in plugins by name
         * @return the plugins by name, without built-in ones
         * @throws ParameterException if a digest is malformed
         * @throws InputException with a line for each invalid JAR
         */
        Map<String, PluginFactory> load(Map<String, PluginFactory> builtIn) {
            if (loaded != null) {
                return loaded;
            }
            Digests pins;
            try {
                pins = Digests.parse(digests);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), "--plugin-sha256: " + e.getMessage(), e);
            }
            try {
                loaded = PluginLoader.load(folders, builtIn.keySet(), pins, PluginOptions.class.getClassLoader());
                return loaded;
            } catch (PluginLoadException e) {
                throw new InputException(String.valueOf(e.getMessage()), e);
            }
        }
    }
}
