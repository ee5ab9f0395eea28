package io.policyscheduler.cmd.server;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sockets from the moment that they are accepted until they end. Jetty forgets those that are on their way to become connections
 * while it stops: their clients would wait for an end that never comes. Thread-safe.
 */
final class AcceptedSockets implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptedSockets.class);

    private final Set<SelectableChannel> open = new HashSet<>();
    private boolean closed;

    /** False when nothing is accepted any more; the socket has then been ended. */
    boolean add(SelectableChannel channel) {
        boolean late;
        synchronized (this) {
            late = closed || !open.add(channel);
        }
        if (late) {
            close(channel);
        }
        return !late;
    }

    /** Ends a socket that becomes no connection. */
    void end(SelectableChannel channel) {
        remove(channel);
        close(channel);
    }

    /** A socket that has ended. */
    synchronized void remove(SelectableChannel channel) {
        open.remove(channel);
    }

    /** Number of sockets that are known to be open. */
    synchronized int count() {
        return open.size();
    }

    /** Ends those there are, and whatever is still accepted. */
    @Override
    public void close() {
        List<SelectableChannel> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(open);
            open.clear();
        }
        left.forEach(AcceptedSockets::close);
    }

    private static void close(SelectableChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing {} failed", channel, e);
        }
    }
}
