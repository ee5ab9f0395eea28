package io.policyscheduler.cmd.report;

import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * Everything that this program prints goes through here: what a terminal would obey and what would mislead its reader is
 * spelled out, and passwords in URLs are masked. In JSON the escapes are those of JSON.
 */
public final class TerminalWriter extends PrintWriter {
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final Writer terminal;

    /** A writer in front of another one. */
    public TerminalWriter(Writer terminal) {
        super(new Cleaning(terminal));
        this.terminal = terminal;
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
            target.write(VisibleText.withoutPasswords(VisibleText.lines(part)));
        }

        @Override
        public void flush() throws IOException {
            target.flush();
        }

        @Override
        public void close() throws IOException {
            target.close();
        }
    }
}
