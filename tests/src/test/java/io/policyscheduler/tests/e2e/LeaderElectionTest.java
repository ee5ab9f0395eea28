package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Ticker;
import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.kube.election.ResourceLock;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerStatus;
import io.policyscheduler.cmd.metrics.SchedulerMetrics;
import io.policyscheduler.engine.cluster.release.Release;
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
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two schedulers with one lock: one schedules, the other one is on standby. */
@Timeout(120)
class LeaderElectionTest {
    private static final Pattern WAITING =
            Pattern.compile("scheduler_pending_pods\\{queue=\"(backoff|unschedulable)\"} 1\\.0");

    private static final String LEASES = ".*/leases.*";
    private static final int ALWAYS = 1_000_000;

    private static LeaderElectionConfig candidate(String identity, boolean release) {
        return candidate(ResourceLock.LEASES, identity, Duration.ofMillis(2500), release);
    }

    /** Longer than a second, because records in annotations have whole seconds. */
    private static LeaderElectionConfig candidate(ResourceLock lock, String identity) {
        return candidate(lock, identity, Duration.ofMillis(3000), true);
    }

    /** Long enough that a busy machine always renews it in time, for tests in which no lease expires. */
    private static LeaderElectionConfig patient(ResourceLock lock, String identity) {
        return candidate(lock, identity, Duration.ofSeconds(30), true);
    }

    private static LeaderElectionConfig candidate(ResourceLock lock, String identity, Duration lease, boolean release) {
        Duration renewDeadline = lease.multipliedBy(2).dividedBy(3);
        return new LeaderElectionConfig(
                lock, "kube-system", "psched", identity, lease, renewDeadline, Duration.ofMillis(100), release);
    }

    private static void awaitLeader(LiveCluster live, LiveScheduler scheduler) {
        Await.until(LiveCluster.PATIENCE, "the scheduler leads", scheduler::isLeader, live::state);
    }

    private static String holder(LiveCluster live) {
        return live.cluster()
                .get("leases", "kube-system", "psched")
                .orElseThrow()
                .path("spec")
                .path("holderIdentity")
                .asText();
    }

    /** Returns the state of each object of a lock: {@code RESOURCE HOLDER TRANSITIONS}. */
    private static List<String> records(LiveCluster live, ResourceLock lock) {
        return Stream.of("endpoints", "configmaps", "leases")
                .filter(lock.text()::contains)
                .map(resource -> resource + " " + record(live, resource))
                .toList();
    }

    private static String record(LiveCluster live, String resource) {
        JsonNode object = live.cluster().get(resource, "kube-system", "psched").orElseThrow();
        if (resource.equals("leases")) {
            return object.at("/spec/holderIdentity").asText() + " "
                    + object.at("/spec/leaseTransitions").asText();
        }
        String annotation = object.at("/metadata/annotations/control-plane.alpha.kubernetes.io~1leader")
                .asText();
        try {
            JsonNode json = new ObjectMapper().readTree(annotation);
            return json.path("holderIdentity").asText() + " "
                    + json.path("leaderTransitions").asText();
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> leaseEvents(LiveCluster live) {
        return live.cluster().list("events").stream()
                .filter(event -> event.path("reason").asText().equals("LeaderElection"))
                .filter(event ->
                        event.path("involvedObject").path("kind").asText().equals("Lease"))
                .map(event -> event.path("message").asText())
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void onlyTheLeaderBindsAndACleanEndHandsOver(Release release) {
        try (LiveCluster live = new LiveCluster(release)) {
            live.addNodes(5, "4");
            LiveScheduler a = live.startCandidate(patient(ResourceLock.LEASES, "a"), SchedulerListener.NONE);
            awaitLeader(live, a);
            LiveScheduler b = live.startCandidate(patient(ResourceLock.LEASES, "b"), SchedulerListener.NONE);
            live.addPods("p", 20, "100m");
            live.awaitAllBound(20);
            assertTrue(b.isSynced());
            assertFalse(b.isLeader());
            // The standby has the pods in its queue or cache, and has not scheduled any.
            Await.until(
                    LiveCluster.PATIENCE,
                    "the standby has seen all",
                    () -> b.counts(Duration.ofSeconds(5)).cachedPods() == 20,
                    live::state);
            live.stop(a);
            awaitLeader(live, b);
            assertEquals("b", holder(live));
            assertEquals("", b.lossOfLeadership());
            live.addPods("q", 10, "100m");
            live.awaitAllBound(30);
            Await.until(
                    LiveCluster.PATIENCE,
                    "events are there",
                    () -> leaseEvents(live).size() == 3,
                    live::state);
            assertEquals(List.of("a became leader", "a stopped leading", "b became leader"), leaseEvents(live));
            live.assertSound();
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfLockHasOneLeaderAndIsHandedOver(ResourceLock lock) {
        try (LiveCluster live = new LiveCluster()) {
            live.addNodes(2, "4");
            LiveScheduler a = live.startCandidate(patient(lock, "a"), SchedulerListener.NONE);
            awaitLeader(live, a);
            LiveScheduler b = live.startCandidate(patient(lock, "b"), SchedulerListener.NONE);
            live.addPods("p", 5, "100m");
            live.awaitAllBound(5);
            assertFalse(b.isLeader());
            List<String> first = records(live, lock);
            assertTrue(first.stream().allMatch(record -> record.endsWith(" a 0")), first::toString);
            assertEquals(lock.text().matches(".+sleases") ? 2 : 1, first.size());
            live.stop(a);
            awaitLeader(live, b);
            assertEquals(
                    first.stream().map(record -> record.replace(" a 0", " b 1")).toList(), records(live, lock));
            live.addPods("q", 5, "100m");
            live.awaitAllBound(10);
            live.assertSound();
        }
    }

    /** Schedulers of a cluster are replaced one after the other; each lock type respects the previous one. */
    @Test
    void candidatesThatShareOneObjectOfTheirLocksNeverLeadTogether() {
        try (LiveCluster live = new LiveCluster()) {
            live.addNodes(2, "4");
            LiveScheduler leader = live.startCandidate(candidate(ResourceLock.ENDPOINTS, "a"), SchedulerListener.NONE);
            awaitLeader(live, leader);
            int pods = 0;
            for (ResourceLock next :
                    List.of(ResourceLock.ENDPOINTS_LEASES, ResourceLock.LEASES, ResourceLock.ENDPOINTS_LEASES)) {
                LiveScheduler standby =
                        live.startCandidate(candidate(next, next.text() + pods), SchedulerListener.NONE);
                LiveScheduler before = leader;
                Await.always(
                        Duration.ofMillis(3500),
                        "the one before leads alone, for longer than a lease lasts",
                        () -> before.isLeader() && !standby.isLeader(),
                        live::state);
                live.stop(before);
                awaitLeader(live, standby);
                leader = standby;
                pods += 3;
                live.addPods("p" + pods + "-", 3, "100m");
                live.awaitAllBound(pods);
            }
            assertEquals(
                    List.of("endpoints endpointsleases6 2", "leases endpointsleases6 2"),
                    records(live, ResourceLock.ENDPOINTS_LEASES));
            live.assertSound();
        }
    }

    /** The test binds a pod as another process would: only the process without a lease has to expect that. */
    @Test
    void onlyAProcessWithoutALeaseWarnsAboutBindsOfAnother(@TempDir Path first, @TempDir Path second) {
        try (LiveCluster live = new LiveCluster();
                Program leader = start(live, first, "--leader-elect=true");
                Program alone = start(live, second, "--leader-elect=false")) {
            live.addNodes(1, "4");
            leader.awaitOutput("successfully acquired lease");
            live.cluster().load(Manifest.podOf("policy-scheduler", "taken", "64"));
            live.awaitUnschedulable("taken");
            for (Program program : List.of(leader, alone)) {
                // Until then, the bind could be its own.
                Await.until(
                        LiveCluster.PATIENCE,
                        "the pod waits again after the attempt",
                        () -> WAITING.matcher(program.get("/metrics")).find(),
                        program::output);
            }
            live.api().bind("taken", "n0");
            alone.awaitOutput(
                    "W119 another process binds pods of scheduler name policy-scheduler, 1 so far, and both can use the"
                            + " same resources; run one process, or run all with --leader-elect=true");
            leader.awaitSeen("pods", live.version());
            assertFalse(leader.output().contains("W119"), leader::output);
        }
    }

    private static Program start(LiveCluster live, Path folder, String election) {
        return Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--algorithm-provider",
                "DefaultProvider",
                "--status-address=127.0.0.1:0",
                election);
    }

    /** The leases are longer than any delay. The test shortens the one that is left, as if its holder had asked for less. */
    @Test
    void aLeaderThatVanishesIsReplacedWhenItsLeaseIsOver() {
        try (LiveCluster live = new LiveCluster()) {
            live.addNodes(5, "4");
            Duration endless = Duration.ofMinutes(10);
            LiveScheduler a =
                    live.startCandidate(candidate(ResourceLock.LEASES, "a", endless, false), SchedulerListener.NONE);
            awaitLeader(live, a);
            LiveScheduler b =
                    live.startCandidate(candidate(ResourceLock.LEASES, "b", endless, true), SchedulerListener.NONE);
            live.addPods("p", 40, "100m");
            live.awaitBindings(10);
            live.stop(a);
            assertEquals("a", holder(live), "a has not released its lease");
            live.addPods("q", 10, "100m");
            assertFalse(b.isLeader());
            Instant shortened = Instant.now().truncatedTo(ChronoUnit.MICROS);
            live.cluster()
                    .store()
                    .modify(live.cluster().catalog().named("leases"), "kube-system", "psched", false, lease -> {
                        lease.withObject("/spec").put("leaseDurationSeconds", 1);
                        return lease;
                    });
            live.awaitAllBound(50);
            assertTrue(b.isLeader());
            JsonNode lease = live.cluster()
                    .get("leases", "kube-system", "psched")
                    .orElseThrow()
                    .path("spec");
            assertEquals("b", lease.path("holderIdentity").asText());
            Instant acquired = Instant.parse(lease.path("acquireTime").asText());
            assertFalse(acquired.isBefore(shortened.plusSeconds(1)), acquired + ", shortened at " + shortened);
            assertEquals(50, live.audit().bound());
            live.assertSound();
        }
    }

    @Test
    void anOutageEndsTheLeadershipAndDropsBindsThatWereNotSent() {
        try (LiveCluster live = new LiveCluster()) {
            live.addNodes(5, "4");
            LiveScheduler a = live.startCandidate(candidate("a", true), SchedulerListener.NONE);
            awaitLeader(live, a);
            // At most eight binds at a time, each of two seconds: most are not sent yet when the leadership ends.
            live.cluster().faults().delay("POST", ".*/binding", ALWAYS, Duration.ofSeconds(2));
            live.cluster().faults().respond("GET|PUT", LEASES, ALWAYS, 503);
            live.addPods("p", 60, "100m");
            Await.until(
                    LiveCluster.PATIENCE,
                    "the leadership is lost",
                    () -> !a.lossOfLeadership().isEmpty(),
                    live::state);
            assertFalse(a.isLeader());
            assertTrue(
                    a.lossOfLeadership().startsWith("failed to renew lease kube-system/psched"), a::lossOfLeadership);
            live.stop(a);
            int bound = live.audit().bound();
            assertTrue(bound < 60, () -> bound + " bound");
            live.cluster().faults().clear();
            live.startCandidate(candidate("b", true), SchedulerListener.NONE);
            live.awaitAllBound(60);
            assertEquals(60, live.audit().bound());
            assertEquals(List.of(), live.audit().violations(), live::state);
        }
    }

    @Test
    void statusTellsReadinessAndCounts() throws Exception {
        PrometheusRegistry registry = new PrometheusRegistry();
        SchedulerMetrics metrics =
                new SchedulerMetrics(registry, Manifest.SCHEDULER, true, Ticker.systemTicker(), Clock.systemUTC());
        SchedulerStatus status =
                new SchedulerStatus(registry, LeaderElectionConfig.defaults("ns", "lease", "me"), () -> "{}");
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (LiveCluster live = new LiveCluster();
                StatusServer server = new StatusServer(any, status.content())) {
            String before = get(server, "/readyz");
            assertTrue(
                    before.startsWith(
                            "500 [+]leaderElection ok\n[-]informer-sync failed: reason withheld\n[+]shutdown ok\n"
                                    + "[+]watch-nodes ok\n[+]watch-pods ok\n"),
                    before);
            assertTrue(before.endsWith("\nreadyz check failed\n"), before);
            live.addNodes(3, "4");
            LiveScheduler a = live.startCandidate(patient(ResourceLock.LEASES, "a"), metrics);
            status.running(a);
            awaitLeader(live, a);
            assertEquals("200 ok", get(server, "/readyz"));
            assertEquals("200 ok", get(server, "/healthz/leaderElection"));
            live.addPods("p", 12, "1");
            live.awaitAllBound(12);
            live.addPods("huge", 1, "64");
            live.awaitUnschedulable("huge0");
            Await.until(
                    LiveCluster.PATIENCE,
                    "the cache has confirmed all",
                    () -> a.counts(Duration.ofSeconds(5)).assumed() == 0,
                    live::state);
            live.awaitSeen();
            String text = get(server, "/metrics");
            assertTrue(text.contains("policy_scheduler_watch_resource_version{resource=\"nodes\"} "), text);
            for (String line : List.of(
                    "scheduler_schedule_attempts_total{result=\"scheduled\"} 12.0",
                    "scheduler_schedule_attempts_total{result=\"error\"} 0.0",
                    "scheduler_e2e_scheduling_duration_seconds_count 12",
                    "scheduler_binding_duration_seconds_count 12",
                    "scheduler_pod_scheduling_attempts_bucket{le=\"1.0\"} 12",
                    "scheduler_scheduler_cache_size{type=\"nodes\"} 3.0",
                    "scheduler_scheduler_cache_size{type=\"pods\"} 12.0",
                    "scheduler_cache_size{type=\"assumed_pods\"} 0.0",
                    "scheduler_pending_pods{queue=\"active\"} 0.0",
                    "scheduler_queue_incoming_pods_total{event=\"PodAdd\",queue=\"active\"} 13.0",
                    "policy_scheduler_leader 1.0")) {
                assertTrue(text.contains("\n" + line + "\n"), () -> line + " is not in " + text);
            }
            assertFalse(text.contains("scheduler_schedule_attempts_total{result=\"unschedulable\"} 0.0"), text);
            status.stopping();
            assertTrue(get(server, "/readyz").contains("[-]shutdown failed"));
        }
    }

    private static String get(StatusServer server, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }
}
