package io.policyscheduler.cmd.kube.election;

import com.google.common.base.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * For how long a candidate leads: from the start of its last successful renewal on. Written by the election's thread, read by any;
 * an answer needs no thread to be awake.
 */
final class LeaderTerm {
    /** How much longer than the lease a leader may go without renewal before it counts as stuck. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(20);

    /** Leadership until {@code until}, in ticks of the ticker. */
    private record Term(long renewed, long until) {}

    private final LeaseSettings settings;
    private final Ticker ticker;
    private volatile @Nullable Term term;

    LeaderTerm(LeaseSettings settings, Ticker ticker) {
        this.settings = settings;
        this.ticker = ticker;
    }

    /** @param start tick at which the renewal that succeeded was begun */
    void renewed(long start) {
        term = new Term(start, start + settings.renewDeadline().toNanos());
    }

    /** The candidate does not lead any more, whatever is left. */
    void end() {
        term = null;
    }

    /** Whether the candidate became leader and has not ended it; its time may be over. */
    boolean isBegun() {
        return term != null;
    }

    boolean isLeader() {
        Term now = term;
        return now != null && ticker.read() - now.until() < 0;
    }

    /** Until the lease, as it was last renewed, may be taken by another; zero when this candidate does not lead. */
    Duration timeToLead() {
        Term now = term;
        long tick = ticker.read();
        if (now == null || tick - now.until() >= 0) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(
                Math.max(0, now.renewed() + settings.leaseDuration().toNanos() - tick));
    }

    /** How long this candidate may go on leading. */
    Duration left() {
        Term now = term;
        return now == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, now.until() - ticker.read()));
    }

    /** Whether the end of the term has long gone by, and nobody has ended it. */
    boolean isStuck() {
        Term now = term;
        long limit = settings.leaseDuration().plus(STUCK_AFTER).toNanos();
        return now != null && ticker.read() - now.renewed() > limit;
    }
}
