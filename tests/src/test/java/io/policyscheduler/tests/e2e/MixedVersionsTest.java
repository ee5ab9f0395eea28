package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.kube.election.ResourceLock;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas of two versions share one lease. The lease of the previous version is recorded in {@code previous-version}: {@code held.json} while
 * it leads, {@code released.json} after it has stopped. With {@code -Dprevious.home=FOLDER}, which contains the unpacked archive of another
 * version, both programs run.
 */
@Timeout(600)
class MixedVersionsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/psched";
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final Duration LEASE_DURATION = Duration.ofSeconds(15);

    private static LeaderElectionConfig candidate(String identity) {
        return new LeaderElectionConfig(
                ResourceLock.LEASES,
                "kube-system",
                "psched",
                identity,
                Duration.ofSeconds(30),
                Duration.ofSeconds(20),
                Duration.ofMillis(100),
                true);
    }

    private static ObjectNode recorded(String name) throws IOException {
        return (ObjectNode) JSON.readTree(RepositoryFiles.root()
                .resolve("tests/src/test/resources/previous-version/" + name + ".json")
                .toFile());
    }

    /** As the previous version writes it now, but with a duration that no busy machine exceeds: nothing renews it here. */
    private static ObjectNode held() throws IOException {
        ObjectNode lease = recorded("held");
        String now = MICRO_TIME.format(Instant.now());
        lease.withObject("/spec").put("acquireTime", now).put("renewTime", now).put("leaseDurationSeconds", 3600);
        return lease;
    }

    private static ObjectNode lease(LiveCluster live) {
        return live.cluster().get("leases", "kube-system", "psched").orElseThrow();
    }

    /** A client of the previous version replaces the lease that it has read. */
    private static void write(LiveCluster live, ObjectNode lease) {
        lease.withObject("/metadata")
                .put(
                        "resourceVersion",
                        lease(live).at("/metadata/resourceVersion").asText());
        call(live, "PUT", LEASE, lease, 200);
    }

    private static void call(LiveCluster live, String method, String path, JsonNode body, int status) {
        assertEquals(
                status,
                live.cluster()
                        .call(method, path, "application/json", body.toString().getBytes(StandardCharsets.UTF_8))
                        .code());
    }

    private static void bindAsPrevious(LiveCluster live, String pod) {
        ObjectNode binding = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata").put("name", pod);
        binding.putObject("target").put("kind", "Node").put("name", "n0");
        call(live, "POST", "/api/v1/namespaces/default/pods/" + pod + "/binding", binding, 201);
    }

    private static void awaitLeader(LiveCluster live, LiveScheduler scheduler) {
        Await.until(LiveCluster.PATIENCE, "the scheduler leads", scheduler::isLeader, live::state);
    }

    /** The fields of a lease, and the form of each value: what another version must be able to read. */
    private static Map<String, String> form(JsonNode lease) {
        Map<String, String> form = new TreeMap<>();
        lease.path("spec").properties().forEach(field -> {
            JsonNode value = field.getValue();
            form.put(
                    field.getKey(),
                    value.isTextual()
                            ? value.asText().replaceAll("\\d", "0")
                            : value.getNodeType().name());
        });
        form.remove("holderIdentity");
        return form;
    }

    @Test
    void upgradedReplicaWaitsForThePreviousVersionAndTakesOver() throws IOException {
        try (LiveCluster live = new LiveCluster()) {
            live.cluster().load(held());
            live.addNodes(3, "8");
            LiveScheduler current = live.startCandidate(candidate("current"), SchedulerListener.NONE);
            live.addPods("p", 20, "100m");
            for (int i = 0; i < 8; i++) {
                bindAsPrevious(live, "p" + i);
            }
            live.awaitSeen();
            assertFalse(current.isLeader(), live::state);
            assertEquals(8, live.audit().bound(), live::state);
            write(live, recorded("released"));
            awaitLeader(live, current);
            live.awaitAllBound(20);
            assertEquals(20, live.audit().bound());
            live.assertSound();
            assertEquals(form(held()), form(lease(live)));
            assertEquals(
                    recorded("held").at("/spec/leaseTransitions").asInt() + 1,
                    lease(live).at("/spec/leaseTransitions").asInt());
        }
    }

    @Test
    void downgradedReplicaCanReadTheLeaseAndIsRespected() throws IOException {
        try (LiveCluster live = new LiveCluster()) {
            live.addNodes(3, "8");
            LiveScheduler current = live.startCandidate(candidate("current"), SchedulerListener.NONE);
            awaitLeader(live, current);
            live.addPods("p", 5, "100m");
            live.awaitAllBound(5);
            assertEquals(form(recorded("held")), form(lease(live)));
            live.stop(current);
            assertEquals(form(recorded("released")), form(lease(live)));
            assertEquals("", lease(live).at("/spec/holderIdentity").asText());
            write(live, held());
            LiveScheduler standby = live.startCandidate(candidate("standby"), SchedulerListener.NONE);
            live.addPods("q", 1, "100m");
            live.awaitSeen();
            bindAsPrevious(live, "q0");
            live.awaitSeen();
            assertFalse(standby.isLeader(), live::state);
            assertEquals(6, live.audit().bound());
            live.assertSound();
        }
    }

    @Test
    @Tag("long")
    void programsOfTwoVersionsReplaceEachOtherUnderLoad(@TempDir Path folder) throws IOException, InterruptedException {
        String home = System.getProperty("previous.home", "");
        assumeTrue(!home.isEmpty(), "-Dprevious.home=FOLDER names the unpacked archive of another version");
        try (LiveCluster live = new LiveCluster()) {
            live.addNodes(20, "64");
            Load load = new Load(live);
            try (Program before = previous(live, Path.of(home), folder.resolve("before"))) {
                before.awaitOutput("successfully acquired lease");
                load.until(100);
                try (Program upgraded = current(live, folder.resolve("upgraded"))) {
                    load.until(200);
                    before.close();
                    upgraded.awaitOutput("successfully acquired lease");
                    load.until(400);
                    try (Program after = previous(live, Path.of(home), folder.resolve("after"))) {
                        // A candidate measures a lease from the moment at which it first reads it.
                        after.awaitOutput("attempting to acquire leader lease");
                        load.until(500);
                        upgraded.kill();
                        after.awaitOutput("successfully acquired lease");
                        load.until(700);
                    }
                }
            }
            assertEquals(700, live.audit().bound());
            live.assertSound();
            // A candidate tries again every 2 to 4.4 seconds. The rest is for a busy machine.
            assertTrue(load.longestGap.compareTo(LEASE_DURATION.plusSeconds(10)) < 0, load.longestGap::toString);
        }
    }

    private static Program previous(LiveCluster live, Path home, Path folder) throws IOException {
        return Program.startFrom(home, Files.createDirectory(folder), arguments(live));
    }

    private static Program current(LiveCluster live, Path folder) throws IOException {
        return Program.start(Files.createDirectory(folder), arguments(live).toArray(String[]::new));
    }

    private static List<String> arguments(LiveCluster live) {
        return List.of("run", "--master", live.cluster().url(), "--leader-elect", "--status-address", "127.0.0.1:0");
    }

    /** Creates pods one by one, and measures the longest time without a bind. */
    private static final class Load {
        private final LiveCluster live;
        private int created;
        private int bound;
        private long since = System.nanoTime();
        private Duration longestGap = Duration.ZERO;

        Load(LiveCluster live) {
            this.live = live;
        }

        /** Returns when this number of pods is bound. */
        void until(int pods) throws InterruptedException {
            while (bound < pods) {
                if (created < pods) {
                    live.addPods("p" + created++ + "-", 1, "100m");
                }
                if (live.audit().bound() > bound) {
                    bound = live.audit().bound();
                    since = System.nanoTime();
                }
                Duration gap = Duration.ofNanos(System.nanoTime() - since);
                longestGap = gap.compareTo(longestGap) > 0 ? gap : longestGap;
                Thread.sleep(10);
            }
        }
    }
}
