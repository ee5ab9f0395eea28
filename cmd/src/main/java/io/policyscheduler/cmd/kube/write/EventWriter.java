package io.policyscheduler.cmd.kube.write;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records core/v1 events about pods, best effort: {@link #record} never blocks, a thread of the given executor writes.
 * Equal events within ten minutes are counted in one object, and so are those that differ in their message only, from the tenth
 * on; a pod's events are rate-limited. One that cannot be written for now is tried up to twelve times, every ten seconds; what
 * does not fit the queue meanwhile is dropped and counted (client-go tools/record).
 */
public final class EventWriter implements AutoCloseable {
    static final int QUEUE_SIZE = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(EventWriter.class);
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
    private static final long FLUSH_MILLIS = 2000;
    private static final long POLL_MILLIS = 200;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final int TRIES = 12;
    /** Of a name that nobody else makes: an earlier try was carried out, only its answer was lost. */
    private static final int EXISTS = 409;

    private static final Duration RETRY = Duration.ofSeconds(10);
    private final KubeConnection connection;
    private final String component;
    private final EventBody bodies;
    private final InstantSource wallClock;
    private final InstantSource steady;
    private final RandomGenerator random;
    private final Sleeper sleeper;
    private final BlockingQueue<EventOccurrence> queue = new ArrayBlockingQueue<>(QUEUE_SIZE);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final CountDownLatch stop = new CountDownLatch(1);
    private final AtomicLong dropped = new AtomicLong();
    private volatile @Nullable Thread worker;

    // Below: only touched by the worker.
    private final EventCorrelator correlator = new EventCorrelator();
    private long lastNanos;
    /** Since drops were told last; empty for none. Of the worker. */
    private String lastFailure = "";

    private long loggedDrops;
    private Instant lastDropLog = Instant.MIN;

    /**
     * Starts writing on one thread of the executor, until {@link #close()}.
     *
     * @param component the scheduler's name: event source and reporting component
     * @param instance this process, such as the host name
     * @param wallClock for the times that users see
     * @param steady for durations
     */
    public EventWriter(
            KubeConnection connection,
            String component,
            String instance,
            InstantSource wallClock,
            InstantSource steady,
            Executor executor) {
        this(connection, component, instance, wallClock, steady, new SplittableRandom(), null, executor);
    }

    /** @param sleeper waits between tries; null waits really, and no longer than this writer is open */
    EventWriter(
            KubeConnection connection,
            String component,
            String instance,
            InstantSource wallClock,
            InstantSource steady,
            RandomGenerator random,
            @Nullable Sleeper sleeper,
            Executor executor) {
        this.connection = connection;
        this.component = component;
        this.bodies = new EventBody(instance);
        this.wallClock = wallClock;
        this.steady = steady;
        this.random = random;
        this.sleeper = sleeper == null ? this::pause : sleeper;
        executor.execute(this::run);
    }

    private void pause(Duration delay) throws InterruptedException {
        if (stop.await(delay.toNanos(), TimeUnit.NANOSECONDS)) {
            LOG.debug("closing: no more tries");
        }
    }

    private boolean isClosing() {
        return stop.getCount() == 0;
    }

    /**
     * Queues an event of this writer's own component.
     *
     * @param type Normal or Warning
     * @param message cut to 1024 bytes
     */
    public void record(PodReference pod, String type, String reason, String message) {
        record(pod, new EventText(component, type, reason, message, 0));
    }

    /** Queues an event; its message is cut to 1024 bytes. */
    public void record(PodReference pod, EventText text) {
        EventOccurrence event = new EventOccurrence(
                pod, text.withMessage(EventBody.cut(text.message())), wallClock.instant(), steady.instant());
        if (isClosing() || !queue.offer(event)) {
            dropped.incrementAndGet();
        }
    }

    /** Events not written so far: queue full, rate limit, refused or unreachable server. */
    public long dropped() {
        return dropped.get();
    }

    private void run() {
        worker = Thread.currentThread();
        try {
            while (true) {
                EventOccurrence event = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (event != null) {
                    write(event);
                } else if (isClosing()) {
                    return;
                }
                logDrops();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            worker = null;
            finished.countDown();
        }
    }

    private void write(EventOccurrence event) throws InterruptedException {
        EventCorrelator.@Nullable Correlated told = correlator.correlate(event).orElse(null);
        if (told == null) {
            dropped.incrementAndGet();
            return;
        }
        // The same for all tries: one whose answer was lost must not become a second event.
        String name = EventBody.name(event.pod().name(), uniqueNanos(event.time()));
        for (int tries = 1; !tryOnce(event, told, name, tries > 1); tries++) {
            if (tries == TRIES || isClosing()) {
                failed(event, "tried " + tries + " times");
                return;
            }
            // The first wait is a part of the time only, so that all clients of a server that comes back do not come at
            // once.
            sleeper.sleep(tries == 1 ? Duration.ofNanos((long) (RETRY.toNanos() * random.nextDouble())) : RETRY);
        }
    }

    /** Returns false when another try may help. */
    private boolean tryOnce(EventOccurrence event, EventCorrelator.Correlated told, String name, boolean again) {
        try {
            ApiResponse response = null;
            EventCorrelator.Recorded before = correlator.recorded(told.key(), event.at());
            if (before != null) {
                response = countUp(event, told, before);
            }
            // The event object no longer exists: events are deleted after an hour, or by hand.
            if (response == null || response.code() == NOT_FOUND) {
                response = create(event, told, name, again);
            }
            if (response.code() == TOO_MANY_REQUESTS || response.code() >= SERVER_ERROR) {
                LOG.debug("event {}: {}", told.text().reason(), response);
                return false;
            }
            if (!response.success() && !(again && response.code() == EXISTS)) {
                failed(event, response.toString());
            }
            return true;
        } catch (ApiIoException e) {
            LOG.debug("event {}: {}", told.text().reason(), e.getMessage());
            return false;
        } catch (RuntimeException e) {
            failed(event, e.toString());
            return true;
        }
    }

    private ApiResponse countUp(EventOccurrence event, EventCorrelator.Correlated told, EventCorrelator.Recorded before)
            throws ApiIoException {
        int count = before.count() + 1;
        String message = told.isCombined() ? told.text().message() : "";
        ApiResponse response = connection.patch(
                path(event.pod()) + "/" + before.eventName(),
                KubeConnection.MERGE_PATCH,
                bodies.count(count, message, event.time()));
        if (response.success()) {
            correlator.written(told.key(), new EventCorrelator.Recorded(before.eventName(), count, event.at()));
        }
        return response;
    }

    private ApiResponse create(EventOccurrence event, EventCorrelator.Correlated told, String name, boolean again)
            throws ApiIoException {
        PodReference pod = event.pod();
        ApiResponse response = connection.post(path(pod), bodies.create(name, pod, told.text(), event.time()));
        if (response.success() || (again && response.code() == EXISTS)) {
            correlator.written(told.key(), new EventCorrelator.Recorded(name, 1, event.at()));
        }
        return response;
    }

    /** Nanoseconds of the time, moved on when the clock has not: two events of a pod must not share a name. */
    private long uniqueNanos(Instant time) {
        long nanos = TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
        lastNanos = Math.max(nanos, lastNanos + 1);
        return lastNanos;
    }

    private void failed(EventOccurrence event, String why) {
        dropped.incrementAndGet();
        lastFailure = why;
        LOG.debug(
                "event {} of {}/{}: {}",
                event.text().reason(),
                event.pod().namespace(),
                event.pod().name(),
                why);
    }

    private void logDrops() {
        long now = dropped.get();
        if (now > loggedDrops && !steady.instant().minus(LOG_INTERVAL).isBefore(lastDropLog)) {
            LOG.warn("events not written: {}{}", now - loggedDrops, lastFailure.isEmpty() ? "" : "; " + lastFailure);
            lastFailure = "";
            loggedDrops = now;
            lastDropLog = steady.instant();
        }
    }

    private static String path(PodReference pod) {
        return "/api/v1/namespaces/" + pod.namespace() + "/events";
    }

    /** Writes what is queued, for at most two seconds; later events are dropped. */
    @Override
    public void close() {
        stop.countDown();
        try {
            if (!finished.await(FLUSH_MILLIS, TimeUnit.MILLISECONDS)) {
                Thread thread = worker;
                if (thread != null) {
                    thread.interrupt();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
