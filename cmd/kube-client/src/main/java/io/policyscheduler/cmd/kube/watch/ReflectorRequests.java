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

/** The requests of one reflector, one at a time, by its thread; {@link #close()} ends the one under way, from any thread. */
final class ReflectorRequests implements AutoCloseable {
    private final KubeConnection connection;
    private final Duration idleTimeout;
    private final Bounds pause;
    private final Contact contact;

    private volatile boolean closed;
    private volatile @Nullable Stream current;
    private boolean cutShort;

    ReflectorRequests(KubeConnection connection, Duration idleTimeout, Bounds pause, Contact contact) {
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

    /** One whose answer may be in protobuf. */
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

    /** Sends the request and waits for the head of its answer. */
    InputStream answer(Stream stream) throws ApiIoException {
        Bounds.Asking asking = pause.asking(stream::cancel);
        cutShort = false;
        InputStream in;
        try {
            in = stream.open();
        } finally {
            cutShort = asking.end();
        }
        contact.nothingMissing();
        return in;
    }

    /** The answer is what was asked for. */
    void succeeded() {
        if (!closed) {
            contact.connected();
        }
    }

    /**
     * Whether the last request was cut short because the server is back, so that what failed since says nothing about it; true
     * once only.
     */
    boolean takeCutShort() {
        boolean was = cutShort;
        cutShort = false;
        return was;
    }

    /** Ends the request under way; any thread. */
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
        /** For watches that are answered and end at once: nothing is wrong with the server, so changes must not be missed for long. */
        private final Backoff shortWatches;

        RetryDelays(ReflectorRequests requests, Bounds pause, RandomGenerator random) {
            this.requests = requests;
            this.pause = pause;
            this.failures = Backoff.forWatch(random);
            this.shortWatches = Backoff.forShortWatches(random);
        }

        /** @param told how long the server wants to be left alone */
        void afterFailure(Optional<Duration> told) throws InterruptedException {
            backOff(told, failures);
        }

        void afterShortWatch() throws InterruptedException {
            backOff(Optional.empty(), shortWatches);
        }

        /** A watch works: what failed is past. */
        void healthy() {
            failures.reset();
            shortWatches.reset();
        }

        private void backOff(Optional<Duration> told, Backoff delays) throws InterruptedException {
            if (requests.takeCutShort() || pause.await(told.isPresent() ? told.get() : delays.next())) {
                delays.reset();
            }
        }
    }

    /**
     * Whether the server answers one reflector: told to its listener and to all that wait for the same server when it changes, and
     * to whoever asks. Written by the reflector's thread only.
     */
    static final class Contact {
        private final Listener<?> listener;
        private final Bounds pause;
        private final InstantSource clock;
        /** Since when an answer is missing; null while the server answers, or has not been asked. */
        private volatile @Nullable Instant unansweredSince;

        private boolean connected;
        private boolean everConnected;

        Contact(Listener<?> listener, Bounds pause, InstantSource clock) {
            this.listener = listener;
            this.pause = pause;
            this.clock = clock;
        }

        /** For how long the server has not answered; empty while it does, and when there is nothing to ask it for. Any thread. */
        Optional<Duration> unansweredFor() {
            Instant since = unansweredSince;
            return since == null ? Optional.empty() : Optional.of(Duration.between(since, clock.instant()));
        }

        boolean isConnected() {
            return connected;
        }

        /** An answer is missing from now on, if it has not been missing before. */
        void unanswered() {
            if (unansweredSince == null) {
                unansweredSince = clock.instant();
            }
        }

        /** No answer is missing: there was one, or there is nothing to ask for. */
        void nothingMissing() {
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
         * The last request was in vain.
         *
         * @return whether the listener was told; false when it knows
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

        /** What this reflector hears says nothing about the server for now. */
        void leave() {
            if (connected) {
                connected = false;
                pause.disconnected();
            }
        }
    }
}
