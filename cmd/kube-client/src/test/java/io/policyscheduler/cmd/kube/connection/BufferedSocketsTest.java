package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.kube.connection.Transport.BufferedSockets;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class BufferedSocketsTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final BufferedSockets sockets = new BufferedSockets();

    /** A way to open a connection. */
    private interface Connecting {
        Socket connect(int port) throws IOException;
    }

    private Socket unconnected(int port) throws IOException {
        Socket socket = sockets.createSocket();
        socket.connect(new InetSocketAddress(HERE, port));
        return socket;
    }

    @Test
    void whatHasArrivedIsTakenAtOnceAndReadFromOneStream() throws IOException {
        List<Connecting> ways = List.of(
                this::unconnected,
                port -> sockets.createSocket(HERE, port),
                port -> sockets.createSocket(HERE.getHostAddress(), port),
                port -> sockets.createSocket(HERE, port, HERE, 0),
                port -> sockets.createSocket(HERE.getHostAddress(), port, HERE, 0));
        try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
            for (Connecting way : ways) {
                try (Socket client = way.connect(server.getLocalPort());
                        Socket there = server.accept()) {
                    there.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
                    there.shutdownOutput();
                    InputStream in = client.getInputStream();
                    assertInstanceOf(BufferedInputStream.class, in);
                    assertEquals('h', in.read());
                    assertSame(in, client.getInputStream());
                    assertEquals("ello", new String(in.readAllBytes(), StandardCharsets.US_ASCII));
                }
            }
        }
    }

    @Test
    void aSocketThatIsClosedOrSilentFailsAsAnyOther() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
            Socket client = sockets.createSocket(HERE, server.getLocalPort());
            client.setSoTimeout(1);
            InputStream in = client.getInputStream();
            assertThrows(SocketTimeoutException.class, in::read);
            client.close();
            assertThrows(SocketException.class, in::read);
            assertThrows(SocketException.class, client::getInputStream);
        }
    }

    @Test
    void whereNobodyListensIsNoConnection() throws IOException {
        int port;
        try (ServerSocket server = new ServerSocket(0, 1, HERE)) {
            port = server.getLocalPort();
        }
        assertThrows(ConnectException.class, () -> sockets.createSocket(HERE, port));
    }
}
