package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.io.IOException;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;

class LiveSchedulerTest {
    private static final long PATIENCE = 30;

    private final CountDownLatch podsAsked = new CountDownLatch(1);
    private final CountDownLatch podsGivenUp = new CountDownLatch(1);

    /** A server whose discovery responds, whose resource lists fail, and whose pod lists never end. */
    private Response answer(Interceptor.Chain chain) throws IOException {
        String path = chain.request().url().encodedPath();
        try {
            return switch (path) {
                case "/version", "/apis" -> answer(chain, 200, "{}");
                case "/api" -> answer(chain, 200, "{\"versions\": [\"v1\"]}");
                case "/api/v1/pods" -> {
                    podsAsked.countDown();
                    new CountDownLatch(1).await();
                    yield answer(chain, 500, "{}");
                }
                default -> {
                    assertTrue(podsAsked.await(PATIENCE, TimeUnit.SECONDS), "pods were not asked for first");
                    yield answer(chain, 500, "{\"message\": \"no more today\"}");
                }
            };
        } catch (InterruptedException e) {
            podsGivenUp.countDown();
            throw new IOException("interrupted", e);
        }
    }

    private static Response answer(Interceptor.Chain chain, int code, String body) {
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(code)
                .message("")
                .body(ResponseBody.create(body, MediaType.get("application/json")))
                .build();
    }

    @Test
    void aStartThatFailsLeavesNoWatchBehind() throws Exception {
        SchedulerSettings settings = new SchedulerSettings(
                "s",
                new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry())
                        .resolveProvider("DefaultProvider"),
                TieBreak.first(),
                0,
                false,
                SchedulerListener.NONE);
        try (KubeConnection connection = KubeConnection.inProcess(this::answer, pause -> {})) {
            ApiIoException failure = assertThrows(
                    ApiIoException.class, () -> LiveScheduler.start(settings, connection, "test", Clock.systemUTC()));

            assertEquals("GET /api/v1: HTTP 500: no more today", failure.getMessage());
            assertTrue(podsGivenUp.await(PATIENCE, TimeUnit.SECONDS), "the pods are still being asked for");
        }
    }
}
