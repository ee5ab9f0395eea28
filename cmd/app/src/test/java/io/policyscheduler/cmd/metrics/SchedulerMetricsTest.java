package io.policyscheduler.cmd.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.metrics.SchedulerMetrics.Attempts;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.AttemptListener.BatchFlush;
import io.policyscheduler.framework.cycle.AttemptListener.BatchResult;
import io.policyscheduler.framework.cycle.AttemptListener.DecisionDifference;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SchedulerMetricsTest {
    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00Z");
    private static final long MS = 1_000_000;
    private static final Decision PLACED = new Decision(Decision.Kind.PLACED, "n1", 10, "", 3, 3);

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private long nanos = 1_000 * MS;
    private final SchedulerMetrics metrics =
            new SchedulerMetrics(registry, "s", true, ticker(), InstantSource.fixed(NOW));

    private Ticker ticker() {
        return new Ticker() {
            @Override
            public long read() {
                return nanos;
            }
        };
    }

    private static PodInfo pod(String name) {
        return PodBuilder.pod(name).build();
    }

    private static QueuedPod entry(PodInfo pod) {
        return new QueuedPod(pod, NOW, 1, 1, NOW, NOW, Set.of());
    }

    private static Decision failed(Decision.Kind kind) {
        return new Decision(kind, null, 0, "no", 0, 3);
    }

    private List<String> series(String prefix) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, registry.scrape());
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith(prefix))
                .toList();
    }

    private List<String> attempts() throws IOException {
        return series("scheduler_schedule_attempts_total{").stream()
                .map(line -> line.replaceAll(".*result=\"(\\w+)\"} ", "$1 "))
                .toList();
    }

    @Test
    void slowDecisionsAreCounted() throws IOException {
        assertEquals(List.of("policy_scheduler_slow_decisions_total 0.0"), series("policy_scheduler_slow_decisions"));
        metrics.onSlowDecision(pod("a"), 900 * MS);
        assertEquals(List.of("policy_scheduler_slow_decisions_total 1.0"), series("policy_scheduler_slow_decisions"));
    }

    @Test
    void failuresOfTheResultCacheAreCounted() throws IOException {
        assertEquals(
                List.of("policy_scheduler_result_cache_failures_total 0.0"), series("policy_scheduler_result_cache_f"));
        metrics.onResultCacheFailed(pod("a"), new IllegalStateException("for the test"));
        assertEquals(
                List.of("policy_scheduler_result_cache_failures_total 1.0"), series("policy_scheduler_result_cache_f"));
    }

    @Test
    void batchesAreCountedByResultAndReason() throws IOException {
        metrics.onBatched(BatchResult.NO_HINT);
        metrics.onBatched(BatchResult.HINT_USED);
        metrics.onBatched(BatchResult.HINT_USED);
        metrics.onBatchFlushed(BatchFlush.NODE_NOT_FULL);
        assertEquals(
                List.of(
                        "scheduler_batch_attempts_total{profile=\"s\",result=\"hint_used\"} 2.0",
                        "scheduler_batch_attempts_total{profile=\"s\",result=\"no_hint\"} 1.0",
                        "scheduler_batch_cache_flushed_total{profile=\"s\",reason=\"node_not_full\"} 1.0"),
                series("scheduler_batch_"));
    }

    @Test
    void verifiedDecisionsAndTheirDifferencesAreCountedFromZeroOn() throws IOException {
        assertEquals(
                List.of("policy_scheduler_decision_differences_total 0.0"), series("policy_scheduler_decision_differ"));
        metrics.onDecisionDiffers(new DecisionDifference(pod("a"), "the outcome", "a", "b", List.of()));
        metrics.onDecisionVerified(pod("a"));
        metrics.onDecisionVerified(pod("b"));
        assertEquals(
                List.of("policy_scheduler_decision_differences_total 1.0"), series("policy_scheduler_decision_differ"));
        assertEquals(List.of("policy_scheduler_decisions_verified_total 2.0"), series("policy_scheduler_decisions_v"));
    }

    @Test
    void podsOfOthersAreCounted() throws IOException {
        assertEquals(List.of("policy_scheduler_pods_left_total 0.0"), series("policy_scheduler_pods_left"));
        metrics.onLeft(pod("a"));
        assertEquals(List.of("policy_scheduler_pods_left_total 1.0"), series("policy_scheduler_pods_left"));
    }

    @Test
    void allResultsAreThereFromTheStart() throws IOException {
        assertEquals(List.of("error 0.0", "scheduled 0.0", "unschedulable 0.0"), attempts());
        assertEquals(
                List.of("scheduler_pod_preemption_victims_count 0"), series("scheduler_pod_preemption_victims_count"));
        assertEquals(List.of(), series("scheduler_queue_incoming_pods_total{"));
    }

    @Test
    void aBoundPodCountsFromTheStartOfItsAttempt() throws IOException {
        PodInfo pod = pod("p");
        metrics.onDecision(pod, PLACED, 3 * MS);
        nanos += 20 * MS;
        metrics.onBound(new QueuedPod(pod, NOW, 1, 4, NOW.minusSeconds(2), NOW, Set.of()), "n1", 20 * MS);
        assertEquals(List.of("error 0.0", "scheduled 1.0", "unschedulable 0.0"), attempts());
        assertEquals(
                List.of("scheduler_e2e_scheduling_duration_seconds_sum 0.023"),
                series("scheduler_e2e_scheduling_duration_seconds_sum"));
        assertEquals(
                List.of("scheduler_scheduling_algorithm_duration_seconds_sum 0.003"),
                series("scheduler_scheduling_algorithm_duration_seconds_sum"));
        assertEquals(
                List.of("scheduler_binding_duration_seconds_sum 0.02"),
                series("scheduler_binding_duration_seconds_sum"));
        assertEquals(
                List.of("scheduler_pod_scheduling_duration_seconds_sum 2.0"),
                series("scheduler_pod_scheduling_duration_seconds_sum"));
        assertEquals(
                List.of(
                        "scheduler_pod_scheduling_attempts_bucket{le=\"1.0\"} 0",
                        "scheduler_pod_scheduling_attempts_bucket{le=\"2.0\"} 0",
                        "scheduler_pod_scheduling_attempts_bucket{le=\"4.0\"} 1",
                        "scheduler_pod_scheduling_attempts_bucket{le=\"8.0\"} 1",
                        "scheduler_pod_scheduling_attempts_bucket{le=\"16.0\"} 1",
                        "scheduler_pod_scheduling_attempts_bucket{le=\"+Inf\"} 1"),
                series("scheduler_pod_scheduling_attempts_bucket"));
        assertEquals(
                List.of("scheduler_scheduling_attempt_duration_seconds_sum{profile=\"s\",result=\"scheduled\"} 0.023"),
                series("scheduler_scheduling_attempt_duration_seconds_sum{profile=\"s\",result=\"sch"));
    }

    @Test
    void everyFailureCountsOnce() throws IOException {
        metrics.onDecision(pod("unfit"), failed(Decision.Kind.UNSCHEDULABLE), MS);
        metrics.onFailure(entry(pod("unfit")), "Unschedulable", "no");
        metrics.onDecision(pod("no-nodes"), failed(Decision.Kind.NO_NODES), MS);
        PodInfo broken = pod("broken");
        metrics.onDecision(broken, failed(Decision.Kind.ERROR), MS);
        metrics.onFailure(entry(broken), "Unschedulable", "no");
        assertEquals(List.of("error 1.0", "scheduled 0.0", "unschedulable 2.0"), attempts());

        PodInfo refused = pod("refused");
        metrics.onDecision(refused, PLACED, MS);
        metrics.onBindFailed(entry(refused), "n1", "no");
        metrics.onFailure(entry(refused), "SchedulerError", "no");
        assertEquals(List.of("error 2.0", "scheduled 0.0", "unschedulable 2.0"), attempts());

        PodInfo notAssumed = pod("not-assumed");
        metrics.onDecision(notAssumed, PLACED, MS);
        metrics.onFailure(entry(notAssumed), "SchedulerError", "no");
        assertEquals(List.of("error 3.0", "scheduled 0.0", "unschedulable 2.0"), attempts());
        assertEquals(List.of("scheduler_total_preemption_attempts 1.0"), series("scheduler_total_preemption"));
        assertEquals(List.of("scheduler_preemption_attempts_total 1.0"), series("scheduler_preemption_attempts"));
    }

    @Test
    void victimsAndQueues() throws IOException {
        metrics.onPreempted(pod("p"), 6);
        assertTrue(series("scheduler_pod_preemption_victims_bucket")
                .containsAll(List.of(
                        "scheduler_pod_preemption_victims_bucket{le=\"5.0\"} 0",
                        "scheduler_pod_preemption_victims_bucket{le=\"10.0\"} 1",
                        "scheduler_pod_preemption_victims_bucket{le=\"50.0\"} 1")));
        metrics.onIncoming(Part.ACTIVE, ClusterEvent.POD_ADD.label());
        metrics.onIncoming(Part.ACTIVE, ClusterEvent.POD_ADD.label());
        metrics.onIncoming(Part.BACKOFF, ClusterEvent.NODE_ADD.label());
        assertEquals(
                List.of(
                        "scheduler_queue_incoming_pods_total{event=\"NodeAdd\",queue=\"backoff\"} 1.0",
                        "scheduler_queue_incoming_pods_total{event=\"PodAdd\",queue=\"active\"} 2.0"),
                series("scheduler_queue_incoming_pods_total{"));
    }

    @Test
    void gaugesAreOfOneMoment() throws IOException {
        registry.register(new SchedulerGauges(
                () -> new Counts(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
                () -> false,
                () -> Map.of("nodes", "1234567", "pods", "1234569", "services", "", "claims", "abc"),
                () -> Map.of("Pod", 3),
                () -> Map.of("nodes", Duration.ofMillis(2500), "pods", Duration.ZERO),
                "kube-scheduler"));
        assertEquals(
                List.of("leader_election_master_status{name=\"kube-scheduler\"} 0.0"),
                series("leader_election_master_status{"));
        assertEquals(
                List.of(
                        "policy_scheduler_watch_unanswered_seconds{resource=\"nodes\"} 2.5",
                        "policy_scheduler_watch_unanswered_seconds{resource=\"pods\"} 0.0"),
                series("policy_scheduler_watch_unanswered_seconds{"));
        assertEquals(
                List.of("policy_scheduler_unreadable_objects{kind=\"Pod\"} 3.0"),
                series("policy_scheduler_unreadable_objects{"));
        assertEquals(
                List.of(
                        "scheduler_pending_pods{queue=\"active\"} 1.0",
                        "scheduler_pending_pods{queue=\"backoff\"} 2.0",
                        "scheduler_pending_pods{queue=\"gated\"} 9.0",
                        "scheduler_pending_pods{queue=\"unschedulable\"} 3.0"),
                series("scheduler_pending_pods{"));
        assertEquals(
                List.of(
                        "scheduler_scheduler_cache_size{type=\"assumed_pods\"} 6.0",
                        "scheduler_scheduler_cache_size{type=\"nodes\"} 8.0",
                        "scheduler_scheduler_cache_size{type=\"pods\"} 7.0"),
                series("scheduler_scheduler_cache_size{"));
        assertEquals(List.of("policy_scheduler_status_writes 10.0"), series("policy_scheduler_status_writes"));
        assertEquals(List.of("policy_scheduler_leader 0.0"), series("policy_scheduler_leader"));
        assertEquals(
                List.of(
                        "policy_scheduler_watch_resource_version{resource=\"nodes\"} 1234567.0",
                        "policy_scheduler_watch_resource_version{resource=\"pods\"} 1234569.0"),
                series("policy_scheduler_watch_resource_version"));
    }

    @Test
    void manyAttemptsAtOnceKeepTheirTimes() {
        Attempts times = new Attempts();
        List<PodInfo> pods = IntStream.range(0, 500).mapToObj(i -> pod("p" + i)).toList();
        for (int i = 0; i < pods.size(); i++) {
            times.put(pods.get(i), i);
        }
        int known = 0;
        for (int i = 0; i < pods.size(); i++) {
            long start = times.take(pods.get(i));
            assertTrue(start == i || start == Attempts.UNKNOWN);
            known += start == i ? 1 : 0;
            assertEquals(Attempts.UNKNOWN, times.take(pods.get(i)));
        }
        assertTrue(known >= 450, "known: " + known);
    }
}
