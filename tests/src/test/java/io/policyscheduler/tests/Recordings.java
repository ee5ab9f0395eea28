package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Recorded decisions of real schedulers: those in the repository, and those in {@code ../shared/golden}. */
final class Recordings {
    static final String SUFFIX = ".jsonl.gz";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Recordings() {}

    /** Returns the recordings in the repository, sorted. */
    static List<Path> copies(String folder) {
        return RepositoryFiles.in(
                RepositoryFiles.root().resolve("tests/src/test/resources").resolve(folder), SUFFIX);
    }

    /** Returns the folder of recordings outside the repository, if there is one. */
    static Path folderBeside(String folder) {
        return RepositoryFiles.root().resolve("../shared").resolve(folder).normalize();
    }

    /** Returns the recordings outside the repository whose names do not occur in it, sorted; null if there is no such folder. */
    static @Nullable List<Path> beside(String folder) {
        Path place = folderBeside(folder);
        if (!Files.isDirectory(place)) {
            return null;
        }
        Set<String> copied = copies(folder).stream()
                .map(file -> file.getFileName().toString())
                .collect(Collectors.toSet());
        return RepositoryFiles.in(place, SUFFIX).stream()
                .filter(file -> !copied.contains(file.getFileName().toString()))
                .toList();
    }

    /** Returns the scenarios of a file with their outcomes. */
    static List<JsonNode> scenarios(Path file) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file));
                MappingIterator<JsonNode> lines =
                        MAPPER.readerFor(JsonNode.class).readValues(in)) {
            return lines.readAll();
        } catch (IOException e) {
            throw new UncheckedIOException(file + ": " + e.getMessage(), e);
        }
    }
}
