package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.engine.cluster.VisibleText;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The reader of the files of a trace. A file that was cut, by a kill or a full disk, is read up to its last complete line. Lines of
 * unknown kinds and unknown fields are passed on, so that older programs read newer traces.
 */
public final class TraceReader {
    private static final ObjectReader LINES = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build()
            .readerFor(JsonNode.class);
    private static final int BUFFER = 256 * 1024;
    private static final int NANO_DIGITS = 9;

    private TraceReader() {}

    /**
     * A line of a trace.
     *
     * @param writer of the file; empty if the file does not say
     * @param kind of the fact, such as {@code dec}; {@code file} is not passed on
     * @param time of the fact
     * @param fields of the whole line
     */
    public record Line(String writer, String kind, Instant time, JsonNode fields) {}

    /** Receives lines in their order. */
    @FunctionalInterface
    public interface Sink {
        /** Receives a line; an exception ends the reading. */
        void accept(Line line) throws IOException;
    }

    /**
     * Reads a file.
     *
     * @param wanted tests the text of each line before it is parsed, so that a search in a large trace is fast
     * @throws IOException if the file cannot be read, is no trace, is of a newer version, or is damaged; the message contains the place.
     *     The lines before the damage have been passed on, except for the last ones, up to 8 KiB
     */
    public static void read(TraceFile file, Predicate<String> wanted, Sink sink) throws IOException {
        read(file.path(), wanted, sink);
    }

    /** The same for a file by any name, compressed or not. */
    public static void read(Path path, Predicate<String> wanted, Sink sink) throws IOException {
        try (Written written = open(path);
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(written, StandardCharsets.UTF_8), BUFFER)) {
            String text = lines.readLine();
            String next = text == null ? null : lines.readLine();
            Instant start = Instant.EPOCH;
            String writer = "";
            int number = 1;
            for (; text != null; number++) {
                if (number == 1 || wanted.test(text)) {
                    JsonNode fields = parse(path, number, text, next == null);
                    if (fields == null) {
                        break;
                    }
                    if (number == 1) {
                        start = start(path, fields);
                        writer = fields.path("writer").asText();
                    } else {
                        Duration since = duration(fields.path("t").decimalValue());
                        sink.accept(new Line(writer, fields.path("line").asText(), start.plus(since), fields));
                    }
                }
                text = next;
                next = text == null ? null : lines.readLine();
            }
            String damage = written.damage;
            if (damage != null) {
                throw new IOException(path + ": damaged after line " + (number - 1) + ": " + damage
                        + "; copy the file again, or delete it");
            }
        }
    }

    private static Duration duration(BigDecimal seconds) {
        BigDecimal whole = seconds.setScale(0, RoundingMode.FLOOR);
        BigDecimal nanos = seconds.subtract(whole).movePointRight(NANO_DIGITS);
        return Duration.ofSeconds(whole.longValue(), nanos.longValue());
    }

    private static Instant start(Path path, JsonNode head) throws IOException {
        if (!head.path("line").asText().equals("file")
                || !head.path("format").asText().equals(TraceFiles.FORMAT)) {
            throw new IOException(path + ":1: not a file of a trace");
        }
        int version = head.path("version").asInt();
        if (version > TraceFiles.VERSION) {
            throw new IOException(path + ":1: version " + version + " is newer than this program, which reads "
                    + TraceFiles.VERSION + "; use a newer program");
        }
        try {
            return Instant.parse(head.path("start").asText());
        } catch (DateTimeParseException e) {
            throw new IOException(path + ":1: start: " + e.getMessage(), e);
        }
    }

    /** A line; null for an incomplete last line of a file. */
    private static @Nullable JsonNode parse(Path path, int number, String text, boolean isLast) throws IOException {
        try {
            return LINES.readTree(text);
        } catch (JsonProcessingException e) {
            if (number == 1 && !text.startsWith("{")) {
                throw new IOException(path + ":1: not a file of a trace", e);
            }
            if (isLast) {
                return null;
            }
            throw new IOException(path + ":" + number + ": " + VisibleText.line(e.getOriginalMessage()), e);
        }
    }

    private static Written open(Path path) throws IOException {
        InputStream plain = new BufferedInputStream(Files.newInputStream(path), BUFFER);
        try {
            plain.mark(2);
            int first = plain.read();
            int second = plain.read();
            if (second < 0) {
                // Nothing, or half of the mark of the compression format.
                plain.close();
                return new Written(InputStream.nullInputStream());
            }
            int magic = first | second << Byte.SIZE;
            plain.reset();
            return new Written(magic == GZIPInputStream.GZIP_MAGIC ? new GZIPInputStream(plain, BUFFER) : plain);
        } catch (EOFException e) {
            // The file ends within the header of the compression format.
            plain.close();
            return new Written(InputStream.nullInputStream());
        } catch (ZipException e) {
            plain.close();
            throw new IOException(path + ":1: not a file of a trace", e);
        } catch (IOException e) {
            plain.close();
            throw e;
        }
    }

    /**
     * The part of a truncated, growing, or damaged file that can be read. A growing file would otherwise continue in the middle of a
     * line after its end; a truncated file ends in a way that the compression format does not allow.
     */
    static final class Written extends FilterInputStream {
        private boolean ended;
        /** Why it ends before the end of the file; null for a truncated or growing file. */
        private @Nullable String damage;

        Written(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (ended) {
                return -1;
            }
            try {
                int read = super.read(bytes, offset, length);
                ended = read < 0;
                return read;
            } catch (EOFException e) {
                ended = true;
                return -1;
            } catch (ZipException e) {
                ended = true;
                damage = e.getMessage();
                return -1;
            }
        }
    }
}
