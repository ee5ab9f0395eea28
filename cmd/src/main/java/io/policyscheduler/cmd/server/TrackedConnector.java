package io.policyscheduler.cmd.server;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connector all of whose sockets end with it, wherever they are on their way when it stops. */
final class TrackedConnector extends ServerConnector {
    private final AcceptedSockets sockets = new AcceptedSockets();

    /** One thread accepts, one waits for all connections. */
    TrackedConnector(Server server, ConnectionFactory... factories) {
        super(server, null, null, null, 1, 1, factories);
        getSelectorManager().addEventListener(new SelectorManager.AcceptListener() {
            @Override
            public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
                sockets.end(channel);
            }
        });
    }

    @Override
    protected SelectorManager newSelectorManager(Executor executor, Scheduler scheduler, int selectors) {
        return new ServerConnectorManager(executor, scheduler, selectors) {
            @Override
            public void accept(SelectableChannel channel, Object attachment) {
                if (!sockets.add(channel)) {
                    return;
                }
                try {
                    super.accept(channel, attachment);
                } catch (RuntimeException e) {
                    // Without selectors, which a stop takes away.
                    sockets.end(channel);
                    throw e;
                }
            }

            @Override
            protected void endPointClosed(EndPoint endPoint) {
                if (endPoint instanceof SocketChannelEndPoint socket) {
                    sockets.remove(socket.getChannel());
                }
                super.endPointClosed(endPoint);
            }
        };
    }

    /** Number of sockets that have not ended. */
    int sockets() {
        return sockets.count();
    }

    /** Ends what is left once it has stopped. */
    void endSockets() {
        sockets.close();
    }

    /**
     * Sockets from the moment that they are accepted until they end. Jetty forgets those that are on their way to become connections
     * while it stops: their clients would wait for an end that never comes. Thread-safe.
     */
    static final class AcceptedSockets implements AutoCloseable {
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
}
