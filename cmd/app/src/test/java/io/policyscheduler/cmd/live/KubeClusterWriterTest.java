package io.policyscheduler.cmd.live;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventApi;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.KubeClusterWriter.ConditionWrites;
import io.policyscheduler.cmd.live.WorkerThreads.Ordered;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.junit.jupiter.api.Test;

/** Writes to the status of a pod, by threads that serve the newest request first. */
class KubeClusterWriterTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Deque<Runnable> begun = new ArrayDeque<>();
    private final List<String> patches = new ArrayList<>();
    private final KubeConnection server = KubeConnection.inProcess(this::answer, pause -> {});
    private int version = 1;

    private final KubeClusterWriter writer = new KubeClusterWriter(
            new PodWriter(server, "policy/v1"),
            new EventRecorder(server, EventApi.EVENTS, "s", "i", Clock.systemUTC(), Clock.systemUTC(), task -> {}),
            begun::add,
            new Ordered(begun::add),
            new ConditionWrites(begun::add),
            begun::add,
            FeatureGates.defaults(),
            InputRecording.NONE);

    /** A pod that gets a new version with each patch of its current version. */
    private Response answer(Interceptor.Chain chain) throws IOException {
        int code = 200;
        if (chain.request().method().equals("PATCH")) {
            Buffer body = new Buffer();
            if (chain.request().body() != null) {
                chain.request().body().writeTo(body);
            }
            JsonNode patch = MAPPER.readTree(body.readUtf8());
            boolean isOld = patch.path("metadata").path("resourceVersion").asInt() != version;
            code = isOld ? 409 : 200;
            version += isOld ? 0 : 1;
            patches.add(patch.at("/status/conditions/0/message").asText() + " " + code);
        }
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(code)
                .message("")
                .body(ResponseBody.create(
                        "{\"metadata\": {\"uid\": \"u\", \"resourceVersion\": \"" + version + "\"}}",
                        MediaType.get("application/json")))
                .build();
    }

    private static PodInfo.ScheduledCondition condition(String message) {
        return new PodInfo.ScheduledCondition("False", "Unschedulable", message, 0);
    }

    private void runAll() {
        for (Runnable task = begun.pollLast(); task != null; task = begun.pollLast()) {
            task.run();
        }
    }

    @Test
    void onlyTheLastConditionIsWritten() {
        PodInfo pod = pod("p").uid("u").build();
        for (String message : List.of("first", "second", "third")) {
            writer.updateStatus(pod, condition(message), null);
        }
        runAll();
        assertEquals(List.of("third 200"), patches);
    }

    @Test
    void aNominationWaitsForNoConditionAndReplacesIt() {
        PodInfo pod = pod("p").uid("u").build();
        writer.updateStatus(pod("q").uid("v").build(), condition("of another"), null);
        writer.updateStatus(pod, condition("first"), null);
        writer.updateStatus(pod, condition("second"), "n1");
        assertEquals(3, begun.size());
        // The nomination, on a thread that writes no conditions.
        begun.removeLast().run();
        assertEquals(List.of("second 200"), patches);
        runAll();
        // The server here has one pod only.
        assertEquals(List.of("second 200", "of another 409"), patches);
    }
}
