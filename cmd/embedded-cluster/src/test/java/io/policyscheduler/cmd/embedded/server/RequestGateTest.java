package io.policyscheduler.cmd.embedded.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests the embedded server accepts, sent byte by byte because client libraries cannot send all of them. */
@Timeout(60)
class RequestGateTest {
    private static final String NAMESPACE = "{\"metadata\":{\"name\":\"team\"}}";

    private final EmbeddedControlPlane cluster;

    RequestGateTest() throws IOException {
        cluster = EmbeddedControlPlane.builder().kubeletPeriod(Duration.ZERO).start();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private String send(String line, String headers, String body) throws IOException {
        return send(line, headers, body.length(), body);
    }

    private String send(String line, String headers, int announced, String body) throws IOException {
        String text = line + " HTTP/1.1\r\n" + headers + "Connection: close\r\nContent-Length: " + announced
                + "\r\n\r\n" + body;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), cluster.port())) {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String code(String answer) {
        return answer.substring(9, 12);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "localhost | 200",
                "LOCALHOST:8080 | 200",
                "127.0.0.1:1 | 200",
                "127.8.8.8 | 200",
                "[::1]:80 | 200",
                "evil.example | 403",
                "localhost.evil.example | 403",
                "127.0.0.1.evil.example:80 | 403",
                "127.0.0.1@evil.example | 400",
                "10.0.0.1 | 403",
            })
    void onlyLoopbackNames(String host, String expected) throws IOException {
        assertEquals(expected, code(send("GET /api/v1/nodes", "Host: " + host + "\r\n", "")));
    }

    @Test
    void aForeignNameIsToldTheWayOut() throws IOException {
        String answer = send("GET /api/v1/nodes", "Host: evil.example\r\n", "");
        assertTrue(
                answer.contains("\"message\":\"the embedded cluster answers on loopback addresses only: Host is"
                        + " \\\"evil.example\\\"; use localhost or 127.0.0.1\""),
                answer);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json | 201",
                "application/json; charset=utf-8 | 201",
                "Application/JSON | 201",
                "application/yaml | 201",
                "text/plain | 415",
                "application/x-www-form-urlencoded | 415",
                "multipart/form-data | 415",
                "application/vnd.kubernetes.protobuf | 415",
                "application/cbor | 415",
            })
    void onlyTypesThatNoFormHas(String type, String expected) throws IOException {
        String headers = "Host: localhost\r\nContent-Type: " + type + "\r\n";
        assertEquals(expected, code(send("POST /api/v1/namespaces", headers, NAMESPACE)));
    }

    /** Older releases of kubectl do not set the header; they are recognized by what browsers always send. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "User-Agent: kubectl/v1.20.2 | 201",
                "Origin: http://evil.example | 415",
                "Origin: null | 415",
                "Sec-Fetch-Site: same-origin | 415",
                "User-Agent: Mozilla/5.0 | 415",
            })
    void aWriteOfAProgramNeedsNoType(String header, String expected) throws IOException {
        String headers = "Host: localhost\r\n" + header + "\r\n";
        assertEquals(expected, code(send("POST /api/v1/namespaces", headers, NAMESPACE)));
    }

    @Test
    void aWriteWithoutABodyNeedsAType() throws IOException {
        String eviction = "POST /api/v1/namespaces/default/pods/p/eviction";
        assertEquals("415", code(send(eviction, "Host: localhost\r\n", "")));
        assertEquals("404", code(send("DELETE /api/v1/namespaces/team", "Host: localhost\r\n", "")));
    }

    /** The response comes before the body, which the server does not read. */
    @Test
    void aBodyIsLimited() throws IOException {
        String headers = "Host: localhost\r\nContent-Type: application/json\r\n";
        assertEquals("413", code(send("POST /api/v1/namespaces", headers, (3 << 20) + 1, "{")));
    }
}
