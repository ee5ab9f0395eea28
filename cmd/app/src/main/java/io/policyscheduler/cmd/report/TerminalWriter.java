package io.policyscheduler.cmd.report;

import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Map;
import java.util.Properties;
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

    /**
     * What somebody sees the output on.
     *
     * @param columns how wide it is; 0 for no limit, which files and pipes have
     * @param colours whether it shows colours, and its user wants them
     */
    public record Terminal(int columns, boolean colours) {
        /** A file, a pipe, or a terminal that is not known. */
        public static final Terminal NONE = new Terminal(0, false);

        /** Set by the launcher, which can see what stdout is; the JDK of this release cannot. */
        private static final String STDOUT = "policyscheduler.stdout.terminal";

        private static final String STDERR = "policyscheduler.stderr.terminal";
        private static final String COLUMNS = "policyscheduler.columns";
        /** Narrower is taken for a slip: nothing could be read. */
        private static final int LEAST = 40;

        /** What stdout of this process is. */
        public static Terminal ofStdout() {
            return of(STDOUT, System.getProperties(), System.getenv());
        }

        /** What stderr of this process is. */
        public static Terminal ofStderr() {
            return of(STDERR, System.getProperties(), System.getenv());
        }

        /**
         * A user who sets COLUMNS gets that width everywhere, also in a file or a pipe. Otherwise a terminal has its own width, and files
         * and pipes have no limit.
         */
        static Terminal of(String property, Properties properties, Map<String, String> environment) {
            int wanted = columns(environment.getOrDefault("COLUMNS", ""));
            if (!properties.getProperty(property, "false").equals("true")) {
                return wanted == 0 ? NONE : new Terminal(wanted, false);
            }
            boolean colours = environment.getOrDefault("NO_COLOR", "").isEmpty()
                    && !environment.getOrDefault("TERM", "").equals("dumb");
            return new Terminal(wanted == 0 ? columns(properties.getProperty(COLUMNS, "")) : wanted, colours);
        }

        private static int columns(String text) {
            return text.matches("[0-9]{1,5}") && Integer.parseInt(text) >= LEAST ? Integer.parseInt(text) : 0;
        }
    }

    /** What a line comes to, which terminals show as its colour. */
    public enum Verdict {
        /** As it should be. */
        GOOD("\u001b[32m"),
        /** Worth a look. */
        DOUBTFUL("\u001b[33m"),
        /** An error, or the answer no. */
        BAD("\u001b[31m");

        private final String control;

        Verdict(String control) {
            this.control = control;
        }

        /** {@link #GOOD} or {@link #BAD}. */
        public static Verdict of(boolean good) {
            return good ? GOOD : BAD;
        }

        /** What a terminal obeys. */
        String control() {
            return control;
        }
    }
}
