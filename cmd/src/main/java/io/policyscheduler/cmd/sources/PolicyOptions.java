package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleExecution;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that decide what a policy means, as a mixin. Named as in kube-scheduler 1.17 where it has them. */
public final class PolicyOptions {
    private static final int MAX_HARD_WEIGHT = 100;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--strict-v1.17",
            description = {
                "Do exactly what v1.17 did, also where it ignored what the file says. Sums of requests wrap around at 64 bits,"
                        + " too, so that a pod that asks for 2^63 bytes can make a node useless for all others."
            })
    private boolean strict;

    @Option(
            names = "--feature-gates",
            paramLabel = "GATE=BOOL[,...]",
            defaultValue = "",
            description = "Feature gates of v1.17, for example EvenPodsSpread=true.")
    private String featureGates = "";

    @Option(
            names = "--hard-pod-affinity-symmetric-weight",
            paramLabel = "N",
            defaultValue = "1",
            description = "Weight of required affinity towards the pod, 1 to 100 (default: ${DEFAULT-VALUE}).")
    private int hardPodAffinityWeight = 1;

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "Library of rules that policies may use by name, JSON or YAML; may be given several times.")
    private List<Path> ruleFiles = List.of();

    private RuleExecution execution = RuleExecution.standard();

    /**
     * The same options for a command that has read its flags itself.
     *
     * @param spec blamed for what is wrong with them
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

    ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Says how the rules of policies resolved from now on are run. */
    public void runRules(RuleExecution by) {
        execution = by;
    }

    public boolean strict() {
        return strict;
    }

    /** The feature gates; an unknown or locked one is a usage error. */
    public FeatureGates gates() {
        try {
            return FeatureGates.parse(featureGates);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--feature-gates: " + e.getMessage(), e);
        }
    }

    /** A resolver with these options for no cluster in particular. */
    public PolicyResolver resolver(AlgorithmRegistry registry) {
        return resolver(registry, gates().at(Release.NEWEST));
    }

    /** A resolver with these options where these gates hold. */
    public PolicyResolver resolver(AlgorithmRegistry registry, FeatureGates gates) {
        return resolver(registry, gates, strict);
    }

    /** The same, but strict. */
    public PolicyResolver strictResolver(AlgorithmRegistry registry) {
        return resolver(registry, gates(), true);
    }

    private PolicyResolver resolver(AlgorithmRegistry registry, FeatureGates gates, boolean strictV117) {
        if (hardPodAffinityWeight < 1 || hardPodAffinityWeight > MAX_HARD_WEIGHT) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--hard-pod-affinity-symmetric-weight: " + hardPodAffinityWeight
                            + " is not in the valid range [1-100]");
        }
        return new PolicyResolver(
                gates, hardPodAffinityWeight, strictV117, registry, ruleLibraries(), SteadyClock.system(), execution);
    }

    /** The rules of all libraries; a file that cannot be read is an input error. */
    private List<RuleDefinition> ruleLibraries() {
        List<RuleDefinition> rules = new ArrayList<>();
        for (Path file : ruleFiles) {
            try {
                rules.addAll(new PolicyReader().readRules(InputFiles.text(file), file.toString()));
            } catch (PolicyException e) {
                throw InputException.refused(e);
            }
        }
        return rules;
    }
}
