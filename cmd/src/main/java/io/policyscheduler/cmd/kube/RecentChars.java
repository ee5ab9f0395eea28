package io.policyscheduler.cmd.kube;

import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;

/** Passes a reader through and keeps the characters read since the last mark, so that a failing list item can be named. */
final class RecentChars extends Reader {
    private final Reader in;
    private char[] kept = new char[16 * 1024];
    private long start;
    private int length;
    private boolean broken;

    RecentChars(Reader in) {
        this.in = in;
    }

    @Override
    public int read(char[] target, int offset, int count) throws IOException {
        int read;
        try {
            read = in.read(target, offset, count);
        } catch (IOException e) {
            broken = true;
            throw e;
        }
        if (read > 0) {
            if (length + read > kept.length) {
                kept = Arrays.copyOf(kept, Math.max(kept.length * 2, length + read));
            }
            System.arraycopy(target, offset, kept, length, read);
            length += read;
        }
        return read;
    }

    /** Forgets everything before an offset from the beginning of the stream. */
    void mark(long offset) {
        int drop = (int) Math.max(0, Math.min(offset - start, length));
        System.arraycopy(kept, drop, kept, 0, length - drop);
        start += drop;
        length -= drop;
    }

    /** The characters read since the mark; more than the parser has looked at. */
    String sinceMark() {
        return new String(kept, 0, length);
    }

    /** True when reading itself failed, as opposed to what was read. */
    boolean broken() {
        return broken;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
