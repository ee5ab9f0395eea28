package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.kube.election.ResourceLock;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerStatus;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A scheduler that no longer receives events of some or all resources. */
class StaleWatchesTest {
    private static final int ALWAYS = 1_000_000;
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final LiveCluster live = new LiveCluster();
    private final HttpClient http = HttpClient.newHttpClient();

    private String get(StatusServer server, String path) {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
        try {
            HttpResponse<String> response =
                    http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void await(StatusServer server, String path, String text) {
        Await.until(
                LiveCluster.PATIENCE,
                path + " says " + text,
                () -> get(server, path).contains(text),
                () -> get(server, path));
    }

    private static LeaderElectionConfig lease() {
        return new LeaderElectionConfig(
                ResourceLock.LEASES,
                "kube-system",
                "psched",
                "a",
                LEASE,
                Duration.ofMillis(1500),
                Duration.ofMillis(300),
                true);
    }

    @Test
    void readinessNamesTheWatchesThatAreNotAnsweredAndLivenessDoesNot() throws IOException {
        SchedulerStatus status = new SchedulerStatus(new PrometheusRegistry(), lease(), () -> "{}");
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (live;
                StatusServer server = new StatusServer(any, status.content())) {
            live.addNodes(2, "4");
            LiveScheduler scheduler = live.startCandidate(lease(), SchedulerListener.NONE);
            status.running(scheduler);
            await(server, "/readyz", "200 ok");
            live.cluster().faults().respond("GET", "/api/v1/services", ALWAYS, 503);
            live.cluster().faults().closeWatchesAfter(Duration.ofMillis(500));
            await(server, "/readyz", "[-]watch-services failed: reason withheld");
            String one = get(server, "/readyz");
            assertTrue(one.startsWith("500 "), one);
            assertTrue(one.contains("[+]watch-pods ok") && one.contains("[+]watch-nodes ok"), one);
            assertEquals(
                    "500 internal server error: no response to the watch of services for more than 2000 ms\n",
                    get(server, "/readyz/watch-services"));
            live.cluster().faults().clear();
            await(server, "/readyz", "200 ok");

            live.cluster().stopServing();
            await(server, "/readyz", "[-]watch-pods failed: reason withheld");
            await(server, "/readyz", "[-]watch-nodes failed: reason withheld");
            assertEquals("200 ok", get(server, "/livez"));
            live.cluster().startServing();
            await(server, "/readyz/watch-pods", "200 ok");
            await(server, "/readyz/watch-nodes", "200 ok");
        }
    }

    /** As behind a load balancer without a server: discovery still names the resource, so that it does not count as removed. */
    @Test
    void aKindThatIsDeniedForAWhileIsAskedForAgain() throws IOException {
        SchedulerStatus status = new SchedulerStatus(new PrometheusRegistry(), null, () -> "{}");
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (live;
                StatusServer server = new StatusServer(any, status.content())) {
            live.addNodes(2, "4");
            status.running(live.startScheduler());
            await(server, "/readyz", "200 ok");
            live.cluster().faults().respond("GET", "/apis/storage.k8s.io/v1/csidrivers", 3, 404);
            live.cluster().faults().closeWatchesAfter(Duration.ofMillis(300));
            live.addPods("p", 4, "1");
            live.awaitAllBound(4);
            live.cluster().faults().closeWatchesAfter(null);
            live.addPods("q", 2, "1");
            live.awaitAllBound(6);
            await(server, "/readyz", "200 ok");
            live.assertSound();
        }
    }
}
