package io.policyscheduler.cmd.kube;

import com.google.common.base.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes at most one of several candidates the leader, by a Lease that the leader renews. Takes part until the lease is lost
 * or {@link #close()}; does not take part twice. Mirrors client-go tools/leaderelection, and is stricter in two things: a
 * leader's time counts from the start of its last successful renewal, and a leader that sees another holder stops at once.
 *
 * <p>What only a leader may do asks {@link #isLeader()} immediately before it does it. That answer needs no thread to be
 * awake: it is false as soon as the time is over, also after a long pause of the process.
 */
public final class LeaseElection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseElection.class);
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(2);
    /** How much longer than the lease a leader may go without renewal before it counts as stuck. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(20);

    private enum Attempt {
        HELD,
        HELD_BY_ANOTHER,
        FAILED
    }

    /** Leadership until {@code until}, in ticks of the ticker. */
    private record Term(long renewed, long until) {}

    private final LeaseLock lock;
    private final LeaseSettings settings;
    private final LeaderListener listener;
    private final Clock clock;
    private final Ticker ticker;
    private final Sleeper sleeper;
    private final RandomGenerator random;
    private final CountDownLatch ended = new CountDownLatch(1);

    private volatile @Nullable Term term;
    private volatile boolean closing;
    private volatile boolean keeping;
    private @Nullable Thread thread;

    // Below: only touched by the election's thread.
    private @Nullable Lease observed;
    private long observedAt;
    private String reportedLeader = "";
    private String lastTrouble = "";

    /**
     * Does nothing before {@link #start}.
     *
     * @param clock for the times written into the Lease; nothing is decided by it
     * @param ticker measures durations
     * @param sleeper waits between attempts
     * @param random for the jitter of candidates
     */
    public LeaseElection(
            KubeConnection connection,
            LeaseSettings settings,
            LeaderListener listener,
            Clock clock,
            Ticker ticker,
            Sleeper sleeper,
            RandomGenerator random) {
        this(
                new LeaseClient(connection, settings.namespace(), settings.name()),
                settings,
                listener,
                clock,
                ticker,
                sleeper,
                random);
    }

    LeaseElection(
            LeaseLock lock,
            LeaseSettings settings,
            LeaderListener listener,
            Clock clock,
            Ticker ticker,
            Sleeper sleeper,
            RandomGenerator random) {
        this.lock = lock;
        this.settings = settings;
        this.listener = listener;
        this.clock = clock;
        this.ticker = ticker;
        this.sleeper = sleeper;
        this.random = random;
    }

    /** Takes part, on a thread of its own; once only. No effect after {@link #close()}. */
    public synchronized void start(ThreadFactory threads) {
        if (closing) {
            return;
        }
        if (thread != null) {
            throw new IllegalStateException("the election of " + settings.key() + " was already started");
        }
        thread = threads.newThread(this::run);
        thread.start();
    }

    /** Whether this candidate leads now. Any thread. */
    public boolean isLeader() {
        Term now = term;
        return now != null && ticker.read() - now.until() < 0;
    }

    /**
     * How long this process may go on with what it begins now: until the lease, as it was last renewed, may be taken by another.
     * Zero when it does not lead. Any thread.
     */
    public Duration timeToLead() {
        Term now = term;
        long tick = ticker.read();
        if (now == null || tick - now.until() >= 0) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(
                Math.max(0, now.renewed() + settings.leaseDuration().toNanos() - tick));
    }

    /** What is wrong: a leader that has not even noticed that it cannot renew. Any thread. */
    public Optional<String> trouble() {
        Term now = term;
        long limit = settings.leaseDuration().plus(STUCK_AFTER).toNanos();
        return now != null && ticker.read() - now.renewed() > limit
                ? Optional.of("failed election to renew leadership on lease " + settings.key())
                : Optional.empty();
    }

    /** The whole life of a candidate; returns when it is over. */
    void run() {
        try {
            LOG.info("attempting to acquire leader lease {}", settings.key());
            if (acquire()) {
                leadToTheEnd();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    private boolean acquire() throws InterruptedException {
        while (!closing) {
            if (attempt(settings.renewDeadline()) == Attempt.HELD) {
                return true;
            }
            sleeper.sleep(jittered(settings.retryPeriod()));
        }
        return false;
    }

    private Duration jittered(Duration period) {
        return Duration.ofNanos((long) (period.toNanos() * (1 + random.nextDouble() * LeaseSettings.JITTER)));
    }

    private void leadToTheEnd() {
        LOG.info("successfully acquired lease {}", settings.key());
        String why = "";
        try {
            listener.onStartedLeading();
            why = lead();
        } catch (InterruptedException e) {
            // Only close() interrupts; giving the lease back below needs a thread that can wait.
            LOG.debug("leading ended by close");
        } finally {
            term = null;
            if (closing && settings.releaseOnClose() && !keeping) {
                release();
            }
            listener.onStoppedLeading(why);
        }
    }

    /** Renews until it fails; returns why, or an empty text when closed. */
    private String lead() throws InterruptedException {
        while (true) {
            sleeper.sleep(shorter(settings.retryPeriod(), left()));
            if (closing) {
                return "";
            }
            Duration left = left();
            if (left.isZero()) {
                return "failed to renew lease " + settings.key() + " within "
                        + settings.renewDeadline().toMillis() + " ms"
                        + (lastTrouble.isEmpty() ? "" : ": " + lastTrouble);
            }
            if (attempt(left) == Attempt.HELD_BY_ANOTHER) {
                return "lease " + settings.key() + " is held by " + reportedLeader;
            }
        }
    }

    /** How long this candidate may go on leading. */
    private Duration left() {
        Term now = term;
        return now == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, now.until() - ticker.read()));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private Attempt attempt(Duration limit) {
        long start = ticker.read();
        try {
            Lease current = lock.read(limit);
            boolean done;
            if (current == null) {
                Lease created = held(Lease.create(settings.namespace(), settings.name()));
                done = lock.create(created, rest(limit, start));
                observe(done ? created : null);
            } else {
                observe(current);
                boolean foreign =
                        !current.holder().isEmpty() && !current.holder().equals(settings.identity());
                if (foreign && (term != null || !isExpired(current))) {
                    LOG.debug("lease {} is held by {}", settings.key(), current.holder());
                    return Attempt.HELD_BY_ANOTHER;
                }
                Lease renewed = held(current);
                done = lock.update(renewed, rest(limit, start));
                if (done) {
                    observe(renewed);
                }
            }
            if (!done) {
                return failed("somebody else changed it");
            }
        } catch (ApiIoException e) {
            return failed(String.valueOf(e.getMessage()));
        }
        lastTrouble = "";
        term = new Term(start, start + settings.renewDeadline().toNanos());
        return Attempt.HELD;
    }

    private Lease held(Lease current) {
        return current.heldBy(settings.identity(), settings.leaseDuration(), clock.instant());
    }

    private Duration rest(Duration limit, long start) throws ApiIoException {
        long rest = limit.toNanos() - (ticker.read() - start);
        if (rest <= 0) {
            throw new ApiIoException("no time left to write lease " + settings.key(), 0);
        }
        return Duration.ofNanos(rest);
    }

    private Attempt failed(String why) {
        if (why.equals(lastTrouble)) {
            LOG.debug("lease {}: {}", settings.key(), why);
        } else if (!closing) {
            LOG.warn("W109 lease {} not written: {}; retrying", settings.key(), why);
        }
        lastTrouble = why;
        return Attempt.FAILED;
    }

    /** Remembers when a record was first seen: its age by the clocks of others means nothing here. */
    private void observe(@Nullable Lease lease) {
        if (lease == null) {
            return;
        }
        Lease before = observed;
        if (before == null || !before.isSameRecord(lease)) {
            observedAt = ticker.read();
        }
        observed = lease;
        if (!lease.holder().isEmpty() && !lease.holder().equals(reportedLeader)) {
            reportedLeader = lease.holder();
            listener.onNewLeader(reportedLeader);
        }
    }

    private boolean isExpired(Lease lease) {
        return ticker.read() - observedAt
                >= lease.duration(settings.leaseDuration()).toNanos();
    }

    private void release() {
        boolean interrupted = Thread.interrupted();
        long start = ticker.read();
        try {
            Lease current = lock.read(RELEASE_LIMIT);
            if (current != null && current.holder().equals(settings.identity())) {
                boolean done = lock.update(current.released(clock.instant()), rest(RELEASE_LIMIT, start));
                LOG.info("lease {} {}", settings.key(), done ? "released" : "was taken over before it was released");
            }
        } catch (ApiIoException e) {
            LOG.warn(
                    "W110 lease {} not released, another candidate has to wait for its end: {}",
                    settings.key(),
                    e.getMessage());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Stops to lead, or to try, but lets the lease run out instead of giving it back: what this process has begun may yet be
     * carried out.
     */
    public void closeKeepingLease() {
        keeping = true;
        close();
    }

    /** Stops to lead, or to try, and gives the lease back if the settings say so; waits until that is done. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closing = true;
            running = thread;
        }
        if (running == null) {
            return;
        }
        running.interrupt();
        try {
            if (!ended.await(RELEASE_LIMIT.toMillis() + 1000, TimeUnit.MILLISECONDS)) {
                LOG.warn("W110 the election of {} did not end in time", settings.key());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
