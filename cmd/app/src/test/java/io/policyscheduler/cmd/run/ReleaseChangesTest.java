package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.run.ReloadTriggers.ReleaseChanges;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReleaseChangesTest {
    private static ApiResponse version(String text) {
        return new ApiResponse(200, ("{\"gitVersion\":\"" + text + "\"}").getBytes(StandardCharsets.UTF_8));
    }

    /** A server that is unreachable, overloaded, or behind a failing proxy, or that responds as before, changes nothing. */
    @Test
    void onlyAnotherReleaseIsTold() throws Exception {
        KubeConnection connection = mock(KubeConnection.class);
        when(connection.get("/version"))
                .thenReturn(version("v1.29.4"))
                .thenThrow(new ApiIoException("GET /version: no answer", new IOException("closed")))
                .thenReturn(new ApiResponse(503, "busy".getBytes(StandardCharsets.UTF_8)))
                .thenReturn(new ApiResponse(404, "404 page not found".getBytes(StandardCharsets.UTF_8)))
                .thenReturn(version("v1.30.0-gke.1"))
                .thenReturn(version("v1.30.2"));
        List<Release> reported = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger rounds = new AtomicInteger();
        ReleaseChanges changes = new ReleaseChanges(
                connection,
                Release.parse("1.29"),
                Duration.ofMinutes(1),
                period -> {
                    if (rounds.incrementAndGet() > 6) {
                        done.countDown();
                        throw new InterruptedException();
                    }
                },
                reported::add,
                Thread::new);
        changes.start();
        assertEquals(true, done.await(20, TimeUnit.SECONDS));
        changes.close();
        assertEquals(List.of(Release.parse("1.30")), reported);
    }
}
