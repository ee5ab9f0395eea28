package io.policyscheduler.cmd.playground;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.playground.Playground.SameOrigin;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SameOriginTest {
    private final PlaygroundPort port = new PlaygroundPort();

    SameOriginTest() throws IOException {}

    @AfterEach
    void close() {
        port.close();
    }

    private String raw(String request) throws IOException {
        URI uri = URI.create(port.url());
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    private String post(String host, String... headers) throws IOException {
        return raw("POST /playground/step HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 2\r\n"
                + String.join("", headers) + "\r\n{}");
    }

    @Test
    void onlyThePageItselfMayAsk() throws Exception {
        String own = URI.create(port.url()).getAuthority();
        String header = SameOrigin.HEADER + ": " + SameOrigin.VALUE + "\r\n";
        String ok = "HTTP/1.1 200 OK";
        String forbidden = "HTTP/1.1 403 Forbidden";
        assertEquals(ok, post(own, header));
        assertEquals(ok, post(own, header, "Origin: http://" + own + "\r\n", "Sec-Fetch-Site: same-origin\r\n"));
        assertEquals(ok, post("[::1]:8080", header));
        assertEquals(ok, post("localhost", header));
        assertEquals(forbidden, post(own));
        assertEquals(forbidden, post(own, header, "Origin: http://evil.example\r\n"));
        assertEquals(forbidden, post(own, header, "Origin: null\r\n"));
        assertEquals(forbidden, post(own, header, "Origin: http://localhost:1\r\n"));
        assertEquals(forbidden, post(own, header, "Sec-Fetch-Site: same-site\r\n"));
        assertEquals(forbidden, post("evil.example", header, "Origin: http://evil.example\r\n"));
        assertEquals(forbidden, post("127.0.0.1.evil.example", header));
        assertEquals("HTTP/1.1 404 Not Found", raw("GET /playground/step HTTP/1.1\r\nHost: " + own + "\r\n\r\n"));
        assertEquals(
                "HTTP/1.1 405 Method Not Allowed",
                raw("OPTIONS /playground/step HTTP/1.1\r\nHost: " + own + "\r\n\r\n"));
        assertEquals(
                "HTTP/1.1 413 Payload Too Large",
                raw("POST /playground/create HTTP/1.1\r\nHost: " + own + "\r\nContent-Length: 99999999\r\n\r\n"));
    }
}
