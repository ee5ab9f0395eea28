package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.RetryPause;
import io.policyscheduler.cmd.kube.connection.ApiStream;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The requests of one reflector, one at a time, by its thread; {@link #close()} ends the one under way, from any thread. */
final class ReflectorRequests implements AutoCloseable {
    private final KubeConnection connection;
    private final Duration idleTimeout;
    private final RetryPause pause;
    private final ServerContact contact;

    private volatile boolean closed;
    private volatile @Nullable ApiStream current;
    private boolean cutShort;

    ReflectorRequests(KubeConnection connection, Duration idleTimeout, RetryPause pause, ServerContact contact) {
        this.connection = connection;
        this.idleTimeout = idleTimeout;
        this.pause = pause;
        this.contact = contact;
    }

    boolean isClosed() {
        return closed;
    }

    /** A stream that {@link #close()} can cancel. */
    ApiStream stream(String path) throws ApiIoException {
        return begin(connection.stream(path, idleTimeout));
    }

    /** One whose answer may be in protobuf. */
    ApiStream protobufStream(String path) throws ApiIoException {
        return begin(connection.streamProtobuf(path, idleTimeout));
    }

    private ApiStream begin(ApiStream stream) {
        contact.unanswered();
        current = stream;
        if (closed) {
            stream.cancel();
        }
        return stream;
    }

    /** Sends the request and waits for the head of its answer. */
    InputStream answer(ApiStream stream) throws ApiIoException {
        RetryPause.Asking asking = pause.asking(stream::cancel);
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
        ApiStream stream = current;
        if (stream != null) {
            stream.cancel();
        }
    }

    @Override
    public void close() {
        closed = true;
        cancel();
    }
}
