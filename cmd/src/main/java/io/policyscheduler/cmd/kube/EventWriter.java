package io.policyscheduler.cmd.kube;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records core/v1 events about pods, best effort: {@link #record} never blocks, a thread of the given executor writes.
 * Equal events within ten minutes are counted in one object, a pod's events are rate-limited, and what does not fit the
 * queue is dropped and counted (client-go tools/record).
 */
public final class EventWriter implements AutoCloseable {
    static final int QUEUE_SIZE = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(EventWriter.class);
    private static final Duration SAME_EVENT = Duration.ofMinutes(10);
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
    private static final long FLUSH_MILLIS = 2000;
    private static final long POLL_MILLIS = 200;
    private static final int REMEMBERED = 4096;
    private static final int NOT_FOUND = 404;

    private final KubeConnection connection;
    private final String component;
    private final EventBody bodies;
    private final Clock clock;
    private final BlockingQueue<Occurrence> queue = new ArrayBlockingQueue<>(QUEUE_SIZE);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final AtomicLong dropped = new AtomicLong();
    private volatile boolean closing;
    private volatile @Nullable Thread worker;

    // Below: only touched by the worker.
    private final Map<EventKey, Recorded> recorded = new LruMap<>(REMEMBERED);
    private final Map<String, EventBudget> budgets = new LruMap<>(REMEMBERED);
    private long lastNanos;
    private long loggedDrops;
    private Instant lastDropLog = Instant.MIN;

    private record Occurrence(PodReference pod, EventText text, Instant time) {
        EventKey key() {
            return new EventKey(pod.uid(), text.type(), text.reason(), text.message());
        }
    }

    private record EventKey(String podUid, String type, String reason, String message) {}

    private record Recorded(String eventName, int count, Instant last) {}

    /**
     * Starts writing on one thread of the executor, until {@link #close()}.
     *
     * @param component the scheduler's name: event source and reporting component
     * @param instance this process, such as the host name
     */
    public EventWriter(KubeConnection connection, String component, String instance, Clock clock, Executor executor) {
        this.connection = connection;
        this.component = component;
        this.bodies = new EventBody(instance);
        this.clock = clock;
        executor.execute(this::run);
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
        Occurrence event = new Occurrence(pod, text.withMessage(EventBody.cut(text.message())), clock.instant());
        if (closing || !queue.offer(event)) {
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
                Occurrence event = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (event != null) {
                    write(event);
                } else if (closing) {
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

    private void write(Occurrence event) {
        EventBudget budget = budgets.computeIfAbsent(event.pod().uid(), uid -> new EventBudget(event.time()));
        if (!budget.tryTake(event.time())) {
            dropped.incrementAndGet();
            return;
        }
        try {
            Recorded before = recorded.get(event.key());
            if (before != null && Duration.between(before.last(), event.time()).compareTo(SAME_EVENT) < 0) {
                if (countUp(event, before)) {
                    return;
                }
            }
            create(event);
        } catch (ApiIoException e) {
            failed(event, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            failed(event, e.toString());
        }
    }

    /** False when the event object no longer exists: events are deleted after an hour, or by hand. */
    private boolean countUp(Occurrence event, Recorded before) throws ApiIoException {
        int count = before.count() + 1;
        ApiResponse response = connection.patch(
                path(event.pod()) + "/" + before.eventName(),
                KubeConnection.MERGE_PATCH,
                bodies.count(count, event.time()));
        if (response.code() == NOT_FOUND) {
            return false;
        }
        if (response.success()) {
            recorded.put(event.key(), new Recorded(before.eventName(), count, event.time()));
        } else {
            failed(event, response.toString());
        }
        return true;
    }

    private void create(Occurrence event) throws ApiIoException {
        PodReference pod = event.pod();
        String name = pod.name() + "." + Long.toHexString(uniqueNanos(event.time()));
        ApiResponse response = connection.post(path(pod), bodies.create(name, pod, event.text(), event.time()));
        if (response.success()) {
            recorded.put(event.key(), new Recorded(name, 1, event.time()));
        } else {
            failed(event, response.toString());
        }
    }

    /** Nanoseconds of the time, moved on when the clock has not: two events of a pod must not share a name. */
    private long uniqueNanos(Instant time) {
        long nanos = TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
        lastNanos = Math.max(nanos, lastNanos + 1);
        return lastNanos;
    }

    private void failed(Occurrence event, String why) {
        dropped.incrementAndGet();
        LOG.debug(
                "event {} of {}/{}: {}",
                event.text().reason(),
                event.pod().namespace(),
                event.pod().name(),
                why);
    }

    private void logDrops() {
        long now = dropped.get();
        if (now > loggedDrops && !clock.instant().minus(LOG_INTERVAL).isBefore(lastDropLog)) {
            LOG.warn("events not written: {}", now - loggedDrops);
            loggedDrops = now;
            lastDropLog = clock.instant();
        }
    }

    private static String path(PodReference pod) {
        return "/api/v1/namespaces/" + pod.namespace() + "/events";
    }

    /** Writes what is queued, for at most two seconds; later events are dropped. */
    @Override
    public void close() {
        closing = true;
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
