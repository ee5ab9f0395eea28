package io.policyscheduler.cmd.report;

import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The writer of all output. It escapes control and bidirectional characters, which could change the terminal or mislead the
 * reader, and masks passwords in URLs. JSON has its own escapes.
 */
public final class TerminalWriter extends PrintWriter {
    private static final String CLEAR_LINE = "\r\u001b[K";

    private static final String PLAIN = "\u001b[0m";

    private final Writer terminal;
    private final CleaningWriter cleaning;
    private final Terminal kind;
    private boolean isWide;

    /** A writer without a terminal. */
    public TerminalWriter(Writer terminal) {
        this(terminal, Terminal.NONE);
    }

    /** A writer around another one. */
    public TerminalWriter(Writer terminal, Terminal kind) {
        this(terminal, kind, new CleaningWriter(terminal));
    }

    private TerminalWriter(Writer terminal, Terminal kind, CleaningWriter cleaning) {
        super(cleaning);
        this.terminal = terminal;
        this.kind = kind;
        this.cleaning = cleaning;
    }

    /** The underlying writer. */
    public Terminal terminal() {
        return kind;
    }

    /** How wide tables may be; 0 for no limit. */
    public int columns() {
        return isWide ? 0 : kind.columns();
    }

    /** Removes the limit of the width of tables. */
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

    private static final class CleaningWriter extends Writer {
        private final Writer target;
        /** The first error. A PrintWriter only stores that there was one. */
        private volatile @Nullable IOException failure;

        CleaningWriter(Writer target) {
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

    /**
     * The terminal of an output.
     *
     * @param columns how wide it is; 0 for no limit, which files and pipes have
     * @param colours whether the terminal shows colors and the user wants them
     */
    public record Terminal(int columns, boolean colours) {
        /** A file, a pipe, or an unknown terminal. */
        public static final Terminal NONE = new Terminal(0, false);

        /** Set by the launcher, because JDK 17 cannot detect whether stdout is a terminal. */
        private static final String STDOUT = "policyscheduler.stdout.terminal";

        private static final String STDERR = "policyscheduler.stderr.terminal";
        private static final String COLUMNS = "policyscheduler.columns";
        /** A smaller width is ignored as a mistake. */
        private static final int LEAST = 40;

        /** The terminal of stdout. */
        public static Terminal ofStdout() {
            return of(STDOUT, System.getProperties(), System.getenv());
        }

        /** The terminal of stderr. */
        public static Terminal ofStderr() {
            return of(STDERR, System.getProperties(), System.getenv());
        }

        /**
         * A user who sets COLUMNS gets that width everywhere, also in a file or a pipe. Otherwise a terminal has its own width, and files
         * and pipes have no limit.
         */
        static Terminal of(String property, Properties properties, Map<String, String> environment) {
            int requested = columns(environment.getOrDefault("COLUMNS", ""));
            if (!properties.getProperty(property, "false").equals("true")) {
                return requested == 0 ? NONE : new Terminal(requested, false);
            }
            boolean colours = environment.getOrDefault("NO_COLOR", "").isEmpty()
                    && !environment.getOrDefault("TERM", "").equals("dumb");
            return new Terminal(requested == 0 ? columns(properties.getProperty(COLUMNS, "")) : requested, colours);
        }

        private static int columns(String text) {
            return text.matches("[0-9]{1,5}") && Integer.parseInt(text) >= LEAST ? Integer.parseInt(text) : 0;
        }
    }

    /** The meaning of a line, shown as its color. */
    public enum Verdict {
        /** As it should be. */
        GOOD("\u001b[32m"),
        /** A warning. */
        DOUBTFUL("\u001b[33m"),
        /** An error or a negative result. */
        BAD("\u001b[31m");

        private final String control;

        Verdict(String control) {
            this.control = control;
        }

        /** {@link #GOOD} or {@link #BAD}. */
        public static Verdict of(boolean good) {
            return good ? GOOD : BAD;
        }

        /** A control sequence. */
        String control() {
            return control;
        }
    }
}
