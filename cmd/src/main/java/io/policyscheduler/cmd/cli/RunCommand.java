package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.ClusterException;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.cmd.run.LiveScheduler;
import io.policyscheduler.cmd.run.SchedulerLog;
import io.policyscheduler.cmd.run.SchedulerSettings;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyWarning;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
            "way are finished. What happens is logged to stderr, one line each."
        })
final class RunCommand implements Callable<Integer> {
    private static final Duration CHECK = Duration.ofSeconds(1);

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
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() throws InterruptedException {
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
        try (LiveScheduler live = start(policy, connection)) {
            common.err()
                    .println("scheduling pods of " + schedulerName + " on " + connection.serverUrl() + " by "
                            + policy.source() + ": " + policy.predicates().size() + " predicates, "
                            + policy.priorities().size() + " priorities");
            common.err().flush();
            return waitFor(live);
        }
    }

    private LiveScheduler start(EffectivePolicy policy, KubeConnection connection) {
        SchedulerSettings settings = new SchedulerSettings(
                schedulerName,
                policy,
                tieBreak.create(System.nanoTime()),
                percentage,
                disablePreemption,
                new SchedulerLog());
        try {
            return new LiveScheduler(settings, connection, schedulerName + "-" + hostName(), Clock.systemUTC());
        } catch (ApiIoException e) {
            connection.close();
            throw new ClusterTroubleException("cannot talk to " + connection.serverUrl() + ": " + e.getMessage(), e);
        } catch (ClusterException e) {
            connection.close();
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Until the process is told to stop; the shutdown waits for the scheduler to be closed. */
    private static int waitFor(LiveScheduler live) throws InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        Thread caller = Thread.currentThread();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            stop.countDown();
                            try {
                                caller.join(TimeUnit.SECONDS.toMillis(10));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        },
                        "stop"));
        while (!stop.await(0, TimeUnit.SECONDS)) {
            if (live.awaitEnd(CHECK)) {
                throw new IllegalStateException("the scheduling thread has ended");
            }
        }
        return ExitCode.OK;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
