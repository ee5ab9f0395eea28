package io.policyscheduler.cmd.cli;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.ClusterException;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.cmd.kube.LeaseSettings;
import io.policyscheduler.cmd.metrics.PolicyMetrics;
import io.policyscheduler.cmd.metrics.ProcessMetrics;
import io.policyscheduler.cmd.metrics.SchedulerMetrics;
import io.policyscheduler.cmd.run.LiveScheduler;
import io.policyscheduler.cmd.run.SchedulerLog;
import io.policyscheduler.cmd.run.SchedulerSettings;
import io.policyscheduler.cmd.run.SchedulerStatus;
import io.policyscheduler.cmd.run.TeeListener;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyWarning;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code run}: the scheduler against a cluster. */
@Command(
        name = "run",
        description = "Schedules the pods of one scheduler name on a cluster, by an old policy.",
        sortOptions = false,
        footer = {
            "",
            "Flags that kube-scheduler 1.17 had mean what they meant there. Runs until it is interrupted; then binds under",
            "way are finished and the lease, if any, is given back. A leader that loses its lease ends with exit code 5.",
            "What happens is logged to stderr, one line each."
        })
final class RunCommand implements Callable<Integer> {
    private static final Duration CHECK = Duration.ofMillis(200);

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            defaultValue = "policy-scheduler",
            description = "Pods with this spec.schedulerName are scheduled (default: ${DEFAULT-VALUE}).")
    private String schedulerName = "policy-scheduler";

    @Mixin
    private PolicySourceOptions source = new PolicySourceOptions();

    @Option(names = "--kubeconfig", paramLabel = "FILE", description = "How to reach the cluster; in a pod not needed.")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "Address of the API server; overrides the kubeconfig.")
    private @Nullable String master;

    @Option(
            names = "--tie-break",
            paramLabel = "HOW",
            defaultValue = "round-robin",
            description = "Among equally good nodes: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private TieBreakOption tieBreak = TieBreakOption.ROUND_ROBIN;

    @Option(
            names = "--percentage-of-nodes-to-score",
            paramLabel = "N",
            defaultValue = "0",
            description = "Look for feasible nodes in this part of the cluster; 0 adapts to its size, 100 is all.")
    private int percentage;

    @Option(names = "--disable-preemption", description = "Never evict a pod to make room.")
    private boolean disablePreemption;

    @Mixin
    private LeaderElectionOptions leaderElection = new LeaderElectionOptions();

    @Mixin
    private ServingOptions serving = new ServingOptions();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() throws InterruptedException {
        LeaseSettings election = leaderElection.settings(schedulerName);
        KubeConnection connection;
        try {
            connection = KubeConnection.auto(kubeconfig, master);
        } catch (ClusterException e) {
            throw new ClusterTroubleException(e.getMessage() == null ? "no cluster" : e.getMessage(), e);
        }
        EffectivePolicy policy;
        try {
            policy = source.resolve(policyOptions.resolver(Algorithms.registry()), connection);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
        for (PolicyWarning warning : policy.warnings()) {
            common.err().println("warning: " + warning.line(policy.source()));
        }
        common.err().flush();
        PrometheusRegistry registry = new PrometheusRegistry();
        registry.register(new ProcessMetrics());
        new PolicyMetrics(registry);
        SchedulerMetrics metrics = new SchedulerMetrics(
                registry, schedulerName, !disablePreemption, Ticker.systemTicker(), Clock.systemUTC());
        SchedulerSettings settings = new SchedulerSettings(
                        schedulerName,
                        policy,
                        tieBreak.create(System.nanoTime()),
                        percentage,
                        disablePreemption,
                        new TeeListener(new SchedulerLog(), metrics))
                .withElection(election);
        String configuration = ConfigurationText.of(settings);
        SchedulerStatus status = new SchedulerStatus(registry, election != null, () -> configuration);
        // Before the cluster is asked: a port that is taken must not cost a leader.
        try (StopSignal stop = new StopSignal();
                StatusServer server = serve(status, connection);
                LiveScheduler live = start(settings, connection)) {
            status.running(live);
            announce(policy, connection, server);
            int code = waitFor(live, stop);
            status.stopping();
            return code;
        }
    }

    private @Nullable StatusServer serve(SchedulerStatus status, KubeConnection connection) {
        try {
            return serving.start(status.content());
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private void announce(EffectivePolicy policy, KubeConnection connection, @Nullable StatusServer server) {
        common.err()
                .println("scheduling pods of " + schedulerName + " on " + connection.serverUrl() + " by "
                        + policy.source() + ": " + policy.predicates().size() + " predicates, "
                        + policy.priorities().size() + " priorities");
        if (server != null) {
            common.err().println("status at http://" + ListenAddress.text(server.address()));
        }
        common.err().flush();
    }

    private LiveScheduler start(SchedulerSettings settings, KubeConnection connection) {
        try {
            return new LiveScheduler(
                    settings, connection, schedulerName + "-" + LeaseSettings.hostName(), Clock.systemUTC());
        } catch (ApiIoException e) {
            connection.close();
            throw new ClusterTroubleException("cannot talk to " + connection.serverUrl() + ": " + e.getMessage(), e);
        } catch (ClusterException e) {
            connection.close();
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Until the process is told to stop or has lost the leadership. */
    private int waitFor(LiveScheduler live, StopSignal stop) throws InterruptedException {
        while (!stop.isGiven()) {
            if (live.awaitEnd(CHECK)) {
                throw new IllegalStateException("the scheduling thread has ended");
            }
            String loss = live.lossOfLeadership();
            if (!loss.isEmpty()) {
                common.err().println("error: leaderelection lost: " + loss);
                common.err().flush();
                return ExitCode.LEADERSHIP_LOST;
            }
        }
        return ExitCode.OK;
    }
}
