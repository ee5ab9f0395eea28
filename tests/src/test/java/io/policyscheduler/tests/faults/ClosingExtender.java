package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;

/** An HTTP/1.0 extender, such as a small script: it closes the connection after each response. */
final class ClosingExtender implements AutoCloseable {
    private final ServerSocket server;
    private final BiFunction<String, JsonNode, String> answer;
    private final List<String> verbs = new CopyOnWriteArrayList<>();
    private final ObjectMapper mapper = new ObjectMapper();

    /** @param answer the response to a verb and a body; empty to close the connection without one */
    ClosingExtender(BiFunction<String, JsonNode, String> answer) {
        this.answer = answer;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread thread = new Thread(this::run, "closing-extender");
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    long calls(String verb) {
        return verbs.stream().filter(verb::equals).count();
    }

    private void run() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                serve(socket);
            } catch (IOException e) {
                // The client is gone, or the test is over.
            }
        }
    }

    private void serve(Socket socket) throws IOException {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        String verb = line(in).split(" ", -1)[1].substring(1);
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring(header.indexOf(':') + 1).strip());
            }
        }
        JsonNode body = mapper.readTree(in.readNBytes(length));
        verbs.add(verb);
        byte[] bytes = answer.apply(verb, body).getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0) {
            OutputStream out = socket.getOutputStream();
            out.write(("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length
                            + "\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            out.write(bytes);
            out.flush();
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("ended");
            }
            if (c != '\r') {
                text.append((char) c);
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
