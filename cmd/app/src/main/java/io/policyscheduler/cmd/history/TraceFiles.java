package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import com.google.common.io.MoreFiles;
import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of the files of a trace: {@code [PREFIX-]2026-11-28T08-0001.jsonl.gz}, with the hour in UTC and a number that counts up
 * within the hour. The names sort in the order of writing.
 *
 * @param folder contains the files, and {@code trace.json} if there is no prefix
 * @param prefix distinguishes several traces in one folder; empty for none
 */
public record TraceFiles(Path folder, String prefix) {
    /** Format and version of the lines, in the first line of each file and in {@code trace.json}. */
    public static final String FORMAT = "policy-scheduler-trace";
    /** Incremented by changes that older programs cannot read. */
    public static final int VERSION = 2;

    private static final JsonMapper JSON = new JsonMapper();

    static final String SUFFIX = ".jsonl.gz";
    private static final String PLAIN_SUFFIX = ".jsonl";
    private static final Pattern NAME =
            Pattern.compile("(?:(.*)-)?(\\d{4}-\\d\\d-\\d\\dT\\d\\d)-(\\d{4,})" + Pattern.quote(SUFFIX));
    private static final DateTimeFormatter HOUR =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH").withZone(ZoneOffset.UTC);

    /**
     * The files of a path of the command line: a path that ends with {@code .jsonl.gz} or {@code .jsonl} selects the files in its
     * folder that start with its name, any other path is a folder.
     */
    public static TraceFiles of(Path path) {
        String name = String.valueOf(path.getFileName());
        for (String suffix : List.of(SUFFIX, PLAIN_SUFFIX)) {
            if (name.endsWith(suffix)) {
                Path parent = path.toAbsolutePath().getParent();
                return new TraceFiles(
                        parent == null ? path : parent, name.substring(0, name.length() - suffix.length()));
            }
        }
        return new TraceFiles(path, "");
    }

    /**
     * A file of a trace.
     *
     * @param hour the beginning of the hour of its first line
     * @param number counts the files of an hour, from 1
     */
    public record TraceFile(Path path, Instant hour, int number) {
        /** Whether it can contain lines of a time before {@code time}. */
        public boolean beginsBefore(Instant time) {
            return hour.isBefore(time);
        }

        /** The end of the hour of its first line; it does not contain lines of this time or later. */
        Instant end() {
            return hour.plus(Duration.ofHours(1));
        }
    }

    /**
     * The files, in the order of writing; none if the folder does not exist.
     *
     * @throws IOException if the folder cannot be read
     */
    public ImmutableList<TraceFile> list() throws IOException {
        if (!Files.isDirectory(folder)) {
            return ImmutableList.of();
        }
        List<TraceFile> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path entry : entries) {
                find(entry).ifPresent(found::add);
            }
        }
        found.sort(Comparator.comparing(TraceFile::hour).thenComparing(TraceFile::number));
        return ImmutableList.copyOf(found);
    }

    /**
     * Reads the description of the files.
     *
     * @throws IOException if it cannot be read; the message contains the place
     */
    public Checksums checksums() throws IOException {
        ImmutableMap.Builder<Path, JsonNode> files = ImmutableMap.builder();
        if (Files.exists(description())) {
            try {
                for (JsonNode file : JSON.readTree(description().toFile()).path("files")) {
                    files.put(folder.resolve(file.path("name").asText()), file);
                }
            } catch (JsonProcessingException e) {
                throw new IOException(description() + ": invalid JSON: " + VisibleText.line(e.getOriginalMessage()), e);
            }
        }
        return new Checksums(description(), files.buildKeepingLast());
    }

    /**
     * The sizes and checksums of the files that are complete.
     *
     * @param description file with them
     * @param files description by file
     */
    public record Checksums(Path description, Map<Path, JsonNode> files) {
        /** No file is described. */
        static final Checksums NONE = new Checksums(Path.of(""), ImmutableMap.of());

        /**
         * Compares a file with its description. A part of a file, such as of an interrupted copy, would otherwise be read like the
         * last file of a killed process.
         *
         * @return the problem, with the place; empty if there is none, or if the file is not described
         * @throws IOException if the file cannot be read
         */
        public String problem(Path file) throws IOException {
            JsonNode described = files.get(file);
            if (described == null) {
                return "";
            }
            long bytes = described.path("bytes").asLong();
            if (Files.size(file) != bytes) {
                return file + ": has " + Files.size(file) + " bytes, but " + description + " says " + bytes
                        + "; copy the file again, or delete it";
            }
            String sha256 = described.path("sha256").asText();
            return sha256.isEmpty() || sha256.equals(sha256(file))
                    ? ""
                    : file + ": its SHA-256 is not that in " + description + "; copy the file again, or delete it";
        }
    }

    /** Returns the SHA-256 digest of a file in hexadecimal. */
    static String sha256(Path file) throws IOException {
        return MoreFiles.asByteSource(file).hash(Hashing.sha256()).toString();
    }

    private Optional<TraceFile> find(Path path) {
        Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
        if (!name.matches() || !prefix.equals(name.group(1) == null ? "" : name.group(1))) {
            return Optional.empty();
        }
        try {
            Instant hour = LocalDateTime.parse(name.group(2) + ":00").toInstant(ZoneOffset.UTC);
            return Optional.of(new TraceFile(path, hour, Integer.parseInt(name.group(3))));
        } catch (DateTimeParseException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The file after those that exist, for lines from {@code time} on. */
    TraceFile next(Instant time) throws IOException {
        Instant hour = time.truncatedTo(ChronoUnit.HOURS);
        int number = 1
                + list().stream()
                        .filter(file -> file.hour().equals(hour))
                        .mapToInt(TraceFile::number)
                        .max()
                        .orElse(0);
        String name =
                (prefix.isEmpty() ? "" : prefix + "-") + HOUR.format(hour) + String.format("-%04d", number) + SUFFIX;
        return new TraceFile(folder.resolve(name), hour, number);
    }

    /** The description of the trace. */
    Path description() {
        return folder.resolve(prefix.isEmpty() ? "trace.json" : prefix + ".trace.json");
    }

    Path lock() {
        return folder.resolve(prefix.isEmpty() ? "trace.lock" : prefix + ".trace.lock");
    }
}
