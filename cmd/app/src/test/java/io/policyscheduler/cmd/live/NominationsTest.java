package io.policyscheduler.cmd.live;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.Preemptors.Nominations;
import io.policyscheduler.cmd.live.WorkerThreads.Ordered;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
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

/** The nomination in the status of a pending pod. */
class NominationsTest {
    private static final PodInfo POD = pod("p").uid("u").nominatedTo("n1").build();

    private final Deque<Runnable> begun = new ArrayDeque<>();
    private final List<String> patches = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final PodWriter pods = new PodWriter(KubeConnection.inProcess(this::answer, pause -> {}), "policy/v1");

    private Response answer(Interceptor.Chain chain) throws IOException {
        if (chain.request().method().equals("PATCH") && chain.request().body() != null) {
            Buffer body = new Buffer();
            chain.request().body().writeTo(body);
            patches.add(body.readUtf8().replaceAll(".*\"status\":", ""));
        }
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(200)
                .message("")
                .body(ResponseBody.create(
                        "{\"metadata\": {\"uid\": \"u\", \"resourceVersion\": \"1\"}}",
                        MediaType.get("application/json")))
                .build();
    }

    @Test
    void aPromiseAndItsEndDoNotChangePlaces() {
        Nominations nominations = new Nominations(pods, new Ordered(begun::add));
        nominations.write(POD, "n2", told::add);
        nominations.clear(POD);
        nominations.clear(pod("q").build());
        for (Runnable task = begun.pollLast(); task != null; task = begun.pollLast()) {
            task.run();
        }
        assertEquals(List.of("{\"nominatedNodeName\":\"n2\"}}", "{\"nominatedNodeName\":null}}"), patches);
        assertEquals(List.of(""), told);
    }

    @Test
    void whileTheProcessEndsNothingIsCleared() {
        new Nominations(pods, new Ordered(task -> {
                    throw new RejectedExecutionException("shut down");
                }))
                .clear(POD);
        assertEquals(List.of(), patches);
    }
}
