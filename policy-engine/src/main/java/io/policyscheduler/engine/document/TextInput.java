package io.policyscheduler.engine.document;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads and decodes text files: UTF-8, and UTF-16 or UTF-32 with a byte order mark or recognized by the zero bytes of the first character,
 * as PowerShell's {@code >} writes them.
 */
public final class TextInput {
    private static final int PEEK = 4;

    /** The largest file that is read as a whole, in bytes: 16 times what an API server stores of one object. */
    public static final int MAX_BYTES = 16 << 20;

    private TextInput() {}

    /** Opens a file, which may be a pipe: the stream of the JDK seeks, which a pipe rejects. */
    public static InputStream open(Path file) throws IOException {
        return new FilterInputStream(Files.newInputStream(file)) {
            @Override
            public int available() throws IOException {
                try {
                    return super.available();
                } catch (IOException e) {
                    // More may follow. With 0, a gzipped file of several parts would end after the first one.
                    return 1;
                }
            }
        };
    }

    /**
     * Reads a whole file. A device such as {@code /dev/zero} has no end, so the size is limited.
     *
     * @throws IOException if the file cannot be read, or if it has more than {@link #MAX_BYTES}; then the message names the file
     */
    public static byte[] read(Path file) throws IOException {
        try (InputStream in = open(file)) {
            return read(in, MAX_BYTES, file.toString());
        }
    }

    private static byte[] read(InputStream in, int limit, String name) throws IOException {
        byte[] bytes = in.readNBytes(limit);
        if (bytes.length == limit && in.read() >= 0) {
            throw new IOException(name + ": larger than " + (limit >> 20) + " MiB, the limit for such a file");
        }
        return bytes;
    }

    /** The text, without a byte order mark. */
    public static String decode(byte[] bytes) {
        Charset charset = charset(bytes, bytes.length);
        String text = new String(bytes, charset == null ? StandardCharsets.UTF_8 : charset);
        return text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    /**
     * The same bytes if they are UTF-8, else the text in UTF-8. Supports {@code mark}.
     *
     * @throws IOException if the text is not UTF-8 and needs more memory than the process has
     */
    public static InputStream utf8(InputStream in) throws IOException {
        InputStream buffered = in.markSupported() ? in : new BufferedInputStream(in);
        buffered.mark(PEEK);
        byte[] start = buffered.readNBytes(PEEK);
        buffered.reset();
        if (charset(start, start.length) == null) {
            return buffered;
        }
        try (buffered) {
            int limit = (int)
                    Math.min(Integer.MAX_VALUE - PEEK, Runtime.getRuntime().maxMemory() / 8);
            return new ByteArrayInputStream(
                    decode(read(buffered, limit, "text in UTF-16 or UTF-32")).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Null for UTF-8. */
    private static @Nullable Charset charset(byte[] bytes, int length) {
        int a = length > 0 ? bytes[0] & 0xff : -1;
        int b = length > 1 ? bytes[1] & 0xff : -1;
        int c = length > 2 ? bytes[2] & 0xff : -1;
        int d = length > 3 ? bytes[3] & 0xff : -1;
        if (a == 0 && b == 0 && (c == 0xfe || c == 0) && d > 0) {
            return Charset.forName("UTF-32BE");
        }
        if (((a == 0xff && b == 0xfe) || (a > 0 && b == 0)) && c == 0 && d == 0) {
            return Charset.forName("UTF-32LE");
        }
        if ((a == 0xfe && b == 0xff) || (a == 0 && b > 0)) {
            return StandardCharsets.UTF_16BE;
        }
        if ((a == 0xff && b == 0xfe) || (a > 0 && b == 0)) {
            return StandardCharsets.UTF_16LE;
        }
        return null;
    }
}
