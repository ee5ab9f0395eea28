package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.KubeClaimWriter.ClaimWrites;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimWriteException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Writes of claims while the server is slow, overloaded, or silent. */
class ClaimWritesTest {
    private static final String SILENCE = "";
    private static final ResourceClaimInfo CLAIM = new ResourceClaimInfo(
            "ns", "c", "u", "1", false, null, List.of(), List.of(), List.of(), List.of(), null, List.of(), List.of(),
            false);

    /** Time passes while a thread waits. */
    private static final class Time extends Clock {
        private Instant now = Instant.EPOCH;

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private final Time time = new Time();
    private final Deque<String> answers = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private final List<String> paths = new ArrayList<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private boolean mayWrite = true;

    private final ClaimWrites writes = new ClaimWrites(
            KubeConnection.inProcess(this::answer, this::pass),
            "resource.k8s.io/v1beta1",
            Runnable::run,
            (task, delay) -> later.add(() -> {
                pass(delay);
                task.run();
            }),
            time,
            () -> mayWrite);

    private void pass(Duration delay) {
        time.now = time.now.plus(delay);
    }

    private Response answer(Interceptor.Chain chain) throws IOException {
        asked.add(chain.request().method());
        paths.add(chain.request().url().encodedPath());
        String next = answers.removeFirst();
        if (next.equals(SILENCE)) {
            throw new SocketTimeoutException("timeout");
        }
        boolean isClaim = next.startsWith("v");
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(isClaim ? 200 : Integer.parseInt(next))
                .message("")
                .body(ResponseBody.create(
                        isClaim
                                ? "{\"metadata\": {\"resourceVersion\": \"" + next.substring(1) + "\"}}"
                                : "{\"kind\": \"Status\", \"reason\": \"NotFound\", \"message\": \"no\","
                                        + " \"details\": {\"name\": \"c\"}}",
                        MediaType.get("application/json")))
                .build();
    }

    private ObjectNode write(String... given) throws Exception {
        answers.addAll(List.of(given));
        ObjectNode written = writes.write(CLAIM, "/status", "write it", claim -> true);
        assertEquals(List.of(), List.copyOf(answers));
        return written;
    }

    private ClaimWrites.UnwrittenException unwritten(String... given) {
        return assertThrows(ClaimWrites.UnwrittenException.class, () -> write(given));
    }

    private static String version(ObjectNode claim) {
        return claim.path("metadata").path("resourceVersion").asText();
    }

    @Test
    void aConflictIsReadAgain() throws Exception {
        assertEquals("3", version(write("v1", "409", "v2", "v3")));
        assertEquals(List.of("GET", "PUT", "GET", "PUT"), asked);
    }

    @Test
    void claimsAreWrittenInTheVersionThatTheServerHas() throws Exception {
        write("v1", "v2");
        assertEquals(
                List.of(
                        "/apis/resource.k8s.io/v1beta1/namespaces/ns/resourceclaims/c",
                        "/apis/resource.k8s.io/v1beta1/namespaces/ns/resourceclaims/c/status"),
                paths);
        assertEquals(
                List.of(
                        "resource.k8s.io/v1",
                        "resource.k8s.io/v1beta2",
                        "resource.k8s.io/v1beta1",
                        "resource.k8s.io/v1"),
                List.of(
                        ClaimWrites.version(Set.of("resource.k8s.io/v1beta1", "resource.k8s.io/v1")),
                        ClaimWrites.version(Set.of("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2")),
                        ClaimWrites.version(Set.of("resource.k8s.io/v1beta1", "v1")),
                        ClaimWrites.version(Set.of("v1"))));
    }

    @Test
    void aRefusalIsCertain() {
        assertNull(unwritten("v1", "403").unconfirmed());
        assertNull(unwritten("404").unconfirmed());
        assertEquals("write it: no", unwritten("404").getMessage());
    }

    @Test
    void silenceIsNotUnlessTheClaimHasBecomeAnother() {
        ClaimWrites.UnconfirmedWrite unconfirmed =
                Objects.requireNonNull(unwritten("v1", SILENCE, "v1", SILENCE, "v2", SILENCE, "v2", "500", SILENCE)
                        .unconfirmed());
        assertEquals("2", unconfirmed.resourceVersion());
        assertNull(unwritten("v1", SILENCE, "v2", "403").unconfirmed());
        assertEquals(
                "1",
                Objects.requireNonNull(unwritten("v1", SILENCE, "v1", "403").unconfirmed())
                        .resourceVersion());
    }

    @Test
    void aChangeMayRefuse() {
        answers.add("v1");
        assertThrows(
                ClaimWriteException.class,
                () -> writes.write(CLAIM, "/status", "write it", claim -> {
                    throw new ClaimWriteException("not so");
                }));
    }

    @Test
    void nothingIsWrittenOnceAnotherLeads() {
        mayWrite = false;
        assertEquals("write it: another scheduler leads", unwritten().getMessage());
    }

    private List<@Nullable String> settled(int looks) {
        List<@Nullable String> results = new ArrayList<>();
        writes.settle(
                CLAIM,
                new ClaimWrites.UnconfirmedWrite("1", time.now),
                claim -> results.add(claim == null ? null : version(claim)));
        for (int i = 0; i < looks; i++) {
            assertEquals(List.of(), results);
            later.removeFirst().run();
        }
        return results;
    }

    @Test
    void aDoubtEndsWhenTheClaimIsAnotherOrGone() {
        answers.addAll(List.of("v1", SILENCE, "500", "v2"));
        assertEquals(List.of("2"), settled(4));
        answers.add("404");
        List<@Nullable String> results = settled(1);
        assertEquals(1, results.size());
        assertNull(results.get(0));
    }

    @Test
    void aDoubtEndsWhenTheServerMustHaveGivenUpButNotBeforeItIsHeard() {
        for (int i = 0; i < 14; i++) {
            answers.add(i == 13 ? SILENCE : "v1");
        }
        answers.add("v1");
        assertEquals(List.of("1"), settled(15));
    }
}
