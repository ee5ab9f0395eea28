package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.http.StatusContent.Page;
import io.policyscheduler.cmd.http.StatusServer.HealthReport.Check;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.metrics.SchedulerGauges;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The status of a scheduler for the status port, from before it is connected until after it is closed. Thread-safe.
 *
 * <p>{@code /healthz} has one check, {@code leaderElection} or {@code ping}, as in kube-scheduler. {@code /readyz} succeeds when
 * the caches are synced, also on standby. It fails when the process is about to end, and with the name of each watch
 * ({@code watch-pods}) for which the server has not responded for longer than a lease lasts, because another process may be able
 * to take over. {@code /livez} does not check watches, because a restart would not help.
 */
public final class SchedulerStatus {
    /** How long a scrape waits for the scheduling thread. */
    private static final Duration COUNT_PATIENCE = Duration.ofSeconds(1);

    private final AtomicReference<@Nullable LiveScheduler> scheduler = new AtomicReference<>();
    private final PrometheusRegistry registry;
    private final StatusContent content;
    private final String lock;
    /** How long a watch may be without a response. */
    private final Duration patience;

    private volatile boolean stopping;

    /**
     * The status of a scheduler that does not run yet.
     *
     * @param election leader election; null for none
     * @param configz JSON text of the configuration
     */
    public SchedulerStatus(
            PrometheusRegistry registry, @Nullable LeaderElectionConfig election, Supplier<String> configz) {
        this(registry, election, configz, Page.NONE, Optional::empty);
    }

    /**
     * A status with the decision history.
     *
     * @param decisions the page of decisions
     * @param tables the note about the tables of policies: old values do not make the scheduler unhealthy
     */
    public SchedulerStatus(
            PrometheusRegistry registry,
            @Nullable LeaderElectionConfig election,
            Supplier<String> configz,
            Page decisions,
            Supplier<Optional<String>> tables) {
        this.registry = registry;
        this.lock = election == null ? "" : election.name();
        this.patience = election == null ? LeaderElectionConfig.DEFAULT_LEASE_DURATION : election.leaseDuration();
        Check basic = election == null ? Check.PING : new Check("leaderElection", this::electionTrouble);
        List<Check> ready = new ArrayList<>(List.of(
                basic,
                Check.of("informer-sync", this::isSynced, "the caches are not synced"),
                Check.of("shutdown", () -> !stopping, "process is shutting down")));
        for (WatchedResource watched : WatchedResource.all()) {
            ready.add(new Check("watch-" + watched.resource(), () -> watchTrouble(watched.resource())));
        }
        ready.add(Check.noting("tables", tables));
        this.content = new StatusContent(
                List.of(basic),
                List.of(basic, Check.of("scheduling-thread", this::isRunning, "the scheduling thread has terminated")),
                ready,
                registry,
                configz,
                decisions);
    }

    /** The content of the status port. */
    public StatusContent content() {
        return content;
    }

    /** The scheduler runs; its gauges appear. Once only. */
    public void running(LiveScheduler live) {
        scheduler.set(live);
        registry.register(new SchedulerGauges(
                () -> live.counts(COUNT_PATIENCE),
                live::isLeader,
                live::watchedVersions,
                live::unreadableObjects,
                live::unanswered,
                lock));
    }

    /** The scheduler is about to be closed. */
    public void stopping() {
        stopping = true;
    }

    private Optional<String> electionTrouble() {
        LiveScheduler live = scheduler.get();
        return live == null ? Optional.empty() : live.electionTrouble();
    }

    private Optional<String> watchTrouble(String resource) {
        LiveScheduler live = scheduler.get();
        return live != null && live.unansweredFor(patience).contains(resource)
                ? Optional.of(
                        "no response to the watch of " + resource + " for more than " + patience.toMillis() + " ms")
                : Optional.empty();
    }

    private boolean isRunning() {
        LiveScheduler live = scheduler.get();
        return live == null || live.isRunning();
    }

    private boolean isSynced() {
        LiveScheduler live = scheduler.get();
        return live != null && live.isSynced();
    }
}
