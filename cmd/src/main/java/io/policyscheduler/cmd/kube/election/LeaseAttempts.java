package io.policyscheduler.cmd.kube.election;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.kube.ApiIoException;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A candidate's tries to take, to renew and to give back the lease, and what it has seen of it. Belongs to the election's thread. */
final class LeaseAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseAttempts.class);

    private static final int FORBIDDEN_CODE = 403;

    enum Attempt {
        HELD,
        HELD_BY_ANOTHER,
        FAILED,
        /** The candidate has no permission, and had none before. */
        FORBIDDEN
    }

    private final ElectionLock lock;
    private final LeaseSettings settings;
    private final LeaderListener listener;
    private final LeaderTerm term;
    private final Clock clock;
    private final Ticker ticker;
    private final BooleanSupplier closing;

    private @Nullable LockState observed;
    private long observedAt;
    private String reportedLeader = "";
    private String lastTrouble = "";
    private boolean wasRead;
    private boolean wasWritten;

    /**
     * @param term renewed by each attempt that succeeds
     * @param closing whether a failure is of interest to nobody
     */
    LeaseAttempts(
            ElectionLock lock,
            LeaseSettings settings,
            LeaderListener listener,
            LeaderTerm term,
            Clock clock,
            Ticker ticker,
            BooleanSupplier closing) {
        this.lock = lock;
        this.settings = settings;
        this.listener = listener;
        this.term = term;
        this.clock = clock;
        this.ticker = ticker;
        this.closing = closing;
    }

    /** Who held the lease when it was last seen with a holder; empty before. */
    String reportedLeader() {
        return reportedLeader;
    }

    /** Why the last attempt failed; empty when it did not. */
    String lastTrouble() {
        return lastTrouble;
    }

    /**
     * Takes the lease, or renews it.
     *
     * @param limit for reading and writing together
     */
    Attempt attempt(Duration limit) {
        TimeLeft time = new TimeLeft("to write lease " + settings.key(), limit, ticker);
        boolean isRead = false;
        try {
            LockState current = lock.read(time);
            isRead = true;
            wasRead = true;
            observe(current);
            boolean foreign = !current.holder().isEmpty() && !current.holder().equals(settings.identity());
            if (foreign && (term.isBegun() || !isExpired(current))) {
                LOG.debug("lease {} is held by {}", settings.key(), current.holder());
                return Attempt.HELD_BY_ANOTHER;
            }
            LockState held = current.heldBy(settings.identity(), settings.leaseDuration(), clock.instant());
            if (!lock.write(held, time)) {
                return failed("another process changed it");
            }
            wasWritten = true;
            observe(held);
        } catch (ApiIoException e) {
            Attempt failed = failed(String.valueOf(e.getMessage()));
            boolean isNew = isRead ? !wasWritten : !wasRead;
            return e.code() == FORBIDDEN_CODE && isNew ? Attempt.FORBIDDEN : failed;
        }
        lastTrouble = "";
        term.renewed(time.start());
        return Attempt.HELD;
    }

    private Attempt failed(String why) {
        if (why.equals(lastTrouble)) {
            LOG.debug("lease {}: {}", settings.key(), why);
        } else if (!closing.getAsBoolean()) {
            LOG.warn("W109 lease {} not written: {}; retrying", settings.key(), why);
        }
        lastTrouble = why;
        return Attempt.FAILED;
    }

    /** Remembers when a record was first seen: its age by the clocks of others means nothing here. */
    private void observe(LockState state) {
        LockState before = observed;
        if (before == null || !before.isSameRecord(state)) {
            observedAt = ticker.read();
        }
        observed = state;
        String holder = state.holder();
        if (!holder.isEmpty() && !holder.equals(reportedLeader)) {
            reportedLeader = holder;
            listener.onNewLeader(holder);
        }
    }

    private boolean isExpired(LockState state) {
        return ticker.read() - observedAt
                >= state.duration(settings.leaseDuration()).toNanos();
    }

    /** Gives the lease back if it is this candidate's; in time also on a thread that was interrupted. */
    void release(Duration limit) {
        boolean interrupted = Thread.interrupted();
        TimeLeft time = new TimeLeft("to release lease " + settings.key(), limit, ticker);
        try {
            LockState current = lock.read(time);
            if (current.holder().equals(settings.identity())) {
                boolean done = lock.write(current.released(clock.instant()), time);
                LOG.info("lease {} {}", settings.key(), done ? "released" : "was taken over before it was released");
            }
        } catch (ApiIoException e) {
            LOG.warn(
                    "W110 lease {} not released, other replicas wait until it expires: {}",
                    settings.key(),
                    e.getMessage());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
