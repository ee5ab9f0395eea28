package io.policyscheduler.cmd.report;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Says on stderr how far a command is: on a terminal by one line that is rewritten in place, otherwise by a plain line every few
 * seconds. Short commands say nothing. Not thread-safe.
 */
public final class Progress implements AutoCloseable {
    private static final Duration LIVE_DELAY = Duration.ofMillis(300);
    private static final Duration LIVE_STEP = Duration.ofMillis(100);
    private static final Duration PLAIN_STEP = Duration.ofSeconds(3);
    /** Set by the launcher, which can see what stderr is; the JDK of this release cannot. */
    private static final String TERMINAL_PROPERTY = "policyscheduler.stderr.terminal";

    /** {@code none}: no plain lines, for scripts that compare what is written. */
    private static final String PROGRESS_PROPERTY = "policyscheduler.progress";

    private final TerminalWriter err;
    private final boolean live;
    private final InstantSource clock;
    private Instant next;
    private @Nullable String shown;

    /**
     * A progress line.
     *
     * @param live stderr is a terminal
     */
    public Progress(PrintWriter err, boolean live, InstantSource clock) {
        this.err = err instanceof TerminalWriter terminal ? terminal : new TerminalWriter(err);
        this.live = live;
        this.clock = clock;
        boolean isWanted = live || !"none".equals(System.getProperty(PROGRESS_PROPERTY));
        this.next = isWanted ? clock.instant().plus(live ? LIVE_DELAY : PLAIN_STEP) : Instant.MAX;
    }

    /** Whether stderr of this process is a terminal. */
    @SuppressWarnings("SystemConsoleNull") // newer JDKs are started by the launcher, which sets the property
    public static boolean isTerminal() {
        String told = System.getProperty(TERMINAL_PROPERTY);
        return told == null ? System.console() != null : told.equals("true");
    }

    /**
     * Shows a state, unless the last one is too recent. Cheap enough to be called for each item.
     *
     * @return false when it was not shown; what then stays as it is for long should be tried again
     */
    public boolean update(String state) {
        Instant now = clock.instant();
        if (now.isBefore(next)) {
            return false;
        }
        if (live) {
            err.clearLine();
            err.print(state);
            next = now.plus(LIVE_STEP);
            shown = state;
        } else {
            err.println(state);
            next = now.plus(PLAIN_STEP);
        }
        err.flush();
        return true;
    }

    /** Writes a line that stays, such as a warning. */
    public void note(String line) {
        String state = shown;
        if (state != null) {
            err.clearLine();
        }
        err.println(line);
        err.print(state == null ? "" : state);
        err.flush();
    }

    /** Takes the progress line away, until the next update. */
    public void clear() {
        if (shown != null) {
            err.clearLine();
            err.flush();
            shown = null;
        }
    }

    /** As {@link #clear}. */
    @Override
    public void close() {
        clear();
    }
}
