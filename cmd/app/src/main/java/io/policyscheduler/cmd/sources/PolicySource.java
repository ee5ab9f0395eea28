package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyResolver;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the policy comes from, as a group of options of which one is given. */
public final class PolicySource {
    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "Policy file, JSON or YAML, or a file with a ConfigMap that contains a policy.")
    private @Nullable Path file;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description = "Algorithm provider: DefaultProvider or ClusterAutoscalerProvider.")
    private @Nullable String provider;

    /**
     * The policy.
     *
     * @throws InputException when it cannot be read or is refused, with a line for each problem
     */
    public EffectivePolicy resolve(PolicyResolver resolver) {
        return resolve(file, provider, resolver);
    }

    /** The policy of a file or, without one, of a provider. */
    public static EffectivePolicy resolve(@Nullable Path file, @Nullable String provider, PolicyResolver resolver) {
        PolicyLoader loader = new PolicyLoader(resolver, PolicyTexts.FILES);
        return file == null ? loader.provider(provider == null ? "" : provider) : loader.file(file);
    }
}
