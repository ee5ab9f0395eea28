package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.EventHandlers.UnreadableObjects;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import java.time.Clock;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A running scheduler watches the resources that its plugins read. */
class ClusterFeedTest {
    private static final String PODS = "/api/v1/pods";
    private static final Map<String, String> ANSWERS = Map.of(
            "/api",
            "{\"versions\": [\"v1\"]}",
            "/apis",
            "{\"groups\": [{\"versions\": [{\"groupVersion\": \"apps/v1\"}]}]}",
            "/api/v1",
            WatchedResource.all().stream()
                    .map(resource -> "{\"name\": \"" + resource.resource() + "\"}")
                    .collect(Collectors.joining(", ", "{\"resources\": [", "]}")),
            PODS,
            "{\"kind\": \"PodList\", \"metadata\": {\"resourceVersion\": \"1\"}, \"items\": []}");

    private final BlockingQueue<String> accepted = new LinkedBlockingQueue<>();

    private Response answer(Interceptor.Chain chain) {
        Request request = chain.request();
        String path = request.url().encodedPath();
        if (path.equals(PODS)) {
            accepted.add(String.valueOf(request.header("Accept")));
        }
        boolean isWatch = request.url().queryParameter("watch") != null;
        String body = isWatch ? null : ANSWERS.get(path.equals("/apis/apps/v1") ? "/api/v1" : path);
        return new Response.Builder()
                .request(request)
                .protocol(Protocol.HTTP_1_1)
                .code(body == null ? 404 : 200)
                .message("")
                .body(ResponseBody.create(body == null ? "{}" : body, MediaType.get("application/json")))
                .build();
    }

    @ParameterizedTest
    @CsvSource({"false, 'application/vnd.kubernetes.protobuf,application/json'", "true, application/json"})
    void podsComeInProtobufUnlessExtendersAreShownThem(boolean keepsPods, String expected) throws Exception {
        KubeConnection connection = KubeConnection.inProcess(this::answer, pause -> {});
        try (KubeRawObjects raw = new KubeRawObjects(connection, new SplittableRandom(1), Clock.systemUTC())) {
            if (keepsPods) {
                raw.keepPods();
            }
            try (ClusterFeed feed = new ClusterFeed(
                    connection,
                    new EventInbox(),
                    FeatureGates.defaults(),
                    field -> {},
                    new SplittableRandom(1),
                    Clock.systemUTC(),
                    raw,
                    new UnreadableObjects(true))) {
                feed.startPods(true, task -> {
                    Thread thread = new Thread(task);
                    thread.setDaemon(true);
                    return thread;
                });
                assertEquals(
                        expected,
                        String.valueOf(accepted.poll(30, TimeUnit.SECONDS)).replace(" ", ""));
            }
        }
    }
}
