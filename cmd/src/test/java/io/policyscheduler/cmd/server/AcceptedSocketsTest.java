package io.policyscheduler.cmd.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

class AcceptedSocketsTest {
    private final AcceptedSockets sockets = new AcceptedSockets();

    @Test
    void endsWhatIsNoConnectionYet() throws IOException {
        SocketChannel waiting = SocketChannel.open();
        SocketChannel failed = SocketChannel.open();
        try (SocketChannel open = SocketChannel.open()) {
            sockets.onAccepting(waiting);
            sockets.onAccepting(open);
            sockets.onAccepted(open);
            sockets.onAccepting(failed);
            sockets.onAcceptFailed(failed, new IOException("reset"));
            sockets.close();

            assertFalse(waiting.isOpen());
            assertTrue(open.isOpen(), "the server closes its connections itself");
            assertTrue(failed.isOpen(), "who fails cleans up");
        }
        failed.close();
    }

    @Test
    void whatIsAcceptedLaterEndsAtOnce() throws IOException {
        SocketChannel late = SocketChannel.open();
        sockets.close();
        sockets.onAccepting(late);

        assertFalse(late.isOpen());
    }
}
