package io.policyscheduler.cmd.report;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Shows progress on stderr in one line that is rewritten; only on a terminal, and not in the first moments of a command.
 * Thread-safe.
 */
public final class Progress implements AutoCloseable {
    private static final Duration LIVE_DELAY = Duration.ofMillis(300);
    private static final Duration LIVE_STEP = Duration.ofMillis(100);
    /** Rates over a shorter time are inaccurate. */
    private static final long RATED_MILLIS = 1000;

    private static final double MILLIS_PER_SECOND = 1000;
    /** Set by the launcher, because JDK 17 cannot detect whether stderr is a terminal. */
    private static final String TERMINAL_PROPERTY = "policyscheduler.stderr.terminal";

    private final TerminalWriter err;
    private final InstantSource clock;
    private Instant next;
    private String counted = "";
    private Instant since = Instant.MAX;
    private @Nullable String shown;

    /**
     * A progress line.
     *
     * @param live stderr is a terminal
     */
    public Progress(PrintWriter err, boolean live, InstantSource clock) {
        this.err = err instanceof TerminalWriter terminal ? terminal : new TerminalWriter(err);
        this.clock = clock;
        this.next = live ? clock.instant().plus(LIVE_DELAY) : Instant.MAX;
    }

    /** Whether stderr of this process is a terminal. */
    @SuppressWarnings("SystemConsoleNull") // newer JDKs are started by the launcher, which sets the property
    public static boolean isTerminal() {
        String property = System.getProperty(TERMINAL_PROPERTY);
        return property == null ? System.console() != null : property.equals("true");
    }

    /**
     * Shows a state, unless the last one is too recent. Fast enough for each item.
     *
     * @return false if it was not shown; repeat the call before a long step
     */
    public synchronized boolean update(String state) {
        Instant now = clock.instant();
        if (now.isBefore(next)) {
            return false;
        }
        err.clearLine();
        err.print(state);
        next = now.plus(LIVE_STEP);
        shown = state;
        err.flush();
        return true;
    }

    /**
     * Shows the number of finished items, and after a while the rate and the remaining time.
     *
     * @param what is counted, such as {@code pods decided}; the part after a comma may change
     * @param all total number; 0 if unknown
     */
    public synchronized void count(String what, long done, long all) {
        Instant now = clock.instant();
        int comma = what.indexOf(',');
        String kind = comma < 0 ? what : what.substring(0, comma);
        if (!kind.equals(counted)) {
            counted = kind;
            since = now;
        }
        if (now.isBefore(next)) {
            return;
        }
        long millis = Duration.between(since, now).toMillis();
        StringBuilder state = new StringBuilder().append(done);
        state.append(all > 0 ? " of " + all : "").append(' ').append(what);
        if (millis >= RATED_MILLIS && done > 0) {
            double rate = done * MILLIS_PER_SECOND / millis;
            state.append(String.format(Locale.ROOT, rate < 10 ? ", %.1f/s" : ", %.0f/s", rate));
            state.append(all > done ? ", " + left((all - done) / rate) + " left" : "");
        }
        update(state.toString());
    }

    private static String left(double seconds) {
        long whole = (long) Math.ceil(seconds);
        return whole < 60 ? whole + " s" : whole / 60 + " min " + whole % 60 + " s";
    }

    /** Writes a permanent line, such as a warning. */
    public synchronized void note(String line) {
        String state = shown;
        if (state != null) {
            err.clearLine();
        }
        err.println(line);
        err.print(state == null ? "" : state);
        err.flush();
    }

    /** Removes the progress line until the next update. */
    public synchronized void clear() {
        if (shown != null) {
            err.clearLine();
            err.flush();
            shown = null;
        }
    }

    /** As {@link #clear}. */
    @Override
    public synchronized void close() {
        clear();
    }
}
