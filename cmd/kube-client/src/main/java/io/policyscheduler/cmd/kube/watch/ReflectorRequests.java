package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse.Stream;
import io.policyscheduler.cmd.kube.connection.Backoff;
import io.policyscheduler.cmd.kube.connection.Backoff.Bounds;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The requests of one reflector, one at a time, on its thread; {@link #close()} cancels the running one from any thread. */
final class ReflectorRequests implements AutoCloseable {
    private final KubeConnection connection;
    private final Duration idleTimeout;
    private final Bounds pause;
    private final ServerContact contact;

    private volatile boolean closed;
    private volatile @Nullable Stream current;
    private boolean cutShort;

    ReflectorRequests(KubeConnection connection, Duration idleTimeout, Bounds pause, ServerContact contact) {
        this.connection = connection;
        this.idleTimeout = idleTimeout;
        this.pause = pause;
        this.contact = contact;
    }

    boolean isClosed() {
        return closed;
    }

    /** A stream that {@link #close()} can cancel. */
    Stream stream(String path) throws ApiIoException {
        return begin(connection.stream(path, idleTimeout));
    }

    /** A request whose response may be in protobuf. */
    Stream protobufStream(String path) throws ApiIoException {
        return begin(connection.streamProtobuf(path, idleTimeout));
    }

    private Stream begin(Stream stream) {
        contact.unanswered();
        current = stream;
        if (closed) {
            stream.cancel();
        }
        return stream;
    }

    /** Sends the request and waits for the response head. */
    InputStream answer(Stream stream) throws ApiIoException {
        Bounds.PendingRequest asking = pause.asking(stream::cancel);
        cutShort = false;
        InputStream in;
        try {
            in = stream.open();
        } finally {
            cutShort = asking.end();
        }
        contact.answered();
        return in;
    }

    /** Records a successful response. */
    void succeeded() {
        if (!closed) {
            contact.connected();
        }
    }

    /**
     * Whether the last request was canceled because the server has recovered, so that its failure does not count; true once only.
     */
    boolean takeCanceled() {
        boolean was = cutShort;
        cutShort = false;
        return was;
    }

    /** Cancels the running request; any thread. */
    void cancel() {
        Stream stream = current;
        if (stream != null) {
            stream.cancel();
        }
    }

    @Override
    public void close() {
        closed = true;
        cancel();
    }

    /** The delays of a reflector before its next request. */
    static final class RetryDelays {
        private final ReflectorRequests requests;
        private final Bounds pause;
        private final Backoff failures;
        /**
         * Backoff of watches that end immediately after a successful response: the server is healthy, so that changes must not be
         * delayed for long.
         */
        private final Backoff shortWatches;

        RetryDelays(ReflectorRequests requests, Bounds pause, RandomGenerator random) {
            this.requests = requests;
            this.pause = pause;
            this.failures = Backoff.forWatch(random);
            this.shortWatches = Backoff.forShortWatches(random);
        }

        /** @param retryAfter the server's {@code Retry-After} */
        void afterFailure(Optional<Duration> retryAfter) throws InterruptedException {
            backOff(retryAfter, failures);
        }

        void afterShortWatch() throws InterruptedException {
            backOff(Optional.empty(), shortWatches);
        }

        /** Resets the backoff after a healthy watch. */
        void healthy() {
            failures.reset();
            shortWatches.reset();
        }

        private void backOff(Optional<Duration> retryAfter, Backoff delays) throws InterruptedException {
            if (requests.takeCanceled() || pause.await(retryAfter.isPresent() ? retryAfter.get() : delays.next())) {
                delays.reset();
            }
        }
    }

    /**
     * Whether the server responds to one reflector, for its listener, for the other reflectors of the connection, and for status
     * pages. Written by the reflector's thread only.
     */
    static final class ServerContact {
        private final Listener<?> listener;
        private final Bounds pause;
        private final InstantSource clock;
        /** Start of the outage; null while the server responds, or before the first request. */
        private volatile @Nullable Instant unansweredSince;

        private boolean connected;
        private boolean everConnected;

        ServerContact(Listener<?> listener, Bounds pause, InstantSource clock) {
            this.listener = listener;
            this.pause = pause;
            this.clock = clock;
        }

        /** Time since the server stopped responding; empty while it responds, and if there is no resource. Any thread. */
        Optional<Duration> unansweredFor() {
            Instant since = unansweredSince;
            return since == null ? Optional.empty() : Optional.of(Duration.between(since, clock.instant()));
        }

        boolean isConnected() {
            return connected;
        }

        /** Starts an outage, if there is none. */
        void unanswered() {
            if (unansweredSince == null) {
                unansweredSince = clock.instant();
            }
        }

        /** Ends the outage after a response, or because there is no resource. */
        void answered() {
            unansweredSince = null;
        }

        void connected() {
            if (!connected) {
                connected = true;
                everConnected = true;
                pause.connected();
                listener.onConnected();
            }
        }

        /**
         * The last request failed.
         *
         * @return whether the listener was called; false if the state has not changed
         */
        boolean disconnected(String why) {
            if (!connected && everConnected) {
                return false;
            }
            everConnected = true;
            leave();
            listener.onDisconnected(why);
            return true;
        }

        /** Removes this reflector from the state of the server. */
        void leave() {
            if (connected) {
                connected = false;
                pause.disconnected();
            }
        }
    }
}
