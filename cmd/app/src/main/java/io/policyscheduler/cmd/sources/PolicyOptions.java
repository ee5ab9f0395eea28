package io.policyscheduler.cmd.sources;

import com.google.common.base.Ascii;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions.ShareConverter;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.TableInputs.RecordedTables;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyReader.RuleLibrary;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyResolver.RuleEnvironment;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Picocli mixin: the options that affect the effective policy. The names are those of kube-scheduler 1.17 where it has them. */
public final class PolicyOptions {
    private static final int MAX_HARD_WEIGHT = 100;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--strict-v1.17",
            description =
                    "Ignore the fields that v1.17 ignores, such as topologySpreadConstraints, and let 64-bit sums of"
                            + " requests overflow, as v1.17 does. Otherwise, policies honor newer fields.")
    private boolean strict;

    @Option(
            names = "--feature-gates",
            paramLabel = "GATE=BOOL[,...]",
            defaultValue = "",
            description = "Feature gates of v1.17, such as EvenPodsSpread=true.")
    private String featureGates = "";

    @Option(
            names = "--hard-pod-affinity-symmetric-weight",
            paramLabel = "N",
            defaultValue = "1",
            description = "Weight of required pod affinity terms of existing pods, 1 to 100 (default:"
                    + " ${DEFAULT-VALUE}).")
    private int hardPodAffinityWeight = 1;

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "Library of rules that policies can refer to by name, JSON or YAML. Repeatable.")
    private List<Path> ruleFiles = List.of();

    @Option(
            names = "--table",
            paramLabel = "NAME=FILE",
            description = "Read the lookup table NAME of the rules from FILE (CSV, JSON, or YAML) instead of the source"
                    + " in the policy. Repeatable.")
    private Map<String, Path> tableFiles = Map.of();

    private ConfigMapEntries configMaps = ConfigMapEntries.NONE;
    private RecordedTables recorded = RecordedTables.NONE;
    private boolean measured;
    private boolean alone;
    private RuleExecution execution = RuleExecution.standard();

    /**
     * The options of a command that has parsed its flags itself.
     *
     * @param spec command of usage errors
     */
    public static PolicyOptions of(
            CommandSpec spec, boolean strict, String featureGates, int hardWeight, List<Path> ruleFiles) {
        PolicyOptions options = new PolicyOptions();
        options.spec = spec;
        options.strict = strict;
        options.featureGates = featureGates;
        options.hardPodAffinityWeight = hardWeight;
        options.ruleFiles = List.copyOf(ruleFiles);
        return options;
    }

    /** Sets the source of ConfigMaps of tables. */
    public void configMapsFrom(ConfigMapEntries entries) {
        configMaps = entries;
    }

    /** Reads all data of tables from these files of a dump. */
    public void tablesFromDump(List<Path> files) {
        configMaps = ConfigMapEntries.ofDump(files);
        recorded = RecordedTables.ofDump(files);
    }

    /** Returns a copy that reads all data of tables from these files of a dump. */
    public PolicyOptions withTablesFromDump(List<Path> files) {
        PolicyOptions copy = of(spec, strict, featureGates, hardPodAffinityWeight, ruleFiles);
        copy.tableFiles = tableFiles;
        copy.measured = measured;
        copy.alone = alone;
        copy.execution = execution;
        copy.tablesFromDump(files);
        return copy;
    }

    /** Allows measured tables without values: they arrive later, or are not needed. */
    public void withoutMeasuredValues() {
        measured = true;
    }

    /** Names of the tables whose values are set on the command line. */
    public Set<String> givenTables() {
        return tableFiles.keySet();
    }

    /** The files of rules and tables. */
    public List<Path> files() {
        List<Path> files = new ArrayList<>(ruleFiles);
        files.addAll(new TreeMap<>(tableFiles).values());
        return files;
    }

    /** The values of the options, with the names of tables instead of files. */
    public List<String> values() {
        List<String> values =
                new ArrayList<>(List.of(String.valueOf(strict), featureGates, String.valueOf(hardPodAffinityWeight)));
        values.addAll(new TreeSet<>(tableFiles.keySet()));
        return values;
    }

    /** Options for self-contained policies: files and clusters that they name are not read. */
    static PolicyOptions ofTexts() {
        PolicyOptions options = new PolicyOptions();
        options.alone = true;
        return options;
    }

    ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Sets the executor of the rules of policies that are resolved from now on. */
    public void runRules(RuleExecution by) {
        execution = by;
    }

    public boolean strict() {
        return strict;
    }

    /** Whether {@code --strict-v1.17} makes all of these schedulers follow the rules of 1.17. */
    public boolean isStrictFor(List<String> schedulers) {
        return strict
                && schedulers.stream()
                        .map(text -> SourceText.parse(text, InputFiles::text))
                        .allMatch(source -> source.kind() != SourceText.Kind.MODERN
                                && source.kind() != SourceText.Kind.CONFIG
                                && source.release() == null);
    }

    /** The feature gates; an unknown or locked one is a usage error. */
    public FeatureGates gates() {
        try {
            return FeatureGates.parse(featureGates);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--feature-gates: " + e.getMessage(), e);
        }
    }

    /** A resolver with these options, without a cluster. */
    public PolicyResolver resolver(AlgorithmRegistry registry) {
        return resolver(registry, gates().at(Release.NEWEST));
    }

    /** A resolver with these options and gates. */
    public PolicyResolver resolver(AlgorithmRegistry registry, FeatureGates gates) {
        return resolver(registry, gates, strict, hardPodAffinityWeight);
    }

    /** Returns the resolver for the policy of a v1alpha1 configuration, whose hard weight applies if no flag overrides it. */
    public PolicyResolver resolver(
            AlgorithmRegistry registry, FeatureGates gates, SchedulerConfiguration configuration) {
        int ofFile = configuration.value(Settings.HARD_WEIGHT).asInt();
        return resolver(registry, gates, strict, hardPodAffinityWeight == 1 ? ofFile : hardPodAffinityWeight);
    }

    /** A strict resolver. */
    public PolicyResolver strictResolver(AlgorithmRegistry registry) {
        return resolver(registry, gates(), true, hardPodAffinityWeight);
    }

    private PolicyResolver resolver(
            AlgorithmRegistry registry, FeatureGates gates, boolean strictV117, int hardWeight) {
        if (hardPodAffinityWeight < 1 || hardPodAffinityWeight > MAX_HARD_WEIGHT) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--hard-pod-affinity-symmetric-weight: " + hardPodAffinityWeight
                            + " is not in the valid range [1-100]");
        }
        TableInput input = alone
                ? TableInputs::refuse
                : new TableInputs(tableFiles, (map, key) -> configMaps.entry(map, key), recorded, measured);
        return new PolicyResolver(
                gates,
                hardWeight,
                strictV117,
                registry,
                new RuleEnvironment(libraries(ruleFiles), input, execution, SteadyClock.system()));
    }

    /** All libraries, merged; an unreadable file is an input error. */
    public static RuleLibrary libraries(List<Path> ruleFiles) {
        List<RuleDefinition> rules = new ArrayList<>();
        Map<String, TableDefinition> tables = new TreeMap<>();
        for (Path file : ruleFiles) {
            try {
                RuleLibrary library = new PolicyReader().readLibrary(InputFiles.text(file), file.toString());
                rules.addAll(library.rules());
                for (TableDefinition table : library.tables().values()) {
                    TableDefinition before = tables.putIfAbsent(table.name(), table);
                    if (before != null) {
                        throw new InputException(file + ":" + table.place().line() + ": the second table named "
                                + table.name() + ", the first one is in "
                                + before.place().file() + "; rename one of them");
                    }
                }
            } catch (PolicyException e) {
                throw InputException.of(e);
            }
        }
        return new RuleLibrary(rules, tables);
    }

    /** Picocli mixin: the executor of rules. */
    public static final class RuleExecutionOptions {
        @Option(
                names = "--rule-executor",
                paramLabel = "NAME",
                defaultValue = "direct",
                description =
                        "Evaluator of rules: direct (built in), or mvel (the MVEL interpreter with its thread-safe"
                                + " optimizer). Both return the same results. mvel is 10 to 40 times slower (default:"
                                + " ${DEFAULT-VALUE}).")
        private RuleProgram.Executor executor = RuleProgram.Executor.DIRECT;

        @Option(
                names = "--verify-rules",
                paramLabel = "SHARE",
                defaultValue = "0",
                converter = ShareConverter.class,
                description =
                        "Repeat this share of the rule evaluations, such as 0.1%% or 0.001, with the other evaluator,"
                                + " and count the differences. Decisions use the result of --rule-executor (default:"
                                + " ${DEFAULT-VALUE}).")
        private double verified;

        /** A new execution without verified evaluations. */
        public RuleExecution execution() {
            return new RuleExecution(executor, verified);
        }

        /**
         * Parses the texts of the options.
         *
         * @param executor name of an executor, case-insensitive
         * @param verified a percentage, or a fraction of 1
         * @throws IllegalArgumentException if {@code verified} is neither; the message is for users
         */
        public static RuleExecution execution(String executor, String verified) {
            return new RuleExecution(
                    RuleProgram.Executor.valueOf(Ascii.toUpperCase(executor)), ShareConverter.share(verified));
        }
    }
}
