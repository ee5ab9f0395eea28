package io.policyscheduler.cmd.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.server.ConnectionGuard.Connector.AcceptedSockets;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

class AcceptedSocketsTest {
    private final AcceptedSockets sockets = new AcceptedSockets();

    @Test
    void endsWhatIsLeft() throws IOException {
        SocketChannel waiting = SocketChannel.open();
        SocketChannel refused = SocketChannel.open();
        try (SocketChannel gone = SocketChannel.open()) {
            assertTrue(sockets.add(waiting));
            assertTrue(sockets.add(gone));
            assertTrue(sockets.add(refused));
            assertEquals(3, sockets.count());
            sockets.remove(gone);
            sockets.end(refused);
            assertFalse(refused.isOpen());
            assertEquals(1, sockets.count());
            sockets.close();

            assertFalse(waiting.isOpen());
            assertTrue(gone.isOpen(), "somebody else's by now");
            assertEquals(0, sockets.count());
        }
    }

    @Test
    void whatIsAcceptedLaterEndsAtOnce() throws IOException {
        SocketChannel late = SocketChannel.open();
        sockets.close();
        assertFalse(sockets.add(late));

        assertFalse(late.isOpen());
    }
}
