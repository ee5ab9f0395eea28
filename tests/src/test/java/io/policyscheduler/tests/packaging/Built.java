package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.tests.RepositoryFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Results of a build, and tools of this machine; a test is skipped if what it needs is missing. */
public final class Built {
    private static final Path TARGET = RepositoryFiles.root().resolve("cmd/target");
    private static final Path PROGRAM = RepositoryFiles.root().resolve("cmd/app/target");
    private static final Pattern JAR = Pattern.compile("cmd-app-\\d[^/]*(?<!-sources|-tests|-javadoc)\\.jar");

    private Built() {}

    /** Returns the file that a profile builds from the current program. */
    static Path file(Pattern name, String profile) {
        Optional<Path> jar = find(PROGRAM, JAR);
        Optional<Path> file = find(TARGET, name);
        String how = "; it is made by mvn -P" + profile + " -DskipTests package";
        assumeTrue(jar.isPresent() && file.isPresent(), "no " + name + " in cmd/target" + how);
        assumeTrue(
                modified(file.orElseThrow()) >= modified(jar.orElseThrow()),
                file.orElseThrow().getFileName() + " is older than the program" + how);
        return file.orElseThrow();
    }

    /** Returns the folder of the site, which is not older than the pages. */
    static Path site() {
        Path site = TARGET.resolve("site");
        Path start = site.resolve("index.html");
        String how = "; it is made by mvn -Psite -DskipTests package -pl cmd/app -am";
        assumeTrue(Files.isRegularFile(start), "no site in cmd/target" + how);
        try (Stream<Path> documents = Files.walk(RepositoryFiles.root().resolve("docs"))) {
            long newest = documents.mapToLong(Built::modified).max().orElse(0);
            assumeTrue(modified(start) >= newest, "the site in cmd/target is older than docs" + how);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return site;
    }

    /** Returns a program in the PATH; the test is skipped if there is none. */
    public static String tool(String name) {
        Optional<Path> found = Arrays.stream(
                        System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(found.isPresent(), "no " + name + " on this machine");
        return found.orElseThrow().toString();
    }

    private static Optional<Path> find(Path folder, Pattern name) {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> found = files.filter(
                            file -> name.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
            return found.stream().findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long modified(Path file) {
        try {
            return Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
