package io.policyscheduler.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds files of the repository, independently of the working directory. */
public final class RepositoryFiles {
    private RepositoryFiles() {}

    /** Returns the folder that contains policy-files. */
    public static Path root() {
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("policy-files"))) {
                return folder;
            }
        }
        throw new IllegalStateException("no folder with policy-files at or above " + start);
    }

    /** Returns the files in a folder whose names have this suffix, sorted. */
    static List<Path> in(Path folder, String suffix) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(suffix))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
