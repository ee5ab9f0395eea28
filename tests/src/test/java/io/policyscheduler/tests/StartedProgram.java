package io.policyscheduler.tests;

import com.google.common.hash.Hashing;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Starts the program in a process of its own from the tested classes. If they are in jars, as in a whole build, an archive of the loaded classes is
 * shared by all processes (class data sharing), which saves a third of each start.
 */
public final class StartedProgram {
    private static final String MAIN = "io.policyscheduler.cmd.cli.Main";
    private static final long DUMP_SECONDS = 120;

    private StartedProgram() {}

    /** The JVM options with which launchers start short commands. */
    public static List<String> quick() {
        List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        if (Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))) {
            options.add("-XX:+UseTransparentHugePages");
        }
        return List.copyOf(options);
    }

    /**
     * Returns the command line up to the arguments of the program.
     *
     * @param options additional JVM options
     */
    public static List<String> line(String... options) {
        Path archive = archive();
        List<String> more = new ArrayList<>(quick());
        if (archive != null) {
            more.addAll(List.of("-Xlog:disable", "-XX:SharedArchiveFile=" + archive));
        }
        more.addAll(List.of(options));
        return line(more);
    }

    private static List<String> line(List<String> options) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(options);
        line.addAll(List.of("-cp", String.join(File.pathSeparator, classPath()), MAIN));
        return List.copyOf(line);
    }

    /** Returns the class path without test classes and test libraries. */
    private static List<String> classPath() {
        Path own = Path.of("target").toAbsolutePath();
        return Arrays.stream(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                        .split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).startsWith(own))
                .toList();
    }

    /**
     * Returns the class archive, which the first caller of any process creates; null if the class path contains folders, which class data sharing
     * does not support.
     */
    private static synchronized @Nullable Path archive() {
        StringBuilder content = new StringBuilder();
        for (String entry : classPath()) {
            File file = new File(entry);
            if (file.isDirectory()) {
                return null;
            }
            content.append(entry).append(file.length()).append(' ').append(file.lastModified());
        }
        String name =
                Hashing.sha256().hashString(content, StandardCharsets.UTF_8).toString();
        Path archive = Path.of("target", "program", name + ".jsa").toAbsolutePath();
        if (Files.exists(archive)) {
            return archive;
        }
        try {
            Files.createDirectories(archive.getParent());
            try (FileChannel file = FileChannel.open(
                            archive.resolveSibling("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = file.lock()) {
                return Files.exists(archive) || (lock.isValid() && dump(archive)) ? archive : null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Trains with the demo, which uses the scheduler, the client, and the server. */
    private static boolean dump(Path archive) throws IOException, InterruptedException {
        Path fresh = archive.resolveSibling("fresh.jsa");
        List<String> options = new ArrayList<>(quick());
        options.addAll(List.of(
                "-Xlog:disable",
                "-XX:ArchiveClassesAtExit=" + fresh,
                "-Dpolicyscheduler.home=" + RepositoryFiles.root()));
        List<String> line = new ArrayList<>(line(options));
        line.add("demo");
        Process demo = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!demo.waitFor(DUMP_SECONDS, TimeUnit.SECONDS)) {
            demo.destroyForcibly();
            return false;
        }
        if (!Files.exists(fresh)) {
            return false;
        }
        Files.move(fresh, archive, StandardCopyOption.ATOMIC_MOVE);
        return true;
    }
}
