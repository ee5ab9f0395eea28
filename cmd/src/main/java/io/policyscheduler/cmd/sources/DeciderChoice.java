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
            description = "Policy file, JSON or YAML, or a ConfigMap with one.")
    private @Nullable String policy;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description = "Algorithm provider: DefaultProvider or ClusterAutoscalerProvider.")
    private @Nullable String provider;

    @Option(
            names = "--profile",
            paramLabel = "modern|config:FILE[#PROFILE]",
            description =
                    "The plugins of current releases, as they are or as a configuration file says; with @1.N behind those of a"
                            + " release from 1.18 on.")
    private @Nullable String profile;

    @Option(
            names = "--decider",
            paramLabel = "SPEC",
            description =
                    "policy:FILE, configmap:NAMESPACE/NAME or provider:NAME, run as plugins, with legacy: in front as"
                            + " functions, with strict: exactly as v1.17; config:FILE[#PROFILE]; or modern. @1.N behind it (for profiles also --release 1.25 and later) decides as the"
                            + " kube-scheduler of that release.")
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
                        + " (did you mean --decider " + profile + "?)");
            }
            return profile;
        }
        return decider == null ? DEFAULT : decider;
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
