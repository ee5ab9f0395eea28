package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
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
     * Compares the sizes of the files with those in the description. A part of a file, such as of an interrupted copy, would otherwise
     * be read like the last file of a killed process.
     *
     * @throws IOException if a size differs, or the description cannot be read; the message contains the place
     */
    public void requireComplete() throws IOException {
        if (!Files.exists(description())) {
            return;
        }
        JsonNode known;
        try {
            known = JSON.readTree(description().toFile());
        } catch (JsonProcessingException e) {
            throw new IOException(description() + ": invalid JSON: " + e.getOriginalMessage(), e);
        }
        for (JsonNode file : known.path("files")) {
            Path path = folder.resolve(file.path("name").asText());
            long bytes = file.path("bytes").asLong();
            if (Files.isRegularFile(path) && Files.size(path) != bytes) {
                throw new IOException(path + ": has " + Files.size(path) + " bytes, but " + description() + " says "
                        + bytes + "; copy the file again, or delete it");
            }
        }
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
