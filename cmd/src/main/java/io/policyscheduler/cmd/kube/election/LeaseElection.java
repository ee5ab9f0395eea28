package io.policyscheduler.cmd.kube.election;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
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
 * Makes at most one of several candidates the leader, by a {@link ResourceLock} that the leader renews. Takes part until the lease
 * is lost or {@link #close()}; does not take part twice. Mirrors client-go tools/leaderelection, and is stricter in two things: a
 * leader's time counts from the start of its last successful renewal, and a leader that sees another holder stops at once.
 *
 * <p>What only a leader may do asks {@link #isLeader()} immediately before it does it. That answer needs no thread to be
 * awake: it is false as soon as the time is over, also after a long pause of the process.
 */
public final class LeaseElection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseElection.class);
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(2);

    private final LeaderTerm term;
    private final LeaseAttempts attempts;
    private final LeaseSettings settings;
    private final LeaderListener listener;
    private final Sleeper sleeper;
    private final RandomGenerator random;
    private final CountDownLatch ended = new CountDownLatch(1);

    private volatile boolean closing;
    private volatile boolean keeping;
    private @Nullable Thread thread;

    /**
     * Does nothing before {@link #start}.
     *
     * @param clock for the times written into the lock; nothing is decided by it
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
        this(new LockClient(connection, settings), settings, listener, clock, ticker, sleeper, random);
    }

    LeaseElection(
            ElectionLock lock,
            LeaseSettings settings,
            LeaderListener listener,
            Clock clock,
            Ticker ticker,
            Sleeper sleeper,
            RandomGenerator random) {
        this.settings = settings;
        this.listener = listener;
        this.sleeper = sleeper;
        this.random = random;
        term = new LeaderTerm(settings, ticker);
        attempts = new LeaseAttempts(lock, settings, listener, term, clock, ticker, () -> closing);
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
        return term.isLeader();
    }

    /**
     * How long this process may go on with what it begins now: until the lease, as it was last renewed, may be taken by another.
     * Zero when it does not lead. Any thread.
     */
    public Duration timeToLead() {
        return term.timeToLead();
    }

    /** What is wrong: a leader that has not even noticed that it cannot renew. Any thread. */
    public Optional<String> trouble() {
        return term.isStuck()
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
            LeaseAttempts.Attempt attempt = attempts.attempt(settings.renewDeadline());
            if (attempt == LeaseAttempts.Attempt.HELD) {
                return true;
            }
            if (attempt == LeaseAttempts.Attempt.FORBIDDEN) {
                listener.onForbidden("no permission to " + verb(attempts.lastTrouble()) + " lease " + settings.key()
                        + ": "
                        + attempts.lastTrouble() + "; grant the verbs get, create, and update on "
                        + settings.lock().resources() + ", or set --leader-elect=false if only one process runs");
                return false;
            }
            sleeper.sleep(jittered(settings.retryPeriod()));
        }
        return false;
    }

    /** The verb of RBAC for the call that failed. */
    private static String verb(String trouble) {
        return trouble.startsWith("GET ") ? "get" : trouble.startsWith("POST ") ? "create" : "update";
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
            term.end();
            if (closing && settings.releaseOnClose() && !keeping) {
                attempts.release(RELEASE_LIMIT);
            }
            listener.onStoppedLeading(why);
        }
    }

    /** Renews until it fails; returns why, or an empty text when closed. */
    private String lead() throws InterruptedException {
        while (true) {
            sleeper.sleep(shorter(settings.retryPeriod(), term.left()));
            if (closing) {
                return "";
            }
            Duration left = term.left();
            if (left.isZero()) {
                return "failed to renew lease " + settings.key() + " within "
                        + settings.renewDeadline().toMillis() + " ms"
                        + (attempts.lastTrouble().isEmpty() ? "" : ": " + attempts.lastTrouble());
            }
            if (attempts.attempt(left) == LeaseAttempts.Attempt.HELD_BY_ANOTHER) {
                return "lease " + settings.key() + " is held by " + attempts.reportedLeader();
            }
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
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
                LOG.warn("W110 the election of {} did not stop in time", settings.key());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
