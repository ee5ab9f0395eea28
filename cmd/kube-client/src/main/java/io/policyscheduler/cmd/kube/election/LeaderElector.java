package io.policyscheduler.cmd.kube.election;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockClient;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockKind;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockState;
import io.policyscheduler.cmd.kube.write.EventBody;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leader election with a {@link ResourceLock} that the leader renews. It runs until the lease is lost or {@link #close()}, and
 * does not restart. Mirrors client-go tools/leaderelection, with two stricter rules: the term of a leader starts with the request
 * of its last successful renewal, and a leader that sees another holder stops immediately.
 *
 * <p>Check {@link #isLeader()} immediately before each action of a leader. The result does not depend on another thread: it is
 * false as soon as the term is over, also after a long pause of the process.
 */
public final class LeaderElector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderElector.class);
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(2);

    private final LeaderTerm term;
    private final LeaseAttempts attempts;
    private final LeaderElectionConfig settings;
    private final LeaderCallbacks listener;
    private final Sleeper sleeper;
    private final RandomGenerator random;
    private final CountDownLatch ended = new CountDownLatch(1);

    private volatile boolean closing;
    private volatile boolean keeping;
    private @Nullable Thread thread;

    /**
     * Creates an elector, which does nothing before {@link #start}.
     *
     * @param clock for the times in the lock; decisions do not depend on it
     * @param ticker measures durations
     * @param sleeper waits between attempts
     * @param random for the jitter of candidates
     */
    public LeaderElector(
            KubeConnection connection,
            LeaderElectionConfig settings,
            LeaderCallbacks listener,
            Clock clock,
            Ticker ticker,
            Sleeper sleeper,
            RandomGenerator random) {
        this(new LockClient(connection, settings), settings, listener, clock, ticker, sleeper, random);
    }

    LeaderElector(
            ElectionLock lock,
            LeaderElectionConfig settings,
            LeaderCallbacks listener,
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

    /** Starts the election on a thread of its own; once only. No effect after {@link #close()}. */
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

    /** Whether this candidate is the leader now. Any thread. */
    public boolean isLeader() {
        return term.isLeader();
    }

    /**
     * How long this process may continue before another candidate can acquire the lease; zero if it is not the leader. Any
     * thread.
     */
    public Duration timeToLead() {
        return term.timeToLead();
    }

    /** The problem of a leader whose term has ended without notice; empty for none. Any thread. */
    public Optional<String> trouble() {
        return term.isStuck()
                ? Optional.of("failed election to renew leadership on lease " + settings.key())
                : Optional.empty();
    }

    /** Runs the election; returns when it is over. */
    void run() {
        try {
            LOG.info("attempting to acquire leader lease {}", settings.key());
            if (acquire()) {
                leadUntilLost();
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

    /** The RBAC verb of the failed call. */
    private static String verb(String trouble) {
        return trouble.startsWith("GET ") ? "get" : trouble.startsWith("POST ") ? "create" : "update";
    }

    private Duration jittered(Duration period) {
        return Duration.ofNanos((long) (period.toNanos() * (1 + random.nextDouble() * LeaderElectionConfig.JITTER)));
    }

    private void leadUntilLost() {
        LOG.info("successfully acquired lease {}", settings.key());
        String why = "";
        try {
            listener.onStartedLeading();
            why = lead();
        } catch (InterruptedException e) {
            // Only close() interrupts; releasing the lease below needs a thread that can wait.
            LOG.debug("leading ended by close");
        } finally {
            term.end();
            if (closing && settings.releaseOnClose() && !keeping) {
                attempts.release(RELEASE_LIMIT);
            }
            listener.onStoppedLeading(why);
        }
    }

    /** Renews until it fails; returns the reason, or an empty text after close. */
    private String lead() throws InterruptedException {
        while (true) {
            sleeper.sleep(min(settings.retryPeriod(), term.remaining()));
            if (closing) {
                return "";
            }
            Duration remaining = term.remaining();
            if (remaining.isZero()) {
                return "failed to renew lease " + settings.key() + " within "
                        + settings.renewDeadline().toMillis() + " ms"
                        + (attempts.lastTrouble().isEmpty() ? "" : ": " + attempts.lastTrouble());
            }
            if (attempts.attempt(remaining) == LeaseAttempts.Attempt.HELD_BY_ANOTHER) {
                return "lease " + settings.key() + " is held by " + attempts.reportedLeader();
            }
        }
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Stops without releasing the lease, because the API server may still execute requests of this process. */
    public void closeKeepingLease() {
        keeping = true;
        close();
    }

    /** Stops, and releases the lease if the settings say so; waits until that is done. */
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

    /** The callbacks of a leader election (client-go LeaderCallbacks). They run on the thread of the election and must not block. */
    public interface LeaderCallbacks {
        /** This candidate is the leader now. */
        default void onStartedLeading() {}

        /**
         * This candidate is no longer the leader, permanently. {@link LeaderElector#isLeader()} was already false.
         *
         * @param why for the log; empty after an orderly close
         */
        default void onStoppedLeading(String why) {}

        /**
         * This candidate has no permission to read or to write the lock, and never led; the election is over.
         *
         * @param why one line for users, with the missing verbs
         */
        default void onForbidden(String why) {}

        /** A new leader was observed, possibly this candidate. */
        default void onNewLeader(String identity) {}
    }

    /** A time limit that several calls share. It starts when it is created. */
    static final class Deadline {
        private final String purpose;
        private final Duration limit;
        private final Ticker ticker;
        private final long start;

        /** @param purpose for the message if no time is left, such as {@code to write lease NAME} */
        Deadline(String purpose, Duration limit, Ticker ticker) {
            this.purpose = purpose;
            this.limit = limit;
            this.ticker = ticker;
            this.start = ticker.read();
        }

        /** When it began, in ticks. */
        long start() {
            return start;
        }

        /**
         * More than zero.
         *
         * @throws ApiIoException if the time is over
         */
        Duration get() throws ApiIoException {
            long rest = limit.toNanos() - (ticker.read() - start);
            if (rest <= 0) {
                throw new ApiIoException("no time left " + purpose, 0);
            }
            return Duration.ofNanos(rest);
        }
    }

    /** A lock of a leader election (client-go resourcelock.Interface). Each call has a time limit. */
    interface ElectionLock {
        /** All objects of the lock, including absent ones. */
        LockState read(Deadline time) throws ApiIoException;

        /**
         * Writes the objects in order. The first one decides between candidates of the same lock; after a failure, the others
         * stay unchanged.
         *
         * @return false if another client has changed or created one of them since the read
         */
        boolean write(LockState state, Deadline time) throws ApiIoException;
    }

    /**
     * The term of a leader, which starts with the request of its last successful renewal. Written by the election thread, read by
     * any thread without waiting.
     */
    static final class LeaderTerm {
        /** Time after the end of a lease without renewal after which a leader counts as stuck. */
        private static final Duration STUCK_AFTER = Duration.ofSeconds(20);

        /** Leadership until {@code until}, in ticks of the ticker. */
        private record Term(long renewed, long until) {}

        private final LeaderElectionConfig settings;
        private final Ticker ticker;
        private volatile @Nullable Term term;

        LeaderTerm(LeaderElectionConfig settings, Ticker ticker) {
            this.settings = settings;
            this.ticker = ticker;
        }

        /** @param start tick of the request of the last successful renewal */
        void renewed(long start) {
            term = new Term(start, start + settings.renewDeadline().toNanos());
        }

        /** Ends the term. */
        void end() {
            term = null;
        }

        /** Whether the candidate became the leader and has not ended its term; the time may be over. */
        boolean hasStarted() {
            return term != null;
        }

        boolean isLeader() {
            Term now = term;
            return now != null && ticker.read() - now.until() < 0;
        }

        /** Time until another candidate can acquire the lease; zero if this candidate is not the leader. */
        Duration timeToLead() {
            Term now = term;
            long tick = ticker.read();
            if (now == null || tick - now.until() >= 0) {
                return Duration.ZERO;
            }
            return Duration.ofNanos(
                    Math.max(0, now.renewed() + settings.leaseDuration().toNanos() - tick));
        }

        /** Remaining time of the term. */
        Duration remaining() {
            Term now = term;
            return now == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, now.until() - ticker.read()));
        }

        /** Whether the term ended long ago and was not closed. */
        boolean isStuck() {
            Term now = term;
            long limit = settings.leaseDuration().plus(STUCK_AFTER).toNanos();
            return now != null && ticker.read() - now.renewed() > limit;
        }
    }

    /**
     * Acquires, renews, and releases the lease of one candidate, and stores the last observed record. Belongs to the election
     * thread.
     */
    static final class LeaseAttempts {
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
        private final LeaderElectionConfig settings;
        private final LeaderCallbacks listener;
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
         * @param closing whether failures are ignored
         */
        LeaseAttempts(
                ElectionLock lock,
                LeaderElectionConfig settings,
                LeaderCallbacks listener,
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

        /** The last observed holder of the lease; empty before the first. */
        String reportedLeader() {
            return reportedLeader;
        }

        /** The error of the last attempt; empty after success. */
        String lastTrouble() {
            return lastTrouble;
        }

        /**
         * Acquires or renews the lease.
         *
         * @param limit for reading and writing together
         */
        Attempt attempt(Duration limit) {
            Deadline time = new Deadline("to write lease " + settings.key(), limit, ticker);
            boolean isRead = false;
            try {
                LockState current = lock.read(time);
                isRead = true;
                wasRead = true;
                observe(current);
                boolean foreign =
                        !current.holder().isEmpty() && !current.holder().equals(settings.identity());
                if (foreign && (term.hasStarted() || !isExpired(current))) {
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

        /** Stores the local time at which a record was first observed, because clocks of other hosts can differ. */
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

        /** Releases the lease if this candidate holds it; also on an interrupted thread. */
        void release(Duration limit) {
            boolean interrupted = Thread.interrupted();
            Deadline time = new Deadline("to release lease " + settings.key(), limit, ticker);
            try {
                LockState current = lock.read(time);
                if (current.holder().equals(settings.identity())) {
                    boolean done = lock.write(current.released(clock.instant()), time);
                    LOG.info(
                            "lease {} {}", settings.key(), done ? "released" : "was taken over before it was released");
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

    /** Records core/v1 events about the objects of an election's lock, best effort. Thread-safe. */
    public static final class ElectionEvents {
        private static final Logger LOG = LoggerFactory.getLogger(ElectionEvents.class);

        private final KubeConnection connection;
        private final LeaderElectionConfig settings;
        private final String component;
        private final EventBody bodies;
        private final Clock clock;

        /**
         * @param component the scheduler's name: event source and reporting component
         * @param instance name of this process, such as the host name
         */
        public ElectionEvents(
                KubeConnection connection,
                LeaderElectionConfig settings,
                String component,
                String instance,
                Clock clock) {
            this.connection = connection;
            this.settings = settings;
            this.component = component;
            this.bodies = new EventBody(instance);
            this.clock = clock;
        }

        /** Writes {@code IDENTITY became leader}; blocks for one call per object. */
        public void becameLeader() {
            write(settings.identity() + " became leader");
        }

        /** Writes {@code IDENTITY stopped leading}; blocks for one call per object. */
        public void stoppedLeading() {
            write(settings.identity() + " stopped leading");
        }

        private void write(String message) {
            Instant now = clock.instant();
            long nanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
            for (LockKind kind : settings.lock().kinds()) {
                write(kind, EventBody.name(settings.name(), nanos++), message, now);
            }
        }

        private void write(LockKind kind, String eventName, String message, Instant now) {
            ObjectReference object = new ObjectReference(settings.namespace(), settings.name(), "", "");
            EventText text = new EventText(component, "Normal", "LeaderElection", message, 0);
            byte[] body = bodies.create(eventName, kind.apiVersion(), kind.kind(), object, text, now);
            try {
                ApiResponse response = connection.post("/api/v1/namespaces/" + settings.namespace() + "/events", body);
                if (!response.success()) {
                    LOG.debug("event \"{}\" not written: {}", message, response);
                }
            } catch (ApiIoException e) {
                LOG.debug("event \"{}\" not written: {}", message, e.getMessage());
            }
        }
    }
}
