package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.RetryPause;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
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

    private final ReflectorPosition position;
    private final ServerContact contact;
    private final ReflectorRequests requests;
    private final RetryDelays delays;
    private final ResourceSearch search;
    private final ResourceListing<T> listing;
    private final ResourceWatch watch;

    private volatile boolean inDoubt;
    private @Nullable Thread thread;

    /**
     * One that shares what it learns about the server with all others of the connection.
     *
     * @param resource URL path of the collection, such as /api/v1/pods
     * @param json with CANONICALIZE_FIELD_NAMES off
     * @param clock for durations
     */
    public Reflector(
            KubeConnection connection,
            String resource,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock) {
        this(connection, resource, ResourcePath.fixed(resource), json, decoder, listener, options, random, clock);
    }

    /**
     * One for a resource that the server may not have, or not any more at this path.
     *
     * @param resource URL path of the collection, empty when the server does not have it
     * @param paths asked again when the server does not know the path (404), and now and then while it does not have the resource
     */
    public Reflector(
            KubeConnection connection,
            String resource,
            ResourcePath paths,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock) {
        this(
                connection,
                resource,
                paths,
                json,
                decoder,
                listener,
                options,
                random,
                clock,
                Sleeper.REAL,
                connection.outage());
    }

    /** One that learns of the server for itself. */
    Reflector(
            KubeConnection connection,
            String resource,
            ResourcePath paths,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock,
            Sleeper sleeper) {
        this(
                connection,
                resource,
                paths,
                json,
                decoder,
                listener,
                options,
                random,
                clock,
                sleeper,
                RetryPause.of(sleeper));
    }

    private Reflector(
            KubeConnection connection,
            String resource,
            ResourcePath paths,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock,
            Sleeper sleeper,
            RetryPause pause) {
        position = new ReflectorPosition(resource);
        contact = new ServerContact(listener, pause, clock);
        requests = new ReflectorRequests(connection, options.idleTimeout(), pause, contact);
        delays = new RetryDelays(requests, pause, random);
        search = new ResourceSearch(paths, position, contact, listener, sleeper);
        listing = new ResourceListing<>(position, requests, json, decoder, listener, options);
        WatchDelivery<T> delivery = new WatchDelivery<>(position, json, decoder, listener);
        watch = new ResourceWatch(position, contact, requests, delays, delivery, options, random, clock, sleeper);
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
     * and after one that is {@linkplain ReflectorOptions#behind() behind} until the watch has caught up. Any thread.
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
}
