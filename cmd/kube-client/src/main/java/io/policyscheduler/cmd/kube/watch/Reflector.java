package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.Backoff.Bounds;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.kube.watch.Reflector.ResourceDiscovery.Paths;
import io.policyscheduler.cmd.kube.watch.ReflectorRequests.Contact;
import io.policyscheduler.cmd.kube.watch.ReflectorRequests.RetryDelays;
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
 * Keeps a listener up to date with one resource: list, then watch from the list's resourceVersion, for ever, on one thread
 * of its own (client-go tools/cache Reflector). Lists again after 410 or an error event, watches again after everything
 * else.
 */
public final class Reflector<T> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
    private static final int NOT_FOUND = 404;

    private final ReflectorState position;
    private final Contact contact;
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
        contact = new Contact(from.listener, pause, from.clock);
        requests = new ReflectorRequests(from.connection, from.options.idleTimeout(), pause, contact);
        delays = new RetryDelays(requests, pause, from.random);
        search = new ResourceDiscovery(from.paths, position, contact, from.listener, sleeper);
        listing = new ReflectorList<>(position, requests, from.json, from.decoder, from.listener, from.options);
        Delivery<T> delivery = new Delivery<>(position, from.json, from.decoder, from.listener);
        watch = new ReflectorWatch(
                position, contact, requests, delays, delivery, from.options, from.random, from.clock, sleeper);
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

    /** The version up to which the listener has been told everything; empty before the first list. Any thread. */
    public String resourceVersion() {
        return position.resourceVersion();
    }

    /**
     * Whether the listener has been told everything that storage had when the resource was listed first; false before that list,
     * and after one that is {@linkplain Options#behind() behind} until the watch has caught up. Any thread.
     */
    public boolean isCurrent() {
        return position.isCurrent();
    }

    /** Ends the watch and lists again, in pages from storage. Any thread. */
    public void listFromStorage() {
        inDoubt = true;
        requests.cancel();
    }

    /** For how long the server has not answered; empty while it does, and when there is nothing to ask it for. Any thread. */
    public Optional<Duration> unansweredFor() {
        return contact.unansweredFor();
    }

    /** Ends the thread promptly, also in the middle of a request; a listener call under way is not waited for. */
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

    /** Lists if need be, and watches once. */
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
            if (e.code() != NOT_FOUND || position.isListed() || !search.findElsewhere()) {
                retry(e, e.retryAfter());
            }
        } catch (IOException e) {
            retry(e, Optional.empty());
        } catch (RuntimeException e) {
            // The listener's state is in doubt after it has thrown: give it the whole state again.
            LOG.error("{}: listener failed, listing again", position.path(), e);
            position.listAgain();
            retry(e, Optional.empty());
        }
    }

    private void retry(Exception failure, Optional<Duration> told) throws InterruptedException {
        if (requests.isClosed() || inDoubt) {
            return;
        }
        contact.unanswered();
        String why = ApiIoException.describe(failure);
        if (!contact.disconnected(why)) {
            LOG.debug("{}: {}", position.path(), why);
        }
        delays.afterFailure(told);
    }

    /**
     * Receives one resource's state and changes, all on the reflector's thread. Events may repeat or arrive late, exactly as
     * the server sent them: the receiver compares with what it has.
     */
    public interface Listener<T> {
        /** The complete state, in the server's order; what is not in it no longer exists. */
        void onReplaced(List<T> items, String resourceVersion);

        void onAdded(T object);

        void onModified(T object);

        /** The object's last state. */
        void onDeleted(T object);

        /**
         * The complete state again, with what of it could not be read.
         *
         * @param unreadable objects that exist but are not among {@code items}
         */
        default void onReplaced(List<T> items, List<Unreadable> unreadable, String resourceVersion) {
            unreadable.forEach(this::onUnreadable);
            onReplaced(items, resourceVersion);
        }

        /** One object was added or changed and could not be read; it may have been readable before. */
        default void onUnreadable(Unreadable object) {}

        /** One object is gone, and its last state could not be read. */
        default void onUnreadableDeleted(Unreadable object) {}

        /** The server answers, for the first time or again. */
        default void onConnected() {}

        /** The server no longer answers, or refuses, or does so from the start; retries go on, and are not told one by one. */
        default void onDisconnected(String why) {}
    }

    /**
     * How a {@link Reflector} lists and watches.
     *
     * @param fieldSelector such as {@code status.phase!=Succeeded}, not URL-encoded; null for all objects
     * @param pageSize objects a list page
     * @param idleTimeout silence after which a watch is opened anew, so that a dead connection is left; costs a request for what does
     *     not change
     * @param minWatchInterval least time between the starts of two watches
     * @param protobuf how the objects are read where the server sends a large list in protobuf, which costs it and this program less;
     *     null if they are only to be had in JSON
     * @param behind whether a large first list may be one that the server has in memory and that may lag behind, for the watch to catch
     *     up with; {@link Reflector#isCurrent()} tells when it has
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

    /** Finds out where the server has a reflector's resource, and moves the reflector there. */
    static final class ResourceDiscovery {
        private static final Logger LOG = LoggerFactory.getLogger(ResourceDiscovery.class);

        /** Between two looks whether the server has the resource by now. */
        private static final Duration ABSENT_PERIOD = Duration.ofSeconds(30);

        private final Paths paths;
        private final ReflectorState position;
        private final Contact contact;
        private final Listener<?> listener;
        private final Sleeper sleeper;

        ResourceDiscovery(
                Paths paths, ReflectorState position, Contact contact, Listener<?> listener, Sleeper sleeper) {
            this.paths = paths;
            this.position = position;
            this.contact = contact;
            this.listener = listener;
            this.sleeper = sleeper;
        }

        /**
         * Looks where the server has a resource that it does not have where it was.
         *
         * @return false when nothing was found out, so that the old place has to be tried again
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
            contact.nothingMissing();
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

        /** Finds where a server has a resource; upgrades add, move and remove some. */
        @FunctionalInterface
        public interface Paths {
            /**
             * Asks the server.
             *
             * @return the URL path of the collection, such as /apis/storage.k8s.io/v1/csidrivers; empty when the server does not have it
             * @throws ApiIoException when the server does not say
             */
            Optional<String> find() throws ApiIoException;

            /** One that is where it always was. */
            static Paths fixed(String path) {
                return () -> Optional.of(path);
            }
        }
    }
}
