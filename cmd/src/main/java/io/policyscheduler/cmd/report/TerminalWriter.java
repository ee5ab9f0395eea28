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

    private static final String PLAIN = "\u001b[0m";

    private final Writer terminal;
    private final Cleaning cleaning;
    private final Terminal kind;
    private boolean isWide;

    /** A writer in front of another one that is no terminal. */
    public TerminalWriter(Writer terminal) {
        this(terminal, Terminal.NONE);
    }

    /** A writer in front of another one. */
    public TerminalWriter(Writer terminal, Terminal kind) {
        this(terminal, kind, new Cleaning(terminal));
    }

    private TerminalWriter(Writer terminal, Terminal kind, Cleaning cleaning) {
        super(cleaning);
        this.terminal = terminal;
        this.kind = kind;
        this.cleaning = cleaning;
    }

    /** What it writes to. */
    public Terminal terminal() {
        return kind;
    }

    /** How wide tables may be; 0 for no limit. */
    public int columns() {
        return isWide ? 0 : kind.columns();
    }

    /** Lets tables be as wide as they are. */
    void widen() {
        isWide = true;
    }

    /** Writes text in the colour of a verdict, where there are colours; {@code out} is any writer. */
    public static void print(PrintWriter out, Verdict verdict, String text) {
        if (out instanceof TerminalWriter writer && writer.kind.colours()) {
            writer.control(verdict.control());
            writer.print(text);
            writer.control(PLAIN);
        } else {
            out.print(text);
        }
    }

    /** The same with the end of the line. */
    public static void println(PrintWriter out, Verdict verdict, String text) {
        print(out, verdict, text);
        out.println();
    }

    private void control(String sequence) {
        try {
            terminal.write(sequence);
        } catch (IOException e) {
            setError();
        }
    }

    /** Why something could not be written; null when all was. Flush before. */
    public @Nullable IOException failure() {
        return cleaning.failure;
    }

    /** Empties the line that the cursor is in, which only this program may do. */
    void clearLine() {
        control(CLEAR_LINE);
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
