package io.policyscheduler.cmd.kube.connection;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets that take from the system what has arrived in large pieces. Java's TLS asks it twice for each record, and API servers send
 * long lists in records of 4 kB.
 */
final class BufferedSockets extends SocketFactory {
    private static final int SIZE = 64 * 1024;

    @Override
    public Socket createSocket() {
        return new BufferedSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        return connected(new InetSocketAddress(address, port), new InetSocketAddress(localAddress, localPort));
    }

    private static Socket connected(InetSocketAddress server, @Nullable InetSocketAddress local) throws IOException {
        Socket socket = new BufferedSocket();
        try {
            if (local != null) {
                socket.bind(local);
            }
            socket.connect(server);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        return socket;
    }

    private static final class BufferedSocket extends Socket {
        private @Nullable InputStream buffered;

        /** Always the same one, as what it has taken is in no other. */
        @Override
        public synchronized InputStream getInputStream() throws IOException {
            // Fails when the socket is closed.
            InputStream in = super.getInputStream();
            InputStream known = buffered;
            if (known == null) {
                known = new BufferedInputStream(in, SIZE);
                buffered = known;
            }
            return known;
        }
    }
}
