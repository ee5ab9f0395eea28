package io.policyscheduler.cmd.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A client that sends exactly the given bytes. */
final class RawClient implements AutoCloseable {
    private final Socket socket = new Socket();

    RawClient(InetSocketAddress server) throws IOException {
        socket.setReceiveBufferSize(4096);
        socket.connect(server);
        socket.setSoTimeout(30_000);
    }

    RawClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
        return this;
    }

    /** Reads up to and including the given text, or up to the end of the connection. */
    String readTo(String end) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        while (!bytes.toString(StandardCharsets.UTF_8).endsWith(end)) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Returns whether the server has closed the connection, gracefully or not. */
    boolean readsEnd() {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
