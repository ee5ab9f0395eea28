package io.policyscheduler.cmd.server;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.io.SelectorManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sockets that have been accepted and are not yet connections, which Jetty forgets when it stops: their clients would wait for an
 * end that never comes. Thread-safe.
 */
final class AcceptedSockets implements SelectorManager.AcceptListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptedSockets.class);

    private final Set<SelectableChannel> pending = new HashSet<>();
    private boolean closed;

    @Override
    public void onAccepting(SelectableChannel channel) {
        boolean late;
        synchronized (this) {
            late = closed;
            if (!late) {
                pending.add(channel);
            }
        }
        if (late) {
            end(channel);
        }
    }

    @Override
    public synchronized void onAccepted(SelectableChannel channel) {
        pending.remove(channel);
    }

    @Override
    public synchronized void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        pending.remove(channel);
    }

    /** Ends those there are, and whatever is still accepted. */
    @Override
    public void close() {
        List<SelectableChannel> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(pending);
            pending.clear();
        }
        left.forEach(AcceptedSockets::end);
    }

    private static void end(SelectableChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing {} failed", channel, e);
        }
    }
}
