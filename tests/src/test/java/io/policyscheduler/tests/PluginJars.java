package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.framework.plugin.PluginProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles plugins with the JDK's compiler and puts them into jars. */
public final class PluginJars {
    static final String SERVICES = "META-INF/services/" + PluginProvider.class.getName();

    private final Path folder;
    private final SortedMap<String, byte[]> entries = new TreeMap<>();

    /** @param folder an empty folder for intermediate files */
    public PluginJars(Path folder) {
        this.folder = folder;
    }

    /** Compiles sources, given as class name and text, together. */
    public PluginJars compile(Map<String, String> sources) {
        Path written = create(folder.resolve("src" + entries.size()));
        List<Path> files = new ArrayList<>();
        sources.forEach((name, text) -> {
            Path file = written.resolve(name.replace('.', '/') + ".java");
            write(file, text.getBytes(StandardCharsets.UTF_8));
            files.add(file);
        });
        return compile(files);
    }

    /** Compiles source files together; a warning is an error. */
    public PluginJars compile(List<Path> files) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Path classes = create(folder.resolve("classes" + entries.size()));
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "--release",
                    "17",
                    "-proc:none",
                    "-Xlint:all,-path,-classfile",
                    "-Werror",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-d",
                    classes.toString());
            boolean success = compiler.getTask(
                            messages, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
                    .call();
            assertTrue(success, messages::toString);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return addAll(classes);
    }

    /** Adds all files below a folder. */
    public PluginJars addAll(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                entries.put(root.relativize(file).toString(), Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    public PluginJars add(String entry, String text) {
        entries.put(entry, text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** Declares the jar's provider. */
    public PluginJars provider(String className) {
        return add(SERVICES, className + "\n");
    }

    /** Removes a compiled class. */
    PluginJars without(String entry) {
        assertTrue(entries.remove(entry) != null, () -> "no " + entry + " in " + entries.keySet());
        return this;
    }

    /** Sets the class file version of a later JDK. */
    PluginJars withClassVersion(String entry, int major) {
        byte[] bytes = Objects.requireNonNull(entries.get(entry)).clone();
        assertEquals((byte) 0xCA, bytes[0]);
        bytes[7] = (byte) major;
        entries.put(entry, bytes);
        return this;
    }

    /** Writes the jar. */
    public Path write(Path jar) {
        create(parentOf(jar));
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream archive = new JarOutputStream(out)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                archive.putNextEntry(new JarEntry(entry.getKey()));
                archive.write(entry.getValue());
                archive.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return jar;
    }

    private static Path parentOf(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent());
    }

    private static void write(Path file, byte[] bytes) {
        create(parentOf(file));
        try {
            Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path create(Path directory) {
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
