package io.policyscheduler.cmd.report;

import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * Everything that this program prints goes through here: what a terminal would obey and what would mislead its reader is
 * spelled out, and passwords in URLs are masked. In JSON the escapes are those of JSON.
 */
public final class TerminalWriter extends PrintWriter {
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final Writer terminal;
    private final Cleaning cleaning;

    /** A writer in front of another one. */
    public TerminalWriter(Writer terminal) {
        this(terminal, new Cleaning(terminal));
    }

    private TerminalWriter(Writer terminal, Cleaning cleaning) {
        super(cleaning);
        this.terminal = terminal;
        this.cleaning = cleaning;
    }

    /** Why something could not be written; null when all was. Flush before. */
    public @Nullable IOException failure() {
        return cleaning.failure;
    }

    /** Empties the line that the cursor is in, which only this program may do. */
    void clearLine() {
        try {
            terminal.write(CLEAR_LINE);
        } catch (IOException e) {
            setError();
        }
    }

    private static final class Cleaning extends Writer {
        private final Writer target;
        /** The first one. A PrintWriter remembers only that there was one. */
        private volatile @Nullable IOException failure;

        Cleaning(Writer target) {
            this.target = target;
        }

        @Override
        public void write(char[] text, int offset, int length) throws IOException {
            write(new String(text, offset, length), 0, length);
        }

        @Override
        public void write(String text, int offset, int length) throws IOException {
            String part = text.substring(offset, offset + length);
            try {
                target.write(VisibleText.withoutPasswords(VisibleText.lines(part)));
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public void flush() throws IOException {
            try {
                target.flush();
            } catch (IOException e) {
                throw failed(e);
            }
        }

        private IOException failed(IOException e) {
            if (failure == null) {
                failure = e;
            }
            return e;
        }

        @Override
        public void close() throws IOException {
            target.close();
        }
    }
}
