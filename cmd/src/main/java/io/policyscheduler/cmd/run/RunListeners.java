package io.policyscheduler.cmd.run;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.history.TableMarks;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.SchedulerLog;
import io.policyscheduler.cmd.live.TeeListener;
import io.policyscheduler.cmd.metrics.ApiMetrics;
import io.policyscheduler.cmd.metrics.HistoryMetrics;
import io.policyscheduler.cmd.metrics.PhaseMetrics;
import io.policyscheduler.cmd.metrics.SchedulerMetrics;
import io.policyscheduler.cmd.page.PageRates;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;

/** All that hears what {@code run} does: log, metrics, memory of decisions, page. */
final class RunListeners {
    private final DecisionHistory history;
    private final PageRates rates = new PageRates();
    private final SchedulerListener all;

    /**
     * Registers the metrics, and listens to the calls of the connection.
     *
     * @param name of the scheduler in metrics
     * @param preemption whether unschedulable pods preempt
     * @param remembered how many decisions
     * @param tables that rules read
     */
    RunListeners(
            PrometheusRegistry registry,
            String name,
            boolean preemption,
            int remembered,
            TableMarks tables,
            KubeConnection connection) {
        SchedulerMetrics metrics =
                new SchedulerMetrics(registry, name, preemption, Ticker.systemTicker(), SteadyClock.system());
        PhaseMetrics phases = new PhaseMetrics(registry, name, Ticker.systemTicker());
        ApiMetrics calls = new ApiMetrics(registry);
        connection.listen((method, host, code, nanos) -> {
            calls.called(method, host, code, nanos);
            rates.called(method, host, code, nanos);
        });
        history = new DecisionHistory(remembered, Clock.systemUTC(), tables);
        HistoryMetrics.register(registry, history::bytes);
        all = new TeeListener(
                new TeeListener(new SchedulerLog(), metrics), new TeeListener(phases, new TeeListener(history, rates)));
    }

    DecisionHistory history() {
        return history;
    }

    PageRates rates() {
        return rates;
    }

    /** To be told by the scheduler. */
    SchedulerListener all() {
        return all;
    }
}
