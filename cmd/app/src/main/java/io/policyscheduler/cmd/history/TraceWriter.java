package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.Hashing;
import com.google.common.hash.HashingOutputStream;
import com.google.common.io.CountingOutputStream;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of a trace. A new file begins each hour, at each start, and when a file reaches its limit, so that no file is
 * appended to after it was closed or truncated. After {@link #flush()} the operating system has the lines, so that a crash of the
 * process does not lose them. Belongs to one thread; a trace has one writer at a time in all processes.
 */
public final class TraceWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TraceWriter.class);
    private static final ObjectMapper MAPPER = JsonMapper.builder(
                    new JsonFactoryBuilder().rootValueSeparator("").build())
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();
    private static final int BUFFER = 64 * 1024;
    private static final int NANO_DIGITS = 9;

    private final TraceFiles files;
    private final Limits limits;
    private final ObjectNode description;
    private final String writer;
    private final Instant start;
    private final FileChannel lockFile;
    private final FileLock lock;
    private final Set<String> kinds = new TreeSet<>();

    private @Nullable Open open;
    /** Number of begun files. */
    private int begun;
    /** Size of the closed files. */
    private long closedBytes;

    private Instant last;

    /**
     * Limits of the disk space of a trace.
     *
     * @param fileBytes approximate maximum size of a file
     * @param totalBytes maximum size of all files; the oldest are deleted to keep it; {@link Long#MAX_VALUE} to delete none
     */
    public record Limits(long fileBytes, long totalBytes) {
        /** Files per bounded trace: at the limit, the oldest one is lost. */
        private static final int PARTS = 16;

        private static final long LARGEST_FILE = 64L << 20;

        /** No limit. */
        public static final Limits NONE = new Limits(LARGEST_FILE, Long.MAX_VALUE);

        /** Limits the trace to this size in bytes, in files of a sixteenth, 64 MiB at most. */
        public static Limits ofTotal(long totalBytes) {
            return new Limits(Math.max(1, Math.min(LARGEST_FILE, totalBytes / PARTS)), totalBytes);
        }
    }

    /** A file that is being written. */
    private record Open(
            TraceFile file,
            Instant from,
            Instant until,
            HashingOutputStream hashed,
            CountingOutputStream counted,
            OutputStream lines,
            JsonGenerator json) {}

    /** Writes the fields of a line. */
    @FunctionalInterface
    public interface Fields {
        /** Writes the fields; the caller begins and ends the object. */
        void write(JsonGenerator json) throws IOException;
    }

    private TraceWriter(
            TraceFiles files,
            Limits limits,
            ObjectNode description,
            String writer,
            Instant start,
            FileChannel lockFile,
            FileLock lock) {
        this.files = files;
        this.limits = limits;
        this.description = description;
        this.writer = writer;
        this.start = start;
        this.last = start;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    /**
     * Opens a trace, which is created if it does not exist, and continued otherwise.
     *
     * @param writer names this process in each file; lines of different writers never belong together
     * @param about additional fields of {@code trace.json}, such as the release of the cluster
     * @param now the start of a new trace
     * @throws IOException if the folder cannot be written, is in use by another writer, or has a {@code trace.json} of another
     *     format
     */
    public static TraceWriter open(TraceFiles files, Limits limits, String writer, ObjectNode about, Instant now)
            throws IOException {
        Files.createDirectories(files.folder());
        FileChannel lockFile = FileChannel.open(files.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = tryLock(lockFile);
            if (lock == null) {
                throw new IOException(files.folder() + " is in use by another process; use another folder");
            }
            ObjectNode description = about.deepCopy();
            Instant start = now;
            if (Files.exists(files.description())) {
                JsonNode known = MAPPER.readTree(files.description().toFile());
                start = startOf(known, files.description());
                description.setAll((ObjectNode) known);
                description.setAll(about);
            }
            TraceWriter opened = new TraceWriter(files, limits, description, writer, start, lockFile, lock);
            opened.listFiles();
            return opened;
        } catch (IOException | RuntimeException e) {
            lockFile.close();
            throw e;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static Instant startOf(JsonNode description, Path file) throws IOException {
        String format = description.path("format").asText();
        int version = description.path("version").asInt();
        if (!format.equals(TraceFiles.FORMAT) || version < 1 || version > TraceFiles.VERSION) {
            throw new IOException(file + " is not the description of a trace of version 1 to " + TraceFiles.VERSION);
        }
        try {
            return Instant.parse(description.path("start").asText());
        } catch (DateTimeParseException e) {
            throw new IOException(file + ": start: " + e.getMessage(), e);
        }
    }

    /** The time of {@code t = 0}. */
    public Instant start() {
        return start;
    }

    /** Bytes on disk of all files. */
    public long bytes() {
        Open current = open;
        return closedBytes + (current == null ? 0 : current.counted().getCount());
    }

    /**
     * Writes a line: {@code line} and {@code t} come first, then the fields.
     *
     * @param time of the fact
     * @throws IOException if it cannot be written; the file is abandoned, and the next line begins another one
     */
    public void write(String line, Instant time, Fields fields) throws IOException {
        try {
            JsonGenerator json = at(time).json();
            json.writeStartObject();
            json.writeStringField("line", line);
            json.writeNumberField("t", seconds(time));
            fields.write(json);
            json.writeEndObject();
            json.writeRaw('\n');
            kinds.add(line);
            last = time;
        } catch (IOException | RuntimeException e) {
            giveUp();
            throw e;
        }
    }

    /** Writes a line with the fields of an object. */
    public void write(String line, Instant time, ObjectNode fields) throws IOException {
        write(line, time, json -> {
            for (Map.Entry<String, JsonNode> field : fields.properties()) {
                json.writeFieldName(field.getKey());
                json.writeTree(field.getValue());
            }
        });
    }

    /**
     * Begins a file if lines of this time do not belong to the current one.
     *
     * @return the number of the file, from 1; lines of this time are written to this file until the next error
     * @throws IOException as for {@link #write}
     */
    int file(Instant time) throws IOException {
        try {
            at(time);
        } catch (IOException | RuntimeException e) {
            giveUp();
            throw e;
        }
        return begun;
    }

    /**
     * Writes an encoded line to the current file. {@link #file} determines the file.
     *
     * @param line the kind, which is also the first field
     * @param bytes a JSON object and a line feed; bytes after {@code length} are ignored
     * @throws IOException as for {@link #write}, or if there is no current file
     */
    void write(String line, Instant time, byte[] bytes, int length) throws IOException {
        Open current = open;
        if (current == null) {
            throw new IOException("no file is open");
        }
        try {
            current.lines().write(bytes, 0, length);
            kinds.add(line);
            last = time;
        } catch (IOException | RuntimeException e) {
            giveUp();
            throw e;
        }
    }

    private BigDecimal seconds(Instant time) {
        return BigDecimal.valueOf(Duration.between(start, time).toNanos(), NANO_DIGITS);
    }

    /** The file for lines of this time. */
    private Open at(Instant time) throws IOException {
        Open current = open;
        if (current != null && current.counted().getCount() < limits.fileBytes() && time.isBefore(current.until())) {
            return current;
        }
        if (current != null) {
            finish();
        }
        Open next = begin(time);
        open = next;
        return next;
    }

    private Open begin(Instant time) throws IOException {
        TraceFile file = files.next(time);
        OutputStream plain = Files.newOutputStream(file.path(), StandardOpenOption.CREATE_NEW);
        HashingOutputStream hashed = new HashingOutputStream(Hashing.sha256(), plain);
        CountingOutputStream counted = new CountingOutputStream(hashed);
        GZIPOutputStream zipped = new FastGzip(counted);
        OutputStream lines = new BufferedOutputStream(zipped, BUFFER);
        // The generator has an own buffer, which is passed on after the first line, so that encoded lines follow it.
        JsonGenerator json = MAPPER.createGenerator(lines).disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM);
        json.writeStartObject();
        json.writeStringField("line", "file");
        json.writeStringField("format", TraceFiles.FORMAT);
        json.writeNumberField("version", TraceFiles.VERSION);
        json.writeStringField("start", start.toString());
        json.writeStringField("writer", writer);
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
        begun++;
        return new Open(file, time, file.end(), hashed, counted, lines, json);
    }

    /** Fast compression: the lines are so repetitive that the best level saves little. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, BUFFER, true);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    /** Flushes the written lines, and deletes the oldest files if the trace is too large. */
    public void flush() throws IOException {
        Open current = open;
        if (current == null) {
            return;
        }
        try {
            current.json().flush();
            current.lines().flush();
        } catch (IOException e) {
            giveUp();
            throw e;
        }
        prune();
    }

    private void finish() throws IOException {
        Open current = open;
        if (current == null) {
            return;
        }
        open = null;
        current.json().close();
        closedBytes += current.counted().getCount();
        put(
                        current.file().path(),
                        current.counted().getCount(),
                        current.hashed().hash().toString())
                .put("from", current.from().toString())
                .put("to", last.toString());
        prune();
        describe();
    }

    /** After an error, the flushed part stays readable. */
    private void giveUp() {
        Open current = open;
        if (current == null) {
            return;
        }
        open = null;
        closedBytes += current.counted().getCount();
        try {
            current.counted().close();
        } catch (IOException e) {
            LOG.debug("closing {} failed", current.file().path(), e);
        }
    }

    /** Deletes the oldest files until the others are within the limit; never the current one. */
    private void prune() throws IOException {
        if (bytes() <= limits.totalBytes()) {
            return;
        }
        Open current = open;
        for (TraceFile file : files.list()) {
            if (bytes() <= limits.totalBytes()
                    || (current != null && file.path().equals(current.file().path()))) {
                break;
            }
            closedBytes -= Files.size(file.path());
            Files.delete(file.path());
            forget(file.path());
        }
        describe();
    }

    private void forget(Path file) {
        ArrayNode known = description.withArrayProperty("files");
        for (int i = known.size() - 1; i >= 0; i--) {
            if (known.path(i).path("name").asText().equals(String.valueOf(file.getFileName()))) {
                known.remove(i);
            }
        }
    }

    private ObjectNode put(Path file, long bytes, String sha256) {
        forget(file);
        return description
                .withArrayProperty("files")
                .addObject()
                .put("name", String.valueOf(file.getFileName()))
                .put("bytes", bytes)
                .put("sha256", sha256);
    }

    /** Counts the existing files, and adds the files of killed processes to the index. */
    private void listFiles() throws IOException {
        Set<String> known = new HashSet<>();
        description
                .withArrayProperty("files")
                .forEach(file -> known.add(file.path("name").asText()));
        description.path("kinds").forEach(kind -> kinds.add(kind.asText()));
        for (TraceFile file : files.list()) {
            long bytes = Files.size(file.path());
            closedBytes += bytes;
            if (!known.contains(String.valueOf(file.path().getFileName()))) {
                put(file.path(), bytes, TraceFiles.sha256(file.path()));
            }
        }
        prune();
        describe();
    }

    private void describe() throws IOException {
        description.put("format", TraceFiles.FORMAT).put("version", TraceFiles.VERSION);
        description.put("start", start.toString()).put("end", last.toString());
        ArrayNode all = description.putArray("kinds");
        kinds.forEach(all::add);
        Path file = files.description();
        Path written = file.resolveSibling(file.getFileName() + ".new");
        MAPPER.writerWithDefaultPrettyPrinter().writeValue(written.toFile(), description);
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Closes the last file and adds it to the index. */
    @Override
    public void close() throws IOException {
        try {
            finish();
        } finally {
            lock.release();
            lockFile.close();
        }
    }
}
