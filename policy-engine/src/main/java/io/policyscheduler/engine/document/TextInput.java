package io.policyscheduler.engine.document;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Decodes text files: UTF-8, and UTF-16 or UTF-32 with a byte order mark or recognized by the zero bytes of the first character,
 * as PowerShell's {@code >} writes them.
 */
public final class TextInput {
    private static final int PEEK = 4;

    private TextInput() {}

    /** The text, without a byte order mark. */
    public static String decode(byte[] bytes) {
        Charset charset = charset(bytes, bytes.length);
        String text = new String(bytes, charset == null ? StandardCharsets.UTF_8 : charset);
        return text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    /** The same bytes if they are UTF-8, else the text in UTF-8. Supports {@code mark}. */
    public static InputStream utf8(InputStream in) throws IOException {
        InputStream buffered = in.markSupported() ? in : new BufferedInputStream(in);
        buffered.mark(PEEK);
        byte[] start = buffered.readNBytes(PEEK);
        buffered.reset();
        if (charset(start, start.length) == null) {
            return buffered;
        }
        try (buffered) {
            return new ByteArrayInputStream(decode(buffered.readAllBytes()).getBytes(StandardCharsets.UTF_8));
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
