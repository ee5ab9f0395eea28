package io.policyscheduler.cmd.migrate;

import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.WorkerThreads;
import io.policyscheduler.cmd.migrate.MigrationReport.MigrationResult;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.ShareConverter;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HtmlOption;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.CompareHtml;
import io.policyscheduler.cmd.report.CompareText;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.sources.AlgorithmSources;
import io.policyscheduler.cmd.sources.DumpFiles;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.Comparison;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.migrate.MigrationTarget;
import io.policyscheduler.framework.insight.migrate.Migrator;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.ExtenderPolicy;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code migrate}: converts a policy to a KubeSchedulerConfiguration and reports what is lost. */
@Command(
        name = "migrate",
        description = "Converts a policy to a KubeSchedulerConfiguration of kube-scheduler.",
        sortOptions = false,
        footer = {
            "",
            "The configuration goes to stdout. Its comments name the entries of the policy, or explain a line.",
            "The report of what is the same, different, or lost goes to stderr.",
            "",
            "Rules of the policy need an extender, which \"policy-scheduler extender\" runs.",
            "",
            "The exit code is 1 if an important part of the policy is lost (in -o json: \"level\": \"error\"), even",
            "if the configuration is written. With --fail-on loss, the exit code is 1 if any algorithm has the",
            "RESULT LOST.",
            "",
            "-o json prints one document, which docs/schemas/migrate.schema.json describes. With --verify, the",
            "document contains \"verification\" with the comparisons of compare."
        },
        customSynopsis = {
            "policy-scheduler migrate (FILE | --provider=NAME) [--to=VERSION]",
            "           [--release=1.N] [--keep-with-extender] [--verify=FILE...] [OPTION...]"
        })
public final class MigrateCommand implements Callable<Integer> {
    private static final double MILLIS_PER_SECOND = 1000;

    @Spec
    private CommandSpec spec;

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    /** The source of the policy; exactly one is set. */
    static final class Source {
        @Parameters(
                paramLabel = "FILE",
                arity = "1",
                description = "Policy file, JSON or YAML, a file with a ConfigMap that contains a policy, or a v1alpha1"
                        + " configuration.")
        private @Nullable Path file;

        @Option(
                names = "--provider",
                paramLabel = "NAME",
                description = "Algorithm provider: DefaultProvider or ClusterAutoscalerProvider.")
        private @Nullable String provider;
    }

    @Option(
            names = "--to",
            paramLabel = "VERSION",
            description = "API version of the configuration: v1, v1beta3, v1beta2, or v1beta1 (default: the newest one"
                    + " that --release reads).")
    private @Nullable String version;

    @Option(
            names = "--release",
            paramLabel = "1.N",
            description =
                    "Release of the kube-scheduler that will read the configuration (default: " + Release.NEWEST_TEXT
                            + " for v1, 1.24 for"
                            + " v1beta3, 1.22 for v1beta2, 1.21 for v1beta1).")
    private @Nullable String release;

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            defaultValue = Options.DEFAULT_SCHEDULER,
            description = "schedulerName of the profile (default: ${DEFAULT-VALUE}).")
    private String schedulerName = Options.DEFAULT_SCHEDULER;

    @Option(
            names = "--accept-defaults",
            description =
                    "If the predicates of the policy are the default filters of the release, replace the priorities of"
                            + " the policy by the default scores and weights of the release.")
    private boolean acceptDefaults;

    @Option(
            names = "--keep-with-extender",
            description = "Keep algorithms that have no plugin, such as serviceAffinity, in an extender.")
    private boolean keepWithExtender;

    @Option(
            names = "--extender-url",
            paramLabel = "URL",
            defaultValue = Options.DEFAULT_URL,
            description = "URL of the extender (default: ${DEFAULT-VALUE}).")
    private String extenderUrl = Options.DEFAULT_URL;

    @Option(
            names = {"--extender-policy", "--rules-policy"},
            paramLabel = "FILE",
            description =
                    "Write the policy of the extender to FILE: rules and the algorithms of" + " --keep-with-extender.")
    private @Nullable Path extenderPolicy;

    @Option(
            names = "--config-file",
            paramLabel = "FILE",
            description = "Write the configuration to FILE instead of stdout.")
    private @Nullable Path configFile;

    @Option(names = "--details", description = "Print each effect in full sentences, with numbers.")
    private boolean details;

    @Option(
            names = "--fail-on",
            paramLabel = "loss",
            description =
                    "loss: exit with code 1 if any part of the policy is lost, even if it rarely changes decisions.")
    private @Nullable String failOn;

    @Mixin
    private VerifyOptions verify = new VerifyOptions();

    @Mixin
    private PluginOptions pluginOptions = new PluginOptions();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private HtmlOption html = new HtmlOption();

    @Mixin
    private CommonOptions common = CommonOptions.withReport();

    private final InstantSource clock = SteadyClock.system();

    @Override
    public Integer call() {
        html.check();
        if (failOn != null && !failOn.equals("loss")) {
            throw new ParameterException(spec.commandLine(), "--fail-on: \"" + failOn + "\" is not loss");
        }
        Migrator migrator = new Migrator(target(), options());
        Migration migration = migrate(migrator);
        MigrationReport report = new MigrationReport(migration);
        if (extenderPolicy != null) {
            for (ExtenderPolicy extender : migration.retained()) {
                write(Path.of(extender.file()), extender.text());
            }
        }
        if (configFile != null) {
            write(configFile, migration.configuration());
        }
        if (!verify.isGiven()) {
            ReleaseOptions.newer(target().release())
                    .forEach(note -> common.err().println("warning: " + note));
        }
        Instant start = clock.instant();
        CompareReport verification;
        try (Progress progress = common.progress(clock)) {
            verification = verify.compare(
                    migration,
                    target().release(),
                    policyOptions,
                    pluginOptions,
                    this::resolve,
                    configuration() == null ? null : String.valueOf(source.file),
                    html.isGiven() ? CompareHtml.PODS : VerifyOptions.LIMIT,
                    progress);
        }
        double seconds = Duration.between(start, clock.instant()).toMillis() / MILLIS_PER_SECOND;
        MigrationResult result =
                new MigrationResult(report, verification, verification == null ? "" : verify.verdict(verification));
        html.write(clock, result::page);
        common.output()
                .write(
                        () -> {
                            if (configFile == null) {
                                common.out().print(migration.configuration());
                            }
                            if (verification != null) {
                                Verdict colour = Verdict.of(!verify.fails(verification));
                                TerminalWriter.println(common.err(), colour, result.verdict());
                            }
                            report.print(common.err(), details, extenderPolicy == null);
                            if (verification != null) {
                                common.err().println();
                                new CompareText(verification, false, VerifyOptions.LIMIT).print(common.err(), seconds);
                            }
                        },
                        result::json,
                        result::markdown);
        boolean fails = verification != null && verify.fails(verification);
        boolean loss = failOn != null && migration.losses() > 0;
        return migration.loses() || loss || fails ? ExitCode.NEGATIVE : ExitCode.OK;
    }

    private MigrationTarget target() {
        try {
            return MigrationTarget.of(
                    version == null ? null : configVersion(version), release == null ? null : Release.parse(release));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--to, --release: " + e.getMessage(), e);
        }
    }

    private static ConfigVersion configVersion(String version) {
        return ConfigVersion.of(ConfigVersion.GROUP + "/" + version)
                .orElseThrow(
                        () -> new IllegalArgumentException("\"" + version + "\" is not v1, v1beta3, v1beta2 or v1beta1"
                                + (Release.ofVersion(version).isPresent() ? "; set --release for a release" : "")));
    }

    private Options options() {
        requireUrl();
        if (schedulerName.isBlank()) {
            throw new ParameterException(spec.commandLine(), "--scheduler-name: is empty");
        }
        String file = extenderPolicy == null ? Options.DEFAULTS.extenderPolicyFile() : extenderPolicy.toString();
        SchedulerConfiguration named = configuration();
        String name = named == null || !schedulerName.equals(Options.DEFAULT_SCHEDULER)
                ? schedulerName
                : named.profiles().get(0).schedulerName();
        return new Options(name, acceptDefaults, keepWithExtender, extenderUrl, file);
    }

    private void requireUrl() {
        try {
            URI uri = URI.create(extenderUrl);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return;
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--extender-url: " + e.getMessage(), e);
        }
        throw new ParameterException(
                spec.commandLine(), "--extender-url: \"" + extenderUrl + "\" is no URL such as " + Options.DEFAULT_URL);
    }

    private Migration migrate(Migrator migrator) {
        // Only the policy itself is migrated, because current plugins already honor the fields that newer clusters add.
        policyOptions.withoutMeasuredValues();
        PolicyResolver resolver = resolver(policyOptions.gates());
        try {
            Policy read = read(resolver);
            checkPlugins();
            return migrator.migrate(resolve(resolver, read), read, configuration());
        } catch (PolicyException e) {
            throw InputException.of(e);
        }
    }

    /** Rejects a configuration whose plugins run would reject. */
    private void checkPlugins() {
        if (configuration() != null) {
            new SchedulerFactory(policyOptions, policyOptions.gates(), pluginOptions, warning -> {})
                    .parse("config:" + source.file);
        }
    }

    private PolicyResolver resolver(FeatureGates gates) {
        SchedulerConfiguration named = configuration();
        return named == null
                ? policyOptions.resolver(Algorithms.registry(), gates)
                : policyOptions.resolver(Algorithms.registry(), gates, named);
    }

    /** The policy with these feature gates. */
    private EffectivePolicy resolve(FeatureGates gates) {
        policyOptions.withoutMeasuredValues();
        PolicyResolver resolver = resolver(gates);
        try {
            return resolve(resolver, read(resolver));
        } catch (PolicyException e) {
            throw InputException.of(e);
        }
    }

    /** The file as it was read; null for a provider. */
    private @Nullable Policy read(PolicyResolver resolver) throws PolicyException {
        SchedulerConfiguration named = configuration();
        if (named != null) {
            return AlgorithmSources.policy(named, PolicyTexts.FILES, resolver.reader());
        }
        Path file = source.file;
        return file == null ? null : resolver.reader().read(InputFiles.text(file), file.toString());
    }

    private EffectivePolicy resolve(PolicyResolver resolver, @Nullable Policy read) throws PolicyException {
        if (read != null) {
            return resolver.resolve(read);
        }
        SchedulerConfiguration named = configuration();
        return named != null ? AlgorithmSources.provider(named, resolver) : resolver.resolveProvider(provider());
    }

    private String provider() {
        return source.provider == null ? Providers.DEFAULT : source.provider;
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new InputException("cannot write " + file + ": " + e, e);
        }
    }

    /** The v1alpha1 configuration that names the policy; null if a policy or a provider is given. */
    private @Nullable SchedulerConfiguration configuration() {
        Path file = source.file;
        if (file == null) {
            return null;
        }
        String text = InputFiles.text(file);
        if (!InputDocument.isConfiguration(text)) {
            return null;
        }
        SchedulerConfiguration configuration = AlgorithmSources.read(text, file.toString());
        if (configuration == null) {
            ConfigVersion given = AlgorithmSources.parse(text, file.toString()).version();
            Release release = target().release();
            throw new InputException(file + ": a KubeSchedulerConfiguration, which needs no migration"
                    + (given.isReadBy(release)
                            ? ""
                            : ", but another apiVersion: kube-scheduler " + release + " does not read "
                                    + given.version()
                                    + "; write apiVersion: "
                                    + ConfigVersion.usual(release).apiVersion()
                                    + " and check the file with validate --release "
                                    + release));
        }
        return configuration;
    }

    /** Whether the pods of a dump would go where they go by the policy, as a mixin. */
    private static final class VerifyOptions {
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
            FeatureGates gates =
                    policyOptions.gates().at(snapshot.knownRelease().orElse(Release.NEWEST));
            SchedulerFactory schedulers = new SchedulerFactory(policyOptions, gates, pluginOptions, warnings);
            if (!migration.retained().isEmpty()) {
                warnings.accept("what goes behind an extender is not part of the comparison");
            }
            SchedulerSpec before = configuration == null
                    ? schedulers.ofPolicy(policy.apply(gates))
                    : schedulers.parse("config:" + configuration);
            SchedulerSpec after =
                    schedulers.as(release).ofConfiguration("migrated", migration.configuration(), "migrated");
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
            String required = share == null
                    ? ""
                    : String.format(
                            Locale.ROOT,
                            fails(verification)
                                    ? ", which is less than the %s %% of --fail-under"
                                    : ", at least %s %% are required",
                            trimmed(share * PERCENT));
            return "verified: decisions differ for " + differing + " of " + pair.pods()
                    + (pair.pods() == 1 ? " pod" : " pods") + "; " + agreed + required;
        }

        private static String trimmed(double value) {
            return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
        }

        private static PairSummary pair(CompareReport verification) {
            return verification.pairs().get(0);
        }
    }
}
