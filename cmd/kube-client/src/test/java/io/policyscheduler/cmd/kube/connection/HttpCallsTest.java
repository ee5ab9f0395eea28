package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.KubeConnection.HttpCalls;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.Test;

class HttpCallsTest {
    /** The client connects in a thread of its own, for which the caller waits. */
    @Test
    void anInterruptedWaitForAConnectionIsATroubleLikeOthers() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Call call = new OkHttpClient()
                    .newCall(new Request.Builder()
                            .url("http://localhost:" + server.getLocalPort())
                            .build());
            Thread.currentThread().interrupt();
            try {
                InterruptedIOException thrown =
                        assertThrows(InterruptedIOException.class, () -> HttpCalls.execute(call));
                assertEquals("interrupted", thrown.getMessage());
            } finally {
                assertTrue(Thread.interrupted(), "the interrupt flag is kept");
            }
        }
    }

    @Test
    void aBodyOverTheLimitIsNeverCut() throws IOException {
        byte[] zeros = new byte[4];
        assertEquals(4, HttpCalls.read(new ByteArrayInputStream(zeros), 4).length);
        assertThrows(ResponseTooLongException.class, () -> HttpCalls.read(new ByteArrayInputStream(zeros), 3));
    }

    @Test
    void messagesOfAServerAreShortAndOnOneLine() {
        byte[] status = ("{\"kind\":\"Status\",\"message\":\"no\\nroom \\u001b[2J" + "x".repeat(300_000) + "\"}")
                .getBytes(StandardCharsets.UTF_8);
        String start = "no room [2J";
        assertEquals(
                start + "x".repeat(2000 - start.length()) + "...",
                ApiResponse.of(403, status, null).message());
    }
}
