package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyResolver;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** By what it is decided, as a group of options of which at most one is given. */
public final class DeciderChoice {
    /** What counts when nothing is given. */
    static final String DEFAULT = "provider:DefaultProvider";

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Policy file, JSON or YAML, or a file with a ConfigMap that contains a policy.")
    private @Nullable String policy;

    @Option(
            names = "--scheduler",
            paramLabel = "SCHEDULER",
            description = "Scheduler to use: policy:FILE, configmap:NAMESPACE/NAME, provider:NAME,"
                    + " config:FILE[#PROFILE], or modern. The help of compare lists all forms.")
    private @Nullable String scheduler;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description = "Shortcut for --scheduler=provider:NAME: DefaultProvider or ClusterAutoscalerProvider.")
    private @Nullable String provider;

    @Option(
            names = "--profile",
            paramLabel = "modern|config:FILE[#PROFILE]",
            description = "Shortcut for --scheduler=modern and --scheduler=config:FILE[#PROFILE].")
    private @Nullable String profile;

    @Option(names = "--decider", hidden = true, paramLabel = "SCHEDULER", description = "Older name of --scheduler.")
    private @Nullable String decider;

    /**
     * The choice as {@link Deciders} reads it.
     *
     * @throws InputException when it is no profile
     */
    public String text() {
        if (policy != null) {
            return "framework:" + policy;
        }
        if (provider != null) {
            return "provider:" + provider;
        }
        if (profile != null) {
            SourceText source = SourceText.parse(profile, InputFiles::text);
            if (source.isPolicy()) {
                throw new InputException("--profile: \"" + profile + "\" is not modern or config:FILE[#PROFILE]"
                        + " (did you mean --scheduler " + profile + "?)");
            }
            return profile;
        }
        String chosen = scheduler == null ? decider : scheduler;
        return chosen == null ? DEFAULT : chosen;
    }

    /**
     * The policy of {@code --policy} or {@code --provider}; null when neither is given.
     *
     * @throws InputException when it cannot be read or is refused
     */
    @Nullable
    public EffectivePolicy policy(PolicyResolver resolver) {
        return policy == null && provider == null
                ? null
                : PolicySource.resolve(policy == null ? null : Path.of(policy), provider, resolver);
    }
}
