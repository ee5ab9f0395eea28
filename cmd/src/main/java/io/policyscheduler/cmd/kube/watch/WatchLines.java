package io.policyscheduler.cmd.kube.watch;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Splits a watch response into its lines, one event each; an unfinished last line (a broken connection) is dropped. */
final class WatchLines {
    private static final int MAX_LINE = 64 * 1024 * 1024;

    private final InputStream in;
    private byte[] buffer = new byte[32 * 1024];
    private int start;
    private int next;
    private int filled;
    private int end;

    WatchLines(InputStream in) {
        this.in = in;
    }

    /** Advances to the next non-empty line; false at the end of the stream. */
    boolean next() throws IOException {
        do {
            start = next;
            int scanned = start;
            while (true) {
                int newline = indexOfNewline(scanned);
                if (newline >= 0) {
                    end = newline;
                    next = newline + 1;
                    break;
                }
                scanned = filled;
                int moved = makeRoom();
                scanned -= moved;
                int read = in.read(buffer, filled, buffer.length - filled);
                if (read < 0) {
                    return false;
                }
                filled += read;
            }
        } while (end == start);
        return true;
    }

    byte[] buffer() {
        return buffer;
    }

    int offset() {
        return start;
    }

    int length() {
        return end - start;
    }

    private int indexOfNewline(int from) {
        for (int i = from; i < filled; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    /** Moves the unfinished line to the front and grows the buffer when it is full; returns by how much it moved. */
    private int makeRoom() throws IOException {
        int moved = start;
        if (moved > 0) {
            System.arraycopy(buffer, start, buffer, 0, filled - start);
            filled -= moved;
            start = 0;
            next = 0;
        }
        if (filled == buffer.length) {
            if (buffer.length >= MAX_LINE) {
                throw new IOException("watch event longer than " + MAX_LINE + " bytes");
            }
            buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        return moved;
    }
}
