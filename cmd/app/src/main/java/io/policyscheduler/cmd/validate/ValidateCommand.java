package io.policyscheduler.cmd.validate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.PolicySourceOptions;
import io.policyscheduler.cmd.sources.ProfilePlan;
import io.policyscheduler.cmd.sources.ProfilePlan.ProfileRequest;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.ProfilePlugins;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.config.Settings;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.profile.PolicyTranslator;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code validate}: checks a policy or configuration, and prints the effective one. */
@Command(
        name = "validate",
        description = "Validates a policy or a KubeSchedulerConfiguration and prints the effective" + " configuration.",
        sortOptions = false,
        footer = {
            "",
            "For a rejected policy, validate prints one line for each problem: FILE:LINE:COLUMN, and for a rule",
            "also the place in its expression. validate checks all files. The exit code is 1 if a file is",
            "rejected, and 3 if a file cannot be read.",
            "",
            "-o json prints a list with one element for each file, as docs/schemas/validate.schema.json",
            "describes. \"v117Message\" is the message with which kube-scheduler v1.17 rejects the policy or",
            "crashes, else null."
        },
        customSynopsis = {
            "policy-scheduler validate FILE... [--explain] [--strict-v1.17] [OPTION...]",
            "policy-scheduler validate (--provider=NAME | --profile=PROFILE) [OPTION...]"
        })
public final class ValidateCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "Policies, ConfigMaps with a policy, or KubeSchedulerConfigurations, JSON or YAML.")
    private List<Path> files = List.of();

    @Option(
            names = "--explain",
            description = "Show what each predicate and priority depends on and where it comes from, and list the"
                    + " plugins by extension point.")
    private boolean explain;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description = "Also validate this algorithm provider: DefaultProvider or ClusterAutoscalerProvider.")
    private @Nullable String provider;

    @Option(
            names = "--profile",
            paramLabel = "modern|config:FILE[#PROFILE]",
            description =
                    "Also list the plugins of this profile: modern, modern@1.N, or a profile of a" + " configuration.")
    private @Nullable String profile;

    @Spec
    private CommandSpec spec;

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private PluginOptions pluginOptions = new PluginOptions();

    @Mixin
    private ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    /**
     * The result for one file; exactly one of the four parts is not null.
     *
     * @param v117Message the error of v1.17, if it rejects the policy or exits, else null
     */
    private record FileVerdict(
            Path file,
            @Nullable PolicyReport accepted,
            @Nullable ConfigurationReport configuration,
            @Nullable List<Problem> problems,
            @Nullable String unreadable,
            @Nullable String v117Message) {}

    /** A resolver for this scheduler, and one that reproduces v1.17. */
    private record Resolvers(PolicyResolver here, PolicyResolver strict) {}

    @Override
    public Integer call() {
        if (files.isEmpty() && provider == null && profile == null) {
            throw new ParameterException(spec.commandLine(), "FILE, --provider, or --profile is required");
        }
        AlgorithmRegistry registry = Algorithms.registry();
        policyOptions.withoutMeasuredValues();
        Resolvers resolvers = new Resolvers(
                policyOptions.resolver(registry, releaseOptions.unknown(policyOptions.gates())),
                policyOptions.strictResolver(registry));
        List<FileVerdict> verdicts = new ArrayList<>();
        files.forEach(file -> verdicts.addAll(check(file, resolvers, registry)));
        if (provider != null) {
            verdicts.add(provider(provider, resolvers, registry));
        }
        if (profile != null) {
            verdicts.add(profile(profile));
        }
        common.output().write(() -> verdicts.forEach(this::print), () -> json(verdicts));
        releaseOptions.newer().forEach(note -> common.err().println("warning: " + note));
        boolean refused = false;
        boolean unreadable = false;
        for (FileVerdict verdict : verdicts) {
            refused |= verdict.problems() != null;
            unreadable |= verdict.unreadable() != null;
            if (verdict.unreadable() != null) {
                common.err().println("error: " + verdict.unreadable());
            }
            if (explain && verdict.accepted() != null && files.contains(verdict.file())) {
                common.err().println("note: " + semantics(verdict.file()));
            }
        }
        if (unreadable) {
            return ExitCode.BAD_INPUT;
        }
        return refused ? ExitCode.NEGATIVE : ExitCode.OK;
    }

    private FileVerdict provider(String name, Resolvers resolvers, AlgorithmRegistry registry) {
        Path shown = Path.of("provider:" + name);
        try {
            EffectivePolicy policy = resolvers.here().resolveProvider(name);
            return new FileVerdict(shown, new PolicyReport(policy, registry), null, null, null, null);
        } catch (PolicyException e) {
            return new FileVerdict(shown, null, null, e.problems(), null, e.v117Message());
        }
    }

    private FileVerdict profile(String text) {
        ProfilePlan plan = new ProfilePlan(request(
                null,
                "default-scheduler",
                (given, name, cluster) -> {
                    SchedulerConfiguration configuration =
                            releaseOptions.reader().read(given, name);
                    new ConfigurationValidator().check(configuration);
                    return configuration;
                },
                new PolicySourceOptions(null, "", "", false, "")));
        Path shown = Path.of(text);
        List<String> warnings = new ArrayList<>();
        try {
            ProfileSettings settings = plan.profile(text, warnings);
            return new FileVerdict(shown, null, ConfigurationReport.of(settings, warnings), null, null, null);
        } catch (InputException e) {
            return rejected(shown, e);
        }
    }

    /** One result, or two for a file with a policy and a configuration, such as a ConfigMap with both. */
    private List<FileVerdict> check(Path file, Resolvers resolvers, AlgorithmRegistry registry) {
        try {
            String text = InputFiles.text(file);
            if (InputDocument.isConfiguration(text)) {
                return List.of(configuration(file, text));
            }
            FileVerdict policy = policy(file, text, resolvers, registry);
            return InputDocument.contains(text, InputDocument.Content.CONFIGURATION)
                    ? List.of(policy, configuration(file, text))
                    : List.of(policy);
        } catch (InputException e) {
            return List.of(new FileVerdict(file, null, null, null, e.getMessage(), null));
        }
    }

    private static FileVerdict policy(Path file, String text, Resolvers resolvers, AlgorithmRegistry registry) {
        String v117Message = v117Message(text, file, resolvers.strict());
        try {
            EffectivePolicy policy =
                    resolvers.here().resolve(resolvers.here().reader().read(text, file.toString()));
            return new FileVerdict(file, new PolicyReport(policy, registry), null, null, null, v117Message);
        } catch (PolicyException e) {
            return new FileVerdict(file, null, null, e.problems(), null, v117Message);
        }
    }

    /** For users of files from 1.18 or later: the semantics that run applies, the flag that selects others, and their effect. */
    private static String semantics(Path file) {
        String choice = file
                + ": run evaluates this policy as kube-scheduler 1.17 does, and applies newer fields as the table"
                + " shows. For the decisions of 1.18 to 1.22, use run --policy-release=1.N. ";
        try {
            Policy policy = new PolicyReader(true).read(InputFiles.text(file), file.toString());
            SchedulerConfiguration translated =
                    PolicyTranslator.translate(policy, PolicyTranslator.LAST, PolicyTranslator.DEFAULT_SCHEDULER_NAME);
            ProfilePlugins plugins = translated.profiles().get(0).plugins();
            String scores = plugins.at(ExtensionPoint.SCORE).enabled().stream()
                    .map(entry -> entry.name() + "=" + entry.weight())
                    .collect(Collectors.joining(", "));
            return choice + "In 1.22, the policy has these filters: "
                    + String.join(", ", plugins.at(ExtensionPoint.FILTER).names()) + ". "
                    + (scores.isEmpty() ? "It has no scores." : "It has these scores and weights: " + scores + ".");
        } catch (PolicyException e) {
            return choice + "1.22 rejects the file (" + e.problems().get(0).message() + ")";
        }
    }

    private FileVerdict configuration(Path file, String text) {
        List<String> warnings = new ArrayList<>();
        FeatureGates gates = releaseOptions.unknown(policyOptions.gates());
        SchedulerFactory schedulers =
                new SchedulerFactory(policyOptions, gates, pluginOptions, warnings::add).as(releaseOptions);
        try {
            ConfigurationReport report = ConfigurationReport.of(
                    text,
                    file.toString(),
                    releaseOptions,
                    schedulers,
                    warnings,
                    (configuration, reported) -> plan(file, configuration).configured(reported));
            return new FileVerdict(file, null, report, null, null, null);
        } catch (ConfigurationException e) {
            return new FileVerdict(file, null, null, e.problems(), null, null);
        } catch (MissingPolicyException e) {
            return new FileVerdict(file, null, null, List.of(e.problem), null, null);
        } catch (InputException e) {
            return rejected(file, e);
        } catch (PluginException e) {
            return rejected(file, e);
        }
    }

    /** The verdict about a rejected input; an input that cannot be read stays an error. */
    private static FileVerdict rejected(Path file, InputException e) {
        if (e.getCause() instanceof PolicyException policy) {
            return new FileVerdict(file, null, null, policy.problems(), null, null);
        }
        if (e.getCause() instanceof ConfigurationException refused) {
            return new FileVerdict(file, null, null, refused.problems(), null, null);
        }
        if (e.getCause() instanceof PluginException plugin) {
            return rejected(file, plugin);
        }
        throw e;
    }

    private static FileVerdict rejected(Path file, PluginException e) {
        Problem problem = Problem.at("C006", String.valueOf(e.getMessage()), file.toString(), SourcePosition.UNKNOWN);
        return new FileVerdict(file, null, null, List.of(problem), null, null);
    }

    /** Creates the profiles of a configuration by the code of {@code run}. */
    private ProfilePlan plan(Path file, SchedulerConfiguration configuration) {
        Map<String, String> given = configuration.given();
        String policy = given.getOrDefault(Settings.POLICY_FILE.field(), "");
        if (!policy.isEmpty() && !Files.exists(Path.of(policy))) {
            throw new MissingPolicyException(Problem.at(
                    "C007",
                    "missing policy config file " + policy,
                    file.toString(),
                    configuration.positions().nearest(Settings.POLICY_FILE.field())));
        }
        PolicySourceOptions source = new PolicySourceOptions(
                policy.isEmpty() ? null : Path.of(policy),
                given.getOrDefault(Settings.POLICY_CONFIG_MAP.field(), ""),
                given.getOrDefault(Settings.POLICY_CONFIG_MAP_NAMESPACE.field(), "kube-system"),
                false,
                given.getOrDefault(Settings.PROVIDER.field(), ""));
        return new ProfilePlan(request(
                file, configuration.profiles().get(0).schedulerName(), (text, name, cluster) -> configuration, source));
    }

    private ProfileRequest request(
            @Nullable Path file,
            String schedulerName,
            ProfileRequest.Configurations configurations,
            PolicySourceOptions source) {
        return new ProfileRequest(
                file,
                configurations,
                schedulerName,
                "",
                source,
                List.of(),
                0,
                pluginOptions,
                policyOptions,
                releaseOptions);
    }

    /** A configuration that names a policy file that does not exist. */
    private static final class MissingPolicyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Problem problem;

        MissingPolicyException(Problem problem) {
            super(problem.line());
            this.problem = problem;
        }
    }

    /** A policy on which v1.17 exits with a panic is accepted, also in strict mode, with a warning. */
    private static @Nullable String v117Message(String text, Path file, PolicyResolver strict) {
        try {
            Policy policy = strict.reader().read(text, file.toString());
            return PluginTranslation.of(strict.resolve(policy)).startupFailure();
        } catch (PolicyException e) {
            return e.v117Message();
        }
    }

    private void print(FileVerdict verdict) {
        PrintWriter out = common.out();
        if (verdict.problems() != null) {
            for (Problem problem : verdict.problems()) {
                TerminalWriter.println(out, Verdict.BAD, problem.line());
                out.print(problem.excerpt().indent(4));
            }
        }
        if (verdict.configuration() != null) {
            verdict.configuration().print(verdict.file().toString(), out, explain);
        }
        if (verdict.accepted() != null) {
            out.print(verdict.file() + ": ");
            TerminalWriter.print(out, Verdict.GOOD, "accepted");
            out.println(": " + verdict.accepted().summary());
            verdict.accepted().print(out, explain);
            if (files.size() > 1) {
                out.println();
            }
        }
    }

    private ArrayNode json(List<FileVerdict> verdicts) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (FileVerdict verdict : verdicts) {
            ObjectNode node = list.addObject().put("file", verdict.file().toString());
            if (verdict.unreadable() != null) {
                node.put("error", verdict.unreadable());
                continue;
            }
            node.put("accepted", verdict.accepted() != null || verdict.configuration() != null)
                    .put("v117Message", verdict.v117Message());
            if (verdict.accepted() != null) {
                node.setAll(verdict.accepted().json());
                if (explain) {
                    verdict.accepted().plugins().addTo(node.putArray("plugins"));
                }
            }
            if (verdict.configuration() != null) {
                verdict.configuration().addTo(node, explain);
            }
            if (verdict.problems() != null) {
                ArrayNode problems = node.putArray("problems");
                verdict.problems().forEach(problem -> problem(problems.addObject(), problem));
            }
        }
        return list;
    }

    private static void problem(ObjectNode node, Problem problem) {
        node.put("code", problem.code())
                .put("message", problem.explainedMessage())
                .put("file", problem.file())
                .put("line", problem.lineNumber())
                .put("column", problem.column())
                .put("value", problem.value())
                .put("suggestion", problem.suggestion() == null ? problem.replacement() : problem.suggestion());
    }

    /** The report of an accepted KubeSchedulerConfiguration. */
    private static final class ConfigurationReport {
        private final @Nullable SchedulerConfiguration configuration;
        /** The profiles, as in run; none for a policy in a ConfigMap. */
        private final List<ProfileSettings> profiles;
        /** Warnings about the configuration and the sources of its profiles, one line each. */
        private final List<String> warnings;

        private ConfigurationReport(
                @Nullable SchedulerConfiguration configuration, List<ProfileSettings> profiles, List<String> warnings) {
            this.configuration = configuration;
            this.profiles = List.copyOf(profiles);
            this.warnings = List.copyOf(warnings);
        }

        /** Creates the profiles of a configuration, and adds their warnings to a list. */
        @FunctionalInterface
        interface Plans {
            List<ProfileSettings> profiles(SchedulerConfiguration configuration, List<String> warnings);
        }

        /** Returns the report of one profile without a configuration. */
        static ConfigurationReport of(ProfileSettings profile, List<String> warnings) {
            return new ConfigurationReport(null, List.of(profile), warnings);
        }

        /**
         * Reads a configuration and creates its profiles.
         *
         * @param release the release that reads the configuration
         * @param schedulers creates the profiles as this release does, and adds their warnings to {@code warnings}
         * @param plans creates the profiles as {@code run} does
         * @throws ConfigurationException if it is invalid
         * @throws io.policyscheduler.framework.plugin.Plugin.PluginException if the arguments of a plugin are invalid
         */
        static ConfigurationReport of(
                String text,
                String file,
                ReleaseOptions release,
                SchedulerFactory schedulers,
                List<String> warnings,
                Plans plans)
                throws ConfigurationException {
            SchedulerConfiguration configuration = release.reader().read(text, file);
            List<String> reported = new ArrayList<>(unread(configuration, release));
            new ConfigurationValidator().check(configuration);
            if (configuration.version() != ConfigVersion.V1ALPHA1) {
                Optional<Release> reading = release.given().filter(configuration.version()::isReadBy);
                SchedulerFactory ofRelease = reading.isPresent() ? schedulers.as(reading.get()) : schedulers;
                for (ProfileConfiguration profile : configuration.profiles()) {
                    ofRelease.configured(file, text, file, profile.schedulerName());
                }
                warnings.stream()
                        .filter(warning -> !reported.contains(warning))
                        .distinct()
                        .toList()
                        .forEach(reported::add);
            }
            List<String> ofPlan = new ArrayList<>();
            List<ProfileSettings> profiles = plans.profiles(configuration, ofPlan);
            ofPlan.stream().filter(warning -> !reported.contains(warning)).forEach(reported::add);
            return new ConfigurationReport(configuration, profiles, reported);
        }

        /**
         * Returns W210 if the kube-scheduler of {@code --release} does not read the version, although this scheduler does.
         *
         * @throws ConfigurationException if profiles follow that release, which then rejects the file
         */
        private static List<String> unread(SchedulerConfiguration configuration, ReleaseOptions options)
                throws ConfigurationException {
            ConfigVersion version = configuration.version();
            Release release = options.given().orElse(null);
            if (release == null || version.isReadBy(release) || release.compareTo(Release.NEWEST) > 0) {
                return List.of();
            }
            String message = "kube-scheduler " + release + " does not read " + version.version() + " ("
                    + (version == ConfigVersion.V1
                            ? "since " + version.first()
                            : version.first() + " to " + version.last())
                    + "); it reads " + ConfigVersion.usual(release).version();
            SourcePosition place = configuration.positions().nearest("apiVersion");
            if (ConfigVersion.V1.isReadBy(release) && version != ConfigVersion.V1ALPHA1) {
                throw new ConfigurationException(List.of(Problem.at("C002", message, configuration.file(), place)));
            }
            return List.of(new Warning("W210", message, place).line(configuration.file()));
        }

        /** @param explain adds the plugins of each profile by extension point */
        void print(String file, PrintWriter out, boolean explain) {
            if (configuration == null) {
                out.println(file + ": accepted: " + profiles.get(0).composition());
            } else {
                out.println(file + ": accepted: " + configuration.version().apiVersion() + ", "
                        + counted(configuration.profiles().size(), "profile") + " (" + String.join(", ", names())
                        + "), "
                        + counted(configuration.extenders().size(), "extender") + ", "
                        + counted(warnings.size(), "warning"));
            }
            warnings.forEach(out::println);
            if (explain || configuration == null) {
                for (ProfileSettings profile : profiles) {
                    out.println();
                    if (configuration != null) {
                        out.println("Profile " + profile.schedulerName() + ":");
                    }
                    profile.source().plugins().table().print(out);
                }
            }
        }

        private static String counted(int count, String noun) {
            return count + " " + noun + (count == 1 ? "" : "s");
        }

        /** @param explain adds the plugins of each profile by extension point */
        void addTo(ObjectNode node, boolean explain) {
            if (configuration != null) {
                node.put("apiVersion", configuration.version().apiVersion());
            }
            ArrayNode shown = node.putArray("profiles");
            names().forEach(shown::add);
            if (explain || configuration == null) {
                ArrayNode plugins = node.putArray("plugins");
                for (ProfileSettings profile : profiles) {
                    int before = plugins.size();
                    profile.source().plugins().addTo(plugins);
                    for (int i = before; i < plugins.size(); i++) {
                        ((ObjectNode) plugins.get(i)).put("profile", profile.schedulerName());
                    }
                }
            }
            ArrayNode list = node.putArray("warnings");
            for (Warning warning : configuration == null ? List.<Warning>of() : configuration.warnings()) {
                list.addObject()
                        .put("code", warning.code())
                        .put("message", warning.message())
                        .put("line", warning.position().line())
                        .put("column", warning.position().column());
            }
            addOthers(list);
        }

        /** Adds warnings that are not about a place in the file, such as W036. */
        private void addOthers(ArrayNode list) {
            Pattern coded = Pattern.compile("warning (" + PolicyWarningCode.EXTENDERS + "): (.*)");
            for (String line : warnings) {
                Matcher matcher = coded.matcher(line);
                if (matcher.find()) {
                    list.addObject()
                            .put("code", matcher.group(1))
                            .put("message", matcher.group(2))
                            .put("line", 0)
                            .put("column", 0);
                }
            }
        }

        private List<String> names() {
            return configuration == null
                    ? profiles.stream().map(ProfileSettings::schedulerName).toList()
                    : configuration.profiles().stream()
                            .map(ProfileConfiguration::schedulerName)
                            .toList();
        }
    }
}
