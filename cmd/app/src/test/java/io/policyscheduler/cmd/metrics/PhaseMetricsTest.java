package io.policyscheduler.cmd.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.metrics.SchedulerMetrics.PhaseMetrics;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PhaseMetricsTest {
    private static final long MS = 1_000_000;
    private static final PodInfo POD = PodBuilder.pod("p").build();
    private static final Instant NOW = Instant.EPOCH;

    private final List<Long> times = new ArrayList<>();
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PhaseMetrics metrics = new PhaseMetrics(registry, "default-scheduler", new Ticker() {
        @Override
        public long read() {
            return times.remove(0) * MS;
        }
    });

    private void enter(Phase phase, long millis) {
        times.add(millis);
        metrics.onPhase(phase);
    }

    private List<String> sums() throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(text, registry.scrape());
        return text.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("_sum") && !line.endsWith(" 0.0"))
                .map(line -> line.replace(",profile=\"default-scheduler\"", ""))
                .toList();
    }

    @Test
    void eachPhaseIsMeasuredWhenItIsLeft() throws IOException {
        enter(Phase.FILTER, 100);
        enter(Phase.SCORE, 102);
        enter(Phase.DECIDED, 106);
        // The pod fits on no node and preempts.
        enter(Phase.FILTER, 200);
        enter(Phase.DECIDED, 201);
        enter(Phase.POST_FILTER, 300);
        metrics.onNominated(POD, "n1", List.of());
        enter(Phase.POST_FILTERED, 308);
        // There are no nodes.
        enter(Phase.DECIDED, 400);
        metrics.onBound(new QueuedPod(POD, NOW, 1, 1, NOW, NOW, Set.of()), "n1", 16 * MS);
        metrics.onPermitWait(POD, "Success", 32 * MS);
        metrics.onWork(64 * MS);
        String point = "scheduler_framework_extension_point_duration_seconds_sum";
        assertEquals(
                List.of(
                        "policy_scheduler_decision_cpu_seconds_sum 0.064",
                        point + "{extension_point=\"Bind\",status=\"Success\"} 0.016",
                        point + "{extension_point=\"Filter\",status=\"Success\"} 0.002",
                        point + "{extension_point=\"Filter\",status=\"Unschedulable\"} 0.001",
                        point + "{extension_point=\"PostFilter\",status=\"Success\"} 0.008",
                        point + "{extension_point=\"Score\",status=\"Success\"} 0.004",
                        "scheduler_permit_wait_duration_seconds_sum{result=\"Success\"} 0.032",
                        "scheduler_scheduling_algorithm_predicate_evaluation_seconds_sum 0.002",
                        "scheduler_scheduling_algorithm_preemption_evaluation_seconds_sum 0.008",
                        "scheduler_scheduling_algorithm_priority_evaluation_seconds_sum 0.004"),
                sums().stream()
                        .map(line -> line.replace("profile=\"default-scheduler\",", ""))
                        .toList());
    }
}
