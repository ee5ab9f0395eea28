package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.Backoff.Bounds;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.watch.ListLimits.Heap;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.kube.watch.Reflector.ResourceDiscovery.Paths;
import io.policyscheduler.cmd.kube.watch.ReflectorRequests.RetryDelays;
import io.policyscheduler.cmd.kube.watch.ReflectorRequests.ServerContact;
import io.policyscheduler.cmd.kube.watch.ReflectorWatch.Delivery;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.MessageType;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a listener up to date with one resource: list, then watch from the list's resourceVersion, until it is closed, on one
 * thread of its own (client-go tools/cache Reflector). After 410 or an error event, it lists again; after other failures, it
 * watches again.
 */
public final class Reflector<T> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
    private static final int NOT_FOUND = 404;

    private final ReflectorState position;
    private final ServerContact contact;
    private final ReflectorRequests requests;
    private final RetryDelays delays;
    private final ResourceDiscovery search;
    private final ReflectorList<T> listing;
    private final ReflectorWatch watch;

    private volatile boolean inDoubt;
    private @Nullable Thread thread;

    private Reflector(Builder<T> from) {
        Bounds pause = from.sleeper == null ? from.connection.outage() : Bounds.of(from.sleeper);
        Sleeper sleeper = from.sleeper == null ? Sleeper.REAL : from.sleeper;
        position = new ReflectorState(from.resource);
        contact = new ServerContact(from.listener, pause, from.clock);
        requests = new ReflectorRequests(from.connection, from.options.idleTimeout(), pause, contact);
        delays = new RetryDelays(requests, pause, from.random);
        search = new ResourceDiscovery(from.paths, position, contact, from.listener, sleeper);
        listing = new ReflectorList<>(
                position, requests, from.json, from.decoder, from.listener, from.options, Heap.OF_PROCESS, from.clock);
        Delivery<T> delivery = new Delivery<>(position, from.json, from.decoder, from.listener);
        watch = new ReflectorWatch(
                position,
                contact,
                requests,
                delays,
                delivery,
                from.options,
                from.random,
                from.clock,
                sleeper,
                ListLimits.longestObject(Heap.OF_PROCESS));
    }

    /**
     * Returns a builder of a reflector.
     *
     * @param resource URL path of the collection, such as {@code /api/v1/pods}; empty if the API server does not serve it
     * @param decoder reads an object; its parser does not intern field names
     * @param listener receives the lists and changes on the thread of the reflector
     */
    public static <T> Builder<T> of(
            KubeConnection connection, String resource, Decoder<T> decoder, Listener<T> listener) {
        return new Builder<>(connection, resource, decoder, listener);
    }

    /** A builder of a reflector. */
    public static final class Builder<T> {
        private final KubeConnection connection;
        private final String resource;
        private final Decoder<T> decoder;
        private final Listener<T> listener;
        private Paths paths;
        private JsonFactory json = ClusterFile.jsonFactory();
        private Options options = Options.defaults();
        private RandomGenerator random = new SplittableRandom();
        private InstantSource clock = SteadyClock.system();
        private @Nullable Sleeper sleeper;

        private Builder(KubeConnection connection, String resource, Decoder<T> decoder, Listener<T> listener) {
            this.connection = connection;
            this.resource = resource;
            this.decoder = decoder;
            this.listener = listener;
            this.paths = Paths.fixed(resource);
        }

        /** Discovers the path again if the API server responds with 404, and regularly while it does not serve the resource. */
        public Builder<T> paths(Paths discovery) {
            paths = discovery;
            return this;
        }

        /** Shares a JSON factory. It must have CANONICALIZE_FIELD_NAMES disabled. */
        public Builder<T> json(JsonFactory factory) {
            json = factory;
            return this;
        }

        public Builder<T> options(Options value) {
            options = value;
            return this;
        }

        /** Sets the source of jitter. */
        public Builder<T> random(RandomGenerator value) {
            random = value;
            return this;
        }

        /** Sets the clock for durations. */
        public Builder<T> clock(InstantSource value) {
            clock = value;
            return this;
        }

        /** Waits with this sleeper, and not together with the other reflectors of the connection. */
        Builder<T> sleeper(Sleeper value) {
            sleeper = value;
            return this;
        }

        public Reflector<T> build() {
            return new Reflector<>(this);
        }
    }

    /** Starts the thread; once only. */
    public synchronized void start(ThreadFactory threads) {
        if (thread != null || requests.isClosed()) {
            throw new IllegalStateException("the reflector of " + position.path() + " was already started or closed");
        }
        thread = threads.newThread(this::run);
        thread.start();
    }

    /** The resourceVersion of the last event that the listener has received; empty before the first list. Any thread. */
    public String resourceVersion() {
        return position.resourceVersion();
    }

    /**
     * Whether the listener has received everything that was in etcd at the first list; false before that list, and after one that
     * is {@linkplain Options#behind() stale} until the watch has caught up. Any thread.
     */
    public boolean isCurrent() {
        return position.isCurrent();
    }

    /** Ends the watch and lists again, in pages from storage. Any thread. */
    public void listFromStorage() {
        inDoubt = true;
        requests.cancel();
    }

    /** Time since the server stopped responding; empty while it responds, and if there is no resource. Any thread. */
    public Optional<Duration> unansweredFor() {
        return contact.unansweredFor();
    }

    /** Ends the thread promptly, also during a request; does not wait for a running listener call. */
    @Override
    public synchronized void close() {
        requests.close();
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void run() {
        try {
            while (!requests.isClosed()) {
                follow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            contact.leave();
        }
    }

    /** Lists if necessary, and runs one watch. */
    private void follow() throws InterruptedException {
        try {
            if (position.path().isEmpty()) {
                search.await();
            }
            if (inDoubt) {
                inDoubt = false;
                position.listFromStorage();
            }
            if (!position.isListed()) {
                listing.list();
            }
            if (!watch.watch()) {
                delays.afterShortWatch();
            }
        } catch (ApiIoException e) {
            if (e.code() != NOT_FOUND || !search.findElsewhere()) {
                retry(e, e.retryAfter());
            }
        } catch (IOException e) {
            retry(e, Optional.empty());
        } catch (RuntimeException e) {
            // After an exception, the state of the listener is unknown: list again.
            LOG.error("{}: listener failed, listing again", position.path(), e);
            position.listAgain();
            retry(e, Optional.empty());
        }
    }

    private void retry(Exception failure, Optional<Duration> requested) throws InterruptedException {
        if (requests.isClosed() || inDoubt) {
            return;
        }
        contact.unanswered();
        String why = ApiIoException.describe(failure);
        if (!contact.disconnected(why)) {
            LOG.debug("{}: {}", position.path(), why);
        }
        delays.afterFailure(requested);
    }

    /**
     * Receives the state and the changes of one resource, on the reflector's thread. Events can repeat or arrive late, as the
     * server sent them: the receiver compares them with its state.
     */
    public interface Listener<T> {
        /** The complete state, in the server's order; other known objects are deleted. */
        void onReplaced(List<T> items, String resourceVersion);

        void onAdded(T object);

        void onModified(T object);

        /** The object's last state. */
        void onDeleted(T object);

        /**
         * The complete state, with its unreadable objects.
         *
         * @param unreadable objects that exist but are not among {@code items}
         */
        default void onReplaced(List<T> items, List<Unreadable> unreadable, String resourceVersion) {
            unreadable.forEach(this::onUnreadable);
            onReplaced(items, resourceVersion);
        }

        /** One object was added or changed and is unreadable; it may have been readable before. */
        default void onUnreadable(Unreadable object) {}

        /** One object was deleted, and its last state is unreadable. */
        default void onUnreadableDeleted(Unreadable object) {}

        /** The server responds, for the first time or again. */
        default void onConnected() {}

        /** The server stopped responding, or rejects requests; retries continue and are not reported one by one. */
        default void onDisconnected(String why) {}
    }

    /**
     * How a {@link Reflector} lists and watches.
     *
     * @param fieldSelector such as {@code status.phase!=Succeeded}, not URL-encoded; null for all objects
     * @param pageSize objects per page
     * @param idleTimeout time without data after which a watch is reopened, to detect a dead connection; costs a request for
     *     resources without changes
     * @param minWatchInterval minimum time between the starts of two watches
     * @param protobuf decodes a large list in protobuf, which is cheaper for both sides; null for JSON only
     * @param behind whether a large first list may come from the watch cache of the server, which can be stale until the watch
     *     has caught up; see {@link Reflector#isCurrent()}
     */
    public record Options(
            @Nullable String fieldSelector,
            int pageSize,
            Duration idleTimeout,
            Duration minWatchInterval,
            @Nullable MessageType protobuf,
            boolean behind) {

        public static Options defaults() {
            return new Options(null, 500, Duration.ofSeconds(40), Duration.ofMillis(100), null, false);
        }

        public Options withFieldSelector(@Nullable String selector) {
            return new Options(selector, pageSize, idleTimeout, minWatchInterval, protobuf, behind);
        }

        public Options withIdleTimeout(Duration timeout) {
            return new Options(fieldSelector, pageSize, timeout, minWatchInterval, protobuf, behind);
        }

        public Options withProtobuf(@Nullable MessageType objects) {
            return new Options(fieldSelector, pageSize, idleTimeout, minWatchInterval, objects, behind);
        }

        public Options withBehind(boolean mayLagBehind) {
            return new Options(fieldSelector, pageSize, idleTimeout, minWatchInterval, protobuf, mayLagBehind);
        }
    }

    /** Discovers the path of a reflector's resource, and updates the reflector. */
    static final class ResourceDiscovery {
        private static final Logger LOG = LoggerFactory.getLogger(ResourceDiscovery.class);

        /** Interval of discovery while the server does not have the resource. */
        private static final Duration ABSENT_PERIOD = Duration.ofSeconds(30);

        private final Paths paths;
        private final ReflectorState position;
        private final ServerContact contact;
        private final Listener<?> listener;
        private final Sleeper sleeper;

        ResourceDiscovery(
                Paths paths, ReflectorState position, ServerContact contact, Listener<?> listener, Sleeper sleeper) {
            this.paths = paths;
            this.position = position;
            this.contact = contact;
            this.listener = listener;
            this.sleeper = sleeper;
        }

        /**
         * Discovers a resource that no longer exists at its path.
         *
         * @return false if discovery failed, so that the old path is retried
         */
        boolean findElsewhere() {
            String found;
            try {
                found = paths.find().orElse("");
            } catch (ApiIoException e) {
                LOG.debug("{}: {}", position.path(), e.getMessage());
                return false;
            }
            if (found.equals(position.path())) {
                return false;
            }
            LOG.info(
                    "the API server no longer serves {}{}",
                    position.path(),
                    found.isEmpty() ? "; it is treated as empty" : ", but " + found);
            moveTo(found);
            return true;
        }

        /** Returns once the server has the resource. */
        void await() throws InterruptedException {
            contact.answered();
            while (true) {
                sleeper.sleep(ABSENT_PERIOD);
                try {
                    String found = paths.find().orElse("");
                    if (!found.isEmpty()) {
                        LOG.info("the API server serves {} now", found);
                        moveTo(found);
                        return;
                    }
                } catch (ApiIoException e) {
                    LOG.debug("cannot discover a missing resource: {}", e.getMessage());
                }
            }
        }

        private void moveTo(String path) {
            position.moveTo(path);
            if (path.isEmpty()) {
                contact.leave();
                listener.onReplaced(List.of(), "");
            }
        }

        /** Discovers the path of a resource; upgrades add, move, and remove some. */
        @FunctionalInterface
        public interface Paths {
            /**
             * Discovers the path.
             *
             * @return the URL path of the collection, such as /apis/storage.k8s.io/v1/csidrivers; empty if the server does not
             *     have it
             * @throws ApiIoException if discovery fails
             */
            Optional<String> find() throws ApiIoException;

            /** A fixed path. */
            static Paths fixed(String path) {
                return () -> Optional.of(path);
            }
        }
    }
}
