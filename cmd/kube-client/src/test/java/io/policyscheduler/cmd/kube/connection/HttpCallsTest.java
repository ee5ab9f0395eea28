package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.KubeConnection.HttpCalls;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
                assertTrue(Thread.interrupted(), "whoever waits next is told, too");
            }
        }
    }
}
