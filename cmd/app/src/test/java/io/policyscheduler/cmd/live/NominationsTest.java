package io.policyscheduler.cmd.live;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.base.Splitter;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.Preemptors.Nominations;
import io.policyscheduler.cmd.live.WorkerThreads.Ordered;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The nomination in the status of a pending pod. */
class NominationsTest {
    private static final PodInfo POD = pod("p").uid("u").nominatedTo("n1").build();

    private final Deque<Runnable> begun = new ArrayDeque<>();
    private final Deque<Runnable> delayed = new ArrayDeque<>();
    private final List<String> patches = new ArrayList<>();
    /** The codes of the next responses to patches; 200 if there are none. */
    private final Deque<Integer> codes = new ArrayDeque<>();

    private final List<String> results = new ArrayList<>();
    private final PodWriter pods = new PodWriter(KubeConnection.inProcess(this::answer, pause -> {}), "policy/v1");

    private Response answer(Interceptor.Chain chain) throws IOException {
        int code = 200;
        if (chain.request().method().equals("PATCH") && chain.request().body() != null) {
            Buffer body = new Buffer();
            chain.request().body().writeTo(body);
            code = codes.isEmpty() ? 200 : codes.poll();
            patches.add(body.readUtf8().replaceAll(".*\"status\":", ""));
        }
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(code)
                .message("")
                .body(ResponseBody.create(
                        "{\"metadata\": {\"uid\": \"u\", \"resourceVersion\": \"1\"}}",
                        MediaType.get("application/json")))
                .build();
    }

    @Test
    void aPromiseAndItsEndDoNotChangePlaces() {
        Nominations nominations = new Nominations(pods, new Ordered(begun::add), (task, delay) -> delayed.add(task));
        nominations.write(POD, "n2", results::add);
        nominations.clear(POD);
        nominations.clear(pod("q").build());
        runAll();
        assertEquals(List.of("{\"nominatedNodeName\":\"n2\"}}", "{\"nominatedNodeName\":null}}"), patches);
        assertEquals(List.of(""), results);
    }

    private void runAll() {
        for (Runnable task = begun.pollLast(); task != null; task = begun.pollLast()) {
            task.run();
        }
    }

    /** Rejected requests are not repeated, because they would be rejected again. */
    @ParameterizedTest
    @CsvSource({"'', 1", "500, 2", "500 503, 3", "403, 1", "409 409 409, 3", "409 500, 3"})
    void aRemovalIsRepeatedAfterErrorsOfTheServer(String responses, int sent) {
        Splitter.on(' ').omitEmptyStrings().split(responses).forEach(code -> codes.add(Integer.valueOf(code)));
        Nominations nominations = new Nominations(pods, new Ordered(begun::add), (task, delay) -> delayed.add(task));
        nominations.clear(POD);
        runAll();
        for (Runnable task = delayed.poll(); task != null; task = delayed.poll()) {
            task.run();
            runAll();
        }
        assertEquals(Collections.nCopies(sent, "{\"nominatedNodeName\":null}}"), patches);
    }

    @Test
    void aLaterNominationReplacesARemovalWithoutSuccess() {
        codes.add(500);
        Nominations nominations = new Nominations(pods, new Ordered(begun::add), (task, delay) -> delayed.add(task));
        nominations.clear(POD);
        runAll();
        nominations.write(POD, "n2", results::add);
        delayed.remove().run();
        runAll();
        assertEquals(List.of("{\"nominatedNodeName\":null}}", "{\"nominatedNodeName\":\"n2\"}}"), patches);
        assertEquals(List.of(), List.copyOf(delayed));
    }

    @Test
    void whileTheProcessEndsNothingIsCleared() {
        new Nominations(
                        pods,
                        new Ordered(task -> {
                            throw new RejectedExecutionException("shut down");
                        }),
                        (task, delay) -> delayed.add(task))
                .clear(POD);
        assertEquals(List.of(), patches);
    }
}
