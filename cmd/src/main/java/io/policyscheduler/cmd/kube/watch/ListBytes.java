package io.policyscheduler.cmd.kube.watch;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Cuts the stream of a list response into values, by strings and brackets alone: whatever is inside a value, the next one is found.
 * Holds one value at a time.
 */
final class ListBytes {
    /** Far more than any server stores of an object. */
    static final int MAX_VALUE = 64 * 1024 * 1024;

    private final InputStream in;
    private final byte[] buffer = new byte[32 * 1024];
    private int at;
    private int filled;
    private byte[] value = new byte[16 * 1024];
    private int length;
    private boolean cut;

    ListBytes(InputStream in) {
        this.in = in;
    }

    /** The next byte that is not blank, which stays; -1 at the end. */
    int peek() throws IOException {
        while (true) {
            if (at == filled && !fill()) {
                return -1;
            }
            byte next = buffer[at];
            if (next < 0 || next > ' ') {
                return next & 0xff;
            }
            at++;
        }
    }

    /** Passes the byte that {@link #peek()} has shown. */
    void pass() {
        at++;
    }

    private boolean fill() throws IOException {
        at = 0;
        filled = Math.max(0, in.read(buffer, 0, buffer.length));
        return filled > 0;
    }

    /**
     * Takes the next value as a whole, up to the comma or bracket behind it.
     *
     * @throws IOException when the stream ends within it
     */
    void take() throws IOException {
        length = 0;
        cut = false;
        int depth = 0;
        boolean string = false;
        boolean escaped = false;
        boolean begun = false;
        while (true) {
            if (at == filled && !fill()) {
                throw new IOException("the list response ends early");
            }
            int start = at;
            while (at < filled) {
                byte next = buffer[at];
                if (string) {
                    string = escaped || next != '"';
                    escaped = !escaped && next == '\\';
                    at++;
                    if (!string && depth == 0) {
                        keep(start);
                        return;
                    }
                    continue;
                }
                boolean opens = next == '{' || next == '[';
                boolean closes = next == '}' || next == ']';
                if (depth == 0 && begun && (next == ',' || next == ':' || closes)) {
                    keep(start);
                    return;
                }
                begun |= next < 0 || next > ' ';
                string = next == '"';
                depth += opens ? 1 : 0;
                depth -= closes ? 1 : 0;
                at++;
                if (closes && depth <= 0) {
                    keep(start);
                    return;
                }
            }
            keep(start);
        }
    }

    private void keep(int start) {
        int more = Math.min(at - start, MAX_VALUE - length);
        cut |= more < at - start;
        if (length + more > value.length) {
            value = Arrays.copyOf(value, (int) Math.min(MAX_VALUE, Math.max(2L * value.length, length + more)));
        }
        System.arraycopy(buffer, start, value, length, more);
        length += more;
    }

    /** The bytes of the value, up to {@link #length()}; good until the next is taken. */
    byte[] value() {
        return value;
    }

    int length() {
        return length;
    }

    /** True when the value is longer than what is kept of it. */
    boolean isCut() {
        return cut;
    }
}
