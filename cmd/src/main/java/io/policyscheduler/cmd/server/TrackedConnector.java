package io.policyscheduler.cmd.server;

import java.nio.channels.SelectableChannel;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;

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
}
