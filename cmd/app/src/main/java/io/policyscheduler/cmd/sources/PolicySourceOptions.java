package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.AlgorithmSource;
import io.policyscheduler.framework.config.Settings;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;

/**
 * The source of the policy of a running scheduler, with the precedence of kube-scheduler 1.17.
 *
 * @param file a policy file; null for none
 * @param configMap name of a ConfigMap with a policy, which has priority over the file; empty for none
 * @param configMapNamespace of that ConfigMap
 * @param useFile use the file even if a ConfigMap is set
 * @param provider used without a policy; empty for the default
 * @param release whose policy semantics apply: 1.17 to 1.22
 */
public record PolicySourceOptions(
        @Nullable Path file,
        String configMap,
        String configMapNamespace,
        boolean useFile,
        String provider,
        Release release) {
    /** Sources of policies in the order of 1.17. */
    public PolicySourceOptions(
            @Nullable Path file, String configMap, String configMapNamespace, boolean useFile, String provider) {
        this(file, configMap, configMapNamespace, useFile, provider, Release.V1_17);
    }

    /** Whether a policy or provider is set. */
    boolean isGiven() {
        return file != null || !configMap.isEmpty() || !provider.isEmpty();
    }

    /** Whether this is the provider that a {@code v1alpha1} configuration names. */
    boolean isProviderOf(SchedulerConfiguration configuration) {
        return file == null
                && configMap.isEmpty()
                && configuration.algorithmSource() instanceof AlgorithmSource.Provider named
                && named.name().equals(provider);
    }

    /**
     * Reads and resolves the policy.
     *
     * @param usage creates the usage error
     * @throws InputException if it cannot be read or is invalid
     */
    EffectivePolicy resolve(PolicyResolver resolver, PolicyTexts texts, Function<String, ParameterException> usage) {
        check(usage);
        PolicyLoader loader = new PolicyLoader(resolver, texts);
        if (takesFile() && file != null) {
            return loader.file(file);
        }
        if (!configMap.isEmpty()) {
            return loader.configMap(new ConfigMapName(configMapNamespace, configMap));
        }
        return loader.provider(provider.isEmpty() ? Providers.DEFAULT : provider, Settings.PROVIDER.flag());
    }

    /**
     * Reads the policy without resolving it.
     *
     * @return null if there is none, so that the provider applies
     * @throws InputException if it cannot be read or decoded
     */
    @Nullable
    Policy raw(PolicyTexts texts, Function<String, ParameterException> usage) {
        check(usage);
        if (takesFile() && file != null) {
            return PolicyLoader.raw(texts.file(file), file.toString());
        }
        ConfigMapName name = new ConfigMapName(configMapNamespace, configMap);
        return configMap.isEmpty() ? null : PolicyLoader.raw(texts.configMap(name), "configmap " + name);
    }

    private boolean takesFile() {
        return file != null && (useFile || configMap.isEmpty());
    }

    /** Rejects options that contradict each other. */
    void check(Function<String, ParameterException> usage) {
        if (useFile && file == null) {
            throw usage.apply("--use-legacy-policy-config needs --policy-config-file FILE");
        }
        int slash = configMap.indexOf('/');
        if (slash >= 0) {
            throw usage.apply("--policy-configmap: \"" + configMap
                    + "\" is not a name (did you mean --policy-configmap-namespace "
                    + configMap.substring(0, slash) + " --policy-configmap " + configMap.substring(slash + 1) + "?)");
        }
    }
}
