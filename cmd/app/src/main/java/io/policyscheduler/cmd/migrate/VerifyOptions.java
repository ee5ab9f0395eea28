package io.policyscheduler.cmd.migrate;

import io.policyscheduler.cmd.live.WorkerThreads;
import io.policyscheduler.cmd.options.CommonOptions.ShareConverter;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.sources.DumpFiles;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.Comparison;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whether the pods of a dump would go where they go by the policy, as a mixin. */
final class VerifyOptions {
    /** Maximum number of differing pods in the report. */
    static final int LIMIT = 20;

    private static final double PERCENT = 100;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--verify",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Schedule all pods of this snapshot with the policy and with the configuration, and"
                    + " report the agreement and the causes of differences.")
    private List<Path> files = List.of();

    @Option(
            names = "--fail-under",
            paramLabel = "SHARE",
            converter = ShareConverter.class,
            description = "With --verify: exit with code 1 if the agreement is below this share, such as 90%%.")
    private @Nullable Double share;

    @Mixin
    private DumpFiles dumps = new DumpFiles();

    /** Whether a snapshot is given. */
    boolean isGiven() {
        return !files.isEmpty();
    }

    /**
     * Compares the policy as plugins with the configuration; null without a snapshot.
     *
     * @param release whose kube-scheduler reads the configuration
     * @param configuration file of the v1alpha1 configuration that adds plugins to the policy; null if there is none
     * @param limit maximum number of differing pods in the report
     */
    @Nullable
    CompareReport compare(
            Migration migration,
            Release release,
            PolicyOptions policyOptions,
            PluginOptions pluginOptions,
            Function<FeatureGates, EffectivePolicy> policy,
            @Nullable String configuration,
            int limit,
            Progress progress) {
        if (files.isEmpty()) {
            if (share != null) {
                throw new ParameterException(spec.commandLine(), "--fail-under is for --verify");
            }
            return null;
        }
        Warnings warnings = new Warnings(progress);
        ReleaseOptions.newer(release).forEach(warnings);
        Dump dump = new Dump(
                policyOptions
                        .gates()
                        .at(Release.NEWEST)
                        .keepingPodAnnotations(
                                policy.apply(policyOptions.gates().at(Release.NEWEST))
                                        .rules()
                                        .readsPodAnnotations()),
                warnings,
                objects -> progress.count("objects read", objects, 0));
        dumps.read(files, dump);
        ClusterSnapshot snapshot = dump.snapshot();
        FeatureGates gates = policyOptions.gates().at(snapshot.knownRelease().orElse(Release.NEWEST));
        SchedulerFactory schedulers = new SchedulerFactory(policyOptions, gates, pluginOptions, warnings);
        if (!migration.retained().isEmpty()) {
            warnings.accept("what goes behind an extender is not part of the comparison");
        }
        SchedulerSpec before = configuration == null
                ? schedulers.ofPolicy(policy.apply(gates))
                : schedulers.parse("config:" + configuration);
        SchedulerSpec after = schedulers.as(release).ofConfiguration("migrated", migration.configuration(), "migrated");
        try (WorkerThreads threads = new WorkerThreads()) {
            return new Comparison(
                            snapshot,
                            List.of(before, after),
                            new Comparison.Settings(CompareReport.Mode.STEPS, true, false, limit),
                            threads.workers())
                    .run((done, all, differing) ->
                            progress.count("pods compared, " + differing + " differ", done, all));
        }
    }

    /** Whether the agreement is below {@code --fail-under}. */
    boolean fails(CompareReport verification) {
        return share != null && pair(verification).agreementRate() < share;
    }

    /** The result in one line, for the start of the report. */
    String verdict(CompareReport verification) {
        PairSummary pair = pair(verification);
        if (pair.pods() == 0) {
            return "verified: nothing, because the dump contains no pods";
        }
        int differing = pair.pods() - pair.agreeing();
        String agreed = Percent.ofShare(pair.agreementRate()) + " % agree";
        String wanted = share == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        fails(verification)
                                ? ", which is less than the %s %% of --fail-under"
                                : ", at least %s %% are required",
                        trimmed(share * PERCENT));
        return "verified: decisions differ for " + differing + " of " + pair.pods()
                + (pair.pods() == 1 ? " pod" : " pods") + "; " + agreed + wanted;
    }

    private static String trimmed(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static PairSummary pair(CompareReport verification) {
        return verification.pairs().get(0);
    }
}
