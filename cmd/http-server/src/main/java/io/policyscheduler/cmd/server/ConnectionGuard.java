package io.policyscheduler.cmd.server;

import io.policyscheduler.cmd.server.WebServer.Limits;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the time and the number of connections of slow or malicious clients: a request must arrive and a response must be read
 * within a timeout, and if all connections are in use, one without a running request is closed. Thread-safe.
 */
final class ConnectionGuard implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionGuard.class);

    private enum Phase {
        /** A request is being received, or the connection is new. */
        READING,
        /** A handler processes the request. */
        WORKING,
        /** The response is being sent. */
        ANSWERING,
        /** Between two requests. */
        IDLE
    }

    private static final class Track {
        private Phase phase = Phase.READING;
        private long since;
        private long bytesIn;
    }

    private final int limit;
    private final Duration request;
    private final Duration answer;
    private final LongSupplier nanos;
    private final Map<Connection, Track> open = new LinkedHashMap<>();

    /** @param nanos a monotonic clock, as {@link System#nanoTime} */
    ConnectionGuard(Limits limits, LongSupplier nanos) {
        this.limit = limits.connections();
        this.request = limits.request();
        this.answer = limits.answer();
        this.nanos = nanos;
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof SslConnection) {
            // The HTTP connection inside it exists from the start of the handshake.
            return;
        }
        List<Connection> closing = new ArrayList<>();
        synchronized (this) {
            Track track = new Track();
            track.since = nanos.getAsLong();
            open.put(connection, track);
            if (open.size() > limit) {
                Connection victim = oldest(Phase.READING, connection);
                victim = victim == connection ? oldest(Phase.IDLE, connection) : victim;
                open.remove(victim);
                closing.add(victim);
            }
        }
        close(closing, "too many connections");
    }

    private Connection oldest(Phase phase, Connection otherwise) {
        long now = nanos.getAsLong();
        return open.entrySet().stream()
                .filter(entry -> entry.getValue().phase == phase)
                .max(Comparator.comparingLong(entry -> now - entry.getValue().since))
                .map(Map.Entry::getKey)
                .orElse(otherwise);
    }

    @Override
    public synchronized void onClosed(Connection connection) {
        open.remove(connection);
    }

    /** The request has arrived completely. */
    void working(Connection connection) {
        enter(connection, Phase.WORKING);
    }

    /** The response is being sent; a stream remains {@link #working}. */
    void answering(Connection connection) {
        enter(connection, Phase.ANSWERING);
    }

    /** The client has received the response. */
    void answered(Connection connection) {
        enter(connection, Phase.IDLE);
    }

    private synchronized void enter(Connection connection, Phase phase) {
        Track track = open.get(connection);
        if (track != null) {
            track.phase = phase;
            track.since = nanos.getAsLong();
            track.bytesIn = connection.getBytesIn();
        }
    }

    /** Number of open connections. */
    synchronized int openConnections() {
        return open.size();
    }

    /** Closes connections that exceed a timeout; called about once a second. */
    void sweep() {
        List<Connection> closing = new ArrayList<>();
        synchronized (this) {
            long now = nanos.getAsLong();
            open.forEach((connection, track) -> {
                if (track.phase == Phase.IDLE && connection.getBytesIn() != track.bytesIn) {
                    track.phase = Phase.READING;
                    track.since = now;
                }
            });
            Predicate<Track> late = track -> switch (track.phase) {
                case READING -> now - track.since > request.toNanos();
                case ANSWERING -> now - track.since > answer.toNanos();
                case WORKING, IDLE -> false;
            };
            open.forEach((connection, track) -> {
                if (late.test(track)) {
                    closing.add(connection);
                }
            });
            closing.forEach(open::remove);
        }
        close(closing, "too slow");
    }

    private static void close(List<Connection> connections, String why) {
        for (Connection connection : connections) {
            LOG.debug("closing {}: {}", connection, why);
            connection.getEndPoint().close();
        }
    }

    /** A connector that closes all its sockets when it stops, in any state. */
    static final class Connector extends ServerConnector {
        private final AcceptedSockets sockets = new AcceptedSockets();

        /** One acceptor and one selector. */
        Connector(Server server, ConnectionFactory... factories) {
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
                        // Does not use selectors, which are gone after a stop.
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

        /** Number of open sockets. */
        int sockets() {
            return sockets.count();
        }

        /** Closes the remaining sockets after the stop. */
        void endSockets() {
            sockets.close();
        }

        /**
         * The open sockets, from accept to close. While Jetty stops, it does not close accepted sockets that are not yet
         * connections, so that their clients would wait forever. Thread-safe.
         */
        static final class AcceptedSockets implements AutoCloseable {
            private static final Logger LOG = LoggerFactory.getLogger(AcceptedSockets.class);

            private final Set<SelectableChannel> open = new HashSet<>();
            private boolean closed;

            /** False after the end of accepting; the socket is then closed. */
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

            /** Closes a socket that does not become a connection. */
            void end(SelectableChannel channel) {
                remove(channel);
                close(channel);
            }

            /** Removes a closed socket. */
            synchronized void remove(SelectableChannel channel) {
                open.remove(channel);
            }

            /** Number of open sockets. */
            synchronized int count() {
                return open.size();
            }

            /** Closes all sockets, and those that are still accepted. */
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
}
