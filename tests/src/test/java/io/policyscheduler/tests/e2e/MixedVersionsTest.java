package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

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
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Replicas of two versions share one lease. The lease of the previous version is recorded in {@code previous-version}: {@code held.json} while
 * it leads, {@code released.json} after it has stopped. {@link UpgradeTest} runs the programs of both versions.
 */
@Timeout(600)
class MixedVersionsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/psched";
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

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
}
