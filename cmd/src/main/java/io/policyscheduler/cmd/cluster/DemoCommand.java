package io.policyscheduler.cmd.cluster;

import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.embedded.access.AuthorizationMode;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.cmd.options.ClusterTroubleException;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.TieBreak;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code demo}: embedded cluster, a mixed workload and the scheduler with a real old policy. */
@Command(
        name = "demo",
        description = "Starts an embedded cluster, creates a mixed workload and schedules it by an old policy file.",
        sortOptions = false,
        footer = {
            "",
            "The scheduler talks to the embedded cluster over HTTP, exactly as to a real one. -o json gives",
            "{\"pods\": [{\"pod\": ..., \"node\": ..., \"score\": ...}], \"unschedulable\": [{\"pod\": ..., \"message\": ...}]}."
        })
public final class DemoCommand implements Callable<Integer> {
    private static final String SCHEDULER_NAME = "policy-scheduler";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Policy file (default: policy-files/demo/policy.json).")
    private @Nullable Path policyFile;

    @Mixin
    private ClusterOptions clusterOptions = new ClusterOptions();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    @SuppressWarnings("try") // the scheduler runs by itself
    public Integer call() throws InterruptedException {
        Path demo = ProjectHome.find().resolve("policy-files/demo");
        Path file = policyFile == null ? demo.resolve("policy.json") : policyFile;
        EffectivePolicy policy = policy(file, policyOptions.gates().at(clusterOptions.release()));
        DemoResult result = new DemoResult(SCHEDULER_NAME);
        try (EmbeddedCluster cluster = clusterOptions.start(0, AuthorizationMode.ALWAYS_ALLOW);
                Progress progress = common.progress(SteadyClock.system())) {
            ClusterOptions.load(cluster, List.of(demo.resolve("cluster.yaml")));
            if (common.output().isTable()) {
                introduce(cluster, file, policy);
            }
            SchedulerSettings settings =
                    new SchedulerSettings(SCHEDULER_NAME, policy, TieBreak.roundRobin(), 100, false, result);
            KubeConnection connection = KubeConnection.fromUrl(cluster.url());
            try (LiveScheduler live = new LiveScheduler(settings, connection, "demo", Clock.systemUTC())) {
                result.start();
                ClusterOptions.load(cluster, List.of(demo.resolve("workload.yaml")));
                if (!result.await(cluster, LIMIT, progress)) {
                    throw new ClusterTroubleException("after " + LIMIT.toSeconds()
                            + " s some pods are still undecided: " + result.undecided(cluster));
                }
            } catch (ApiIoException e) {
                throw new ClusterTroubleException("embedded cluster: " + e.getMessage(), e);
            }
        }
        common.output().write(() -> result.print(common.out()), result::json);
        return ExitCode.OK;
    }

    private void introduce(EmbeddedCluster cluster, Path file, EffectivePolicy policy) {
        common.out().println("cluster   " + cluster.list("nodes").size() + " nodes at " + cluster.url());
        common.out()
                .println("policy    " + file + ": " + policy.predicates().size() + " predicates, "
                        + policy.priorities().size() + " priorities");
        policy.warnings().forEach(warning -> common.out().println("warning   " + warning.line(policy.source())));
        common.out().println();
        common.out().flush();
    }

    private EffectivePolicy policy(Path file, FeatureGates gates) {
        try {
            PolicyResolver resolver = policyOptions.resolver(Algorithms.registry(), gates);
            return resolver.resolve(resolver.reader().read(InputFiles.text(file), file.toString()));
        } catch (PolicyException e) {
            throw InputException.refused(e);
        }
    }
}
