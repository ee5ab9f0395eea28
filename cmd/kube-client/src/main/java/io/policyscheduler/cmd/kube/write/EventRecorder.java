package io.policyscheduler.cmd.kube.write;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * Records events about pods, best effort: {@link #record} never blocks, and a thread of the given executor writes in the API
 * version of the server ({@link EventApi}). A failed write is retried up to twelve times, every ten seconds; events that exceed
 * the queue meanwhile are dropped and counted. Mirrors client-go {@code tools/record} and {@code tools/events}.
 */
public final class EventRecorder implements AutoCloseable {
    static final int QUEUE_SIZE = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
    private static final long FLUSH_MILLIS = 2000;
    private static final long POLL_MILLIS = 200;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final int TRIES = 12;
    /** The name is unique: an earlier request was executed, but its response was lost. */
    private static final int EXISTS = 409;

    private static final Duration RETRY = Duration.ofSeconds(10);
    /** Interval of checks for series. */
    private static final Duration DUE_INTERVAL = Duration.ofSeconds(1);

    private final KubeConnection connection;
    private final String component;
    private final String instance;
    private final InstantSource wallClock;
    private final InstantSource steady;
    private final RandomGenerator random;
    private final Sleeper sleeper;
    private final BlockingQueue<EventOccurrence> queue = new ArrayBlockingQueue<>(QUEUE_SIZE);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final CountDownLatch stop = new CountDownLatch(1);
    private final AtomicLong dropped = new AtomicLong();
    private volatile @Nullable Thread worker;

    // The fields below are only for the worker.
    private EventApi api;
    private EventSink channel;
    private Instant nextDue = Instant.MIN;
    /** Drops since the last log line; empty for none. Belongs to the worker. */
    private String lastFailure = "";

    private long loggedDrops;
    private Instant lastDropLog = Instant.MIN;

    /**
     * Starts writing on one thread of the executor, until {@link #close()}.
     *
     * @param api version of events; if the newer one is forbidden, the older one is used
     * @param component the scheduler's name: event source and reporting component
     * @param instance name of this process, such as the host name
     * @param wallClock for timestamps
     * @param steady for durations
     */
    public EventRecorder(
            KubeConnection connection,
            EventApi api,
            String component,
            String instance,
            InstantSource wallClock,
            InstantSource steady,
            Executor executor) {
        this(connection, api, component, instance, wallClock, steady, new SplittableRandom(), null, executor);
    }

    /** @param sleeper waits between attempts; null waits in real time, until this recorder is closed */
    EventRecorder(
            KubeConnection connection,
            EventApi api,
            String component,
            String instance,
            InstantSource wallClock,
            InstantSource steady,
            RandomGenerator random,
            @Nullable Sleeper sleeper,
            Executor executor) {
        this.connection = connection;
        this.component = component;
        this.instance = instance;
        this.api = api;
        this.channel = api.open(connection, instance);
        this.wallClock = wallClock;
        this.steady = steady;
        this.random = random;
        this.sleeper = sleeper == null ? this::pause : sleeper;
        executor.execute(this::run);
    }

    private void pause(Duration delay) throws InterruptedException {
        if (stop.await(delay.toNanos(), TimeUnit.NANOSECONDS)) {
            LOG.debug("closing: no more retries");
        }
    }

    private boolean isClosing() {
        return stop.getCount() == 0;
    }

    /**
     * Queues an event with the component of this recorder.
     *
     * @param type Normal or Warning
     * @param message cut to 1024 bytes
     */
    public void record(ObjectReference pod, String type, String reason, String message) {
        record(pod, new EventText(component, type, reason, message, 0));
    }

    /**
     * Queues an event; its message is cut to 1024 bytes. An API server rejects events without a component, so that an event about
     * a pod whose scheduler name is unreadable has the component of this recorder.
     */
    public void record(ObjectReference pod, EventText text) {
        EventText complete = text.component().isEmpty() ? text.by(component) : text;
        EventOccurrence event = new EventOccurrence(pod, complete, wallClock.instant(), steady.instant());
        if (isClosing() || !queue.offer(event)) {
            dropped.incrementAndGet();
        }
    }

    /** Number of dropped events: queue full, rate limit, or failed writes. */
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
                writeDue();
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
        EventSink.EventResult result = channel.send(event);
        EventSink.Delivery delivery = result.delivery();
        if (result.dropped()) {
            dropped.incrementAndGet();
        } else if (delivery != null && !write(event.text().reason(), delivery)) {
            // A client without permission for the newer API may have it for the older one.
            api = EventApi.CORE;
            channel = api.open(connection, instance);
            write(event);
        }
    }

    /** Returns false if another API must be used. */
    private boolean write(String reason, EventSink.Delivery delivery) throws InterruptedException {
        for (int tries = 1; ; tries++) {
            ApiResponse response = tryOnce(reason, delivery, tries > 1);
            if (response != null && response.code() == FORBIDDEN && api != EventApi.CORE) {
                LOG.warn(
                        "W134 no permission to create events of {}, creating v1 events: {}",
                        api.groupVersion(),
                        response.message());
                return false;
            }
            if (response != null && response.code() != TOO_MANY_REQUESTS && response.code() < SERVER_ERROR) {
                if (!response.success() && !(tries > 1 && response.code() == EXISTS)) {
                    failed(reason, response.toString());
                }
                return true;
            }
            if (tries == TRIES || isClosing()) {
                failed(reason, "tried " + tries + " times");
                return true;
            }
            // The first delay is a random part of the period, so that the clients of a recovered server do not retry
            // simultaneously.
            sleeper.sleep(tries == 1 ? Duration.ofNanos((long) (RETRY.toNanos() * random.nextDouble())) : RETRY);
        }
    }

    /** Null without a response. */
    private static @Nullable ApiResponse tryOnce(String reason, EventSink.Delivery delivery, boolean again) {
        try {
            ApiResponse response = delivery.send(again);
            if (!response.success()) {
                LOG.debug("event {}: {}", reason, response);
            }
            return response;
        } catch (ApiIoException e) {
            LOG.debug("event {}: {}", reason, e.getMessage());
            return null;
        }
    }

    private void writeDue() throws InterruptedException {
        Instant now = steady.instant();
        if (now.isBefore(nextDue)) {
            return;
        }
        nextDue = now.plus(DUE_INTERVAL);
        for (EventSink.Delivery delivery : channel.due(now)) {
            if (!write("series", delivery)) {
                return;
            }
        }
    }

    private void failed(String reason, String why) {
        dropped.incrementAndGet();
        lastFailure = why;
        LOG.debug("event {}: {}", reason, why);
    }

    private void logDrops() {
        long now = dropped.get();
        if (now > loggedDrops && !steady.instant().minus(LOG_INTERVAL).isBefore(lastDropLog)) {
            LOG.warn("cannot write events: {}{}", now - loggedDrops, lastFailure.isEmpty() ? "" : "; " + lastFailure);
            lastFailure = "";
            loggedDrops = now;
            lastDropLog = steady.instant();
        }
    }

    /** Writes the queued events, for at most two seconds; later events are dropped. */
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

    /**
     * The text of an event.
     *
     * @param component the scheduler's name: event source and reporting component
     * @param type Normal or Warning
     * @param reason one word
     * @param message for users
     * @param generation of the profiles that made the decision, for an annotation; 0 for none
     * @param related another pod of the event; null for none
     */
    public record EventText(
            String component,
            String type,
            String reason,
            String message,
            long generation,
            @Nullable ObjectReference related) {
        /** An event about one pod. */
        public EventText(String component, String type, String reason, String message, long generation) {
            this(component, type, reason, message, generation, null);
        }

        EventText by(String other) {
            return new EventText(other, type, reason, message, generation, related);
        }

        /** The action, derived from the reason. */
        String action() {
            return switch (reason) {
                case "Scheduled" -> "Binding";
                case "Preempted" -> "Preempting";
                default -> "Scheduling";
            };
        }

        EventText withMessage(String other) {
            return new EventText(component, type, reason, other, generation, related);
        }
    }

    /**
     * An event to record.
     *
     * @param time timestamp
     * @param at by the steady clock
     */
    record EventOccurrence(ObjectReference pod, EventText text, Instant time, Instant at) {
        EventOccurrence withText(EventText other) {
            return new EventOccurrence(pod, other, time, at);
        }
    }

    /**
     * The object of an event.
     *
     * @param resourceVersion of the pod in the cache; empty if unknown
     */
    public record ObjectReference(String namespace, String name, String uid, String resourceVersion) {}

    /** Creates the writes of events in one version of the API. Used by the writing thread only. */
    interface EventSink {
        /** The write for an event. */
        EventResult send(EventOccurrence event);

        /**
         * Writes that are due without a new event.
         *
         * @param now by the steady clock
         */
        default List<Delivery> due(Instant now) {
            return List.of();
        }

        /** One write, which can be retried. */
        @FunctionalInterface
        interface Delivery {
            /**
             * Writes.
             *
             * @param again whether an earlier attempt may have been executed
             */
            ApiResponse send(boolean again) throws ApiIoException;
        }

        /**
         * The result of an event.
         *
         * @param delivery the write; null for none
         * @param dropped whether the event is lost
         */
        record EventResult(@Nullable Delivery delivery, boolean dropped) {
            /** The event is counted, and written later. */
            static final EventResult LATER = new EventResult(null, false);

            static final EventResult DROPPED = new EventResult(null, true);

            static EventResult of(Delivery delivery) {
                return new EventResult(delivery, false);
            }
        }
    }

    /** The API in which events are written. */
    public enum EventApi {
        /** Events of core/v1, which every server has. */
        CORE("v1"),
        /** Events of events.k8s.io/v1beta1, with actions and series; served from 1.14 to 1.24, and used by kube-scheduler up to 1.18. */
        EVENTS_BETA("events.k8s.io/v1beta1"),
        /** Events of events.k8s.io/v1, with actions and series. */
        EVENTS("events.k8s.io/v1");

        private final String groupVersion;

        EventApi(String groupVersion) {
            this.groupVersion = groupVersion;
        }

        /**
         * The API version for a server: events.k8s.io/v1, served since 1.19, else v1beta1, else core/v1.
         *
         * @param groupVersions all served versions
         */
        public static EventApi of(Set<String> groupVersions) {
            return List.of(EVENTS, EVENTS_BETA).stream()
                    .filter(api -> groupVersions.contains(api.groupVersion))
                    .findFirst()
                    .orElse(CORE);
        }

        /** The group and version, as in {@code apiVersion}. */
        String groupVersion() {
            return groupVersion;
        }

        EventSink open(KubeConnection connection, String instance) {
            return this == CORE ? new CoreEvents(connection, instance) : new SeriesEvents(connection, instance, this);
        }
    }

    /** Keeps the most recently used entries. */
    static final class LruMap<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1L;
        private final int limit;

        LruMap(int limit) {
            super(16, 0.75f, true);
            this.limit = limit;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > limit;
        }
    }
}
