package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.KubeClaimWriter.ClaimWrites;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An allocated claim without users is deallocated. */
class KubeClaimWriterTest {
    private static final ResourceClaimInfo CLAIM = new ResourceClaimInfo(
            "ns", "c", "u", "1", false, null, List.of(), List.of(), List.of(), List.of(), null, List.of(), List.of(),
            false);
    private static final String CONFLICT = "Operation cannot be fulfilled on resourceclaims.resource.k8s.io \"c\":"
            + " the object has been modified; please apply your changes to the latest version and try again";

    private final Deque<String> answers = new ArrayDeque<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private final EventInbox inbox = new EventInbox();
    private final AssumedClaims known = new ClusterState().assumedClaims();

    private KubeClaimWriter writer(Executor writes, Duration patience) {
        return new KubeClaimWriter(
                new ClaimWrites(
                        KubeConnection.inProcess(this::answer, pause -> {}),
                        "resource.k8s.io/v1",
                        Runnable::run,
                        (task, delay) -> {},
                        Clock.systemUTC(),
                        () -> true),
                writes,
                inbox,
                known,
                patience,
                (pod, message) -> {},
                InputRecording.NONE);
    }

    /** {@code v1} and {@code free2} are versions of the claim, {@code 403} a rejection. */
    private Response answer(Interceptor.Chain chain) {
        String next = answers.removeFirst();
        boolean isFree = next.startsWith("free");
        boolean isClaim = isFree || next.startsWith("v");
        String version = next.replaceAll("[a-z]", "");
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(isClaim ? 200 : Integer.parseInt(next))
                .message("")
                .body(ResponseBody.create(
                        isClaim
                                ? "{\"kind\": \"ResourceClaim\", \"metadata\": {\"namespace\": \"ns\", \"name\": \"c\","
                                        + " \"uid\": \"u\", \"resourceVersion\": \"" + version + "\"}, \"status\": {"
                                        + (isFree ? "" : "\"allocation\": {}") + "}}"
                                : "{\"kind\": \"Status\", \"message\": \"not for you\"}",
                        MediaType.get("application/json")))
                .build();
    }

    private void runPosted() {
        for (ClusterChange change : inbox.drain()) {
            if (change instanceof ClusterChange.ClaimWritten written) {
                written.applyTo(known);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v1 free2 | ''",
                "free2    | ''",
                "v2       | CONFLICT",
                "v1 403   | not for you",
            })
    void whatComesOfItIsTold(String given, String expected) {
        answers.addAll(List.of(given.split(" ")));
        assertEquals(
                expected.equals("CONFLICT") ? CONFLICT : expected,
                writer(Runnable::run, Duration.ofSeconds(10)).deallocate(CLAIM));
        assertEquals(List.of(), List.copyOf(answers));
        assertTrue(known.isBeingWritten(CLAIM));
        runPosted();
        assertFalse(known.isBeingWritten(CLAIM));
    }

    @Test
    void aSlowServerIsNotWaitedFor() {
        answers.addAll(List.of("v1", "403"));
        KubeClaimWriter writer = writer(later::add, Duration.ofMillis(1));
        assertEquals("", writer.deallocate(CLAIM));
        Objects.requireNonNull(later.poll()).run();
        runPosted();
        assertFalse(known.isBeingWritten(CLAIM));
    }
}
