package io.policyscheduler.engine.document;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads and decodes text files: UTF-8, and UTF-16 or UTF-32 with a byte order mark or recognized by the zero bytes of the first
 * character, as PowerShell's {@code >} writes them. An invalid byte, as in a file in Latin-1, becomes a lone surrogate (U+DC00 plus
 * the byte), so that parsers can report its position.
 */
public final class TextInput {
    private static final int PEEK = 4;
    private static final int ESCAPE = 0xdc00;

    /** The largest file that is read completely, in bytes: 16 times the maximum object size of API servers. */
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
                    // More may follow. With 0, a gzipped file with several members would end after the first one.
                    return 1;
                }
            }
        };
    }

    /**
     * Reads a whole file. A device such as {@code /dev/zero} has no end, so the size is limited.
     *
     * @throws IOException if the file cannot be read, or if it has more than {@link #MAX_BYTES}; then the message contains the file
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
        if (charset == null && text.indexOf('\ufffd') >= 0) {
            text = escaped(bytes);
        }
        return text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    private static String escaped(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        char[] chars = new char[1 << 12];
        try (Reader reader = reader(new ByteArrayInputStream(bytes))) {
            for (int count = reader.read(chars); count >= 0; count = reader.read(chars)) {
                text.append(chars, 0, count);
            }
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory can be read", e);
        }
        return text.toString();
    }

    /** Whether a decoded character represents an invalid byte. */
    public static boolean isUndecoded(char c) {
        return c >= ESCAPE + 0x80 && c <= ESCAPE + 0xff;
    }

    /** Whether a decoded text contains an invalid byte. */
    public static boolean hasUndecoded(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isUndecoded(text.charAt(i)) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)))) {
                return true;
            }
        }
        return false;
    }

    /** Returns a reader of a text in UTF-8, which does not fail at an invalid byte. */
    static Reader reader(InputStream in) {
        return new Utf8Reader(in);
    }

    /** Decodes UTF-8, with a lone surrogate for each invalid byte. */
    private static final class Utf8Reader extends Reader {
        private final InputStream in;
        private final ByteBuffer bytes = ByteBuffer.allocate(1 << 13).flip();
        private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        private boolean atEnd;
        /** The second half of a surrogate pair for which the caller had no space; 0 if there is none. */
        private char low;

        Utf8Reader(InputStream in) {
            this.in = in;
        }

        @Override
        public int read(char[] chars, int offset, int length) throws IOException {
            if (low != 0 && length > 0) {
                chars[offset] = low;
                low = 0;
                return 1;
            }
            CharBuffer out = CharBuffer.wrap(chars, offset, length);
            while (true) {
                CoderResult result = decoder.decode(bytes, out, atEnd);
                if (result.isMalformed() && out.hasRemaining()) {
                    out.put((char) (ESCAPE + (bytes.get() & 0xff)));
                    decoder.reset();
                    continue;
                }
                if (out.position() > 0 || length == 0) {
                    return out.position();
                }
                if (result.isOverflow()) {
                    // A supplementary character needs two positions.
                    return pair(chars, offset);
                }
                if (atEnd) {
                    return -1;
                }
                fill();
            }
        }

        private int pair(char[] chars, int offset) {
            CharBuffer pair = CharBuffer.allocate(2);
            decoder.decode(bytes, pair, atEnd);
            chars[offset] = pair.get(0);
            low = pair.get(1);
            return 1;
        }

        private void fill() throws IOException {
            bytes.compact();
            int count = in.read(bytes.array(), bytes.position(), bytes.remaining());
            atEnd = count < 0;
            bytes.position(bytes.position() + Math.max(0, count)).flip();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
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
