package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.Providers;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where the policy of a running scheduler comes from, with the flags and the precedence of kube-scheduler 1.17; a mixin. */
public final class PolicySourceOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--policy-config-file", paramLabel = "FILE", description = "Policy file, JSON or YAML.")
    private @Nullable Path file;

    @Option(
            names = "--policy-configmap",
            paramLabel = "NAME",
            description = "ConfigMap with a policy under the key policy.cfg; wins over a file.")
    private String configMap = "";

    @Option(
            names = "--policy-configmap-namespace",
            paramLabel = "NAMESPACE",
            defaultValue = "kube-system",
            description = "Namespace of that ConfigMap (default: ${DEFAULT-VALUE}).")
    private String configMapNamespace = "kube-system";

    @Option(names = "--use-legacy-policy-config", description = "Take the file even when a ConfigMap is named.")
    private boolean useFile;

    @Option(
            names = "--algorithm-provider",
            paramLabel = "NAME",
            defaultValue = "",
            description = "DefaultProvider or ClusterAutoscalerProvider; counts when there is no policy.")
    private String provider = "";

    /** True when anything but the default is asked for. */
    boolean isGiven() {
        return file != null || !configMap.isEmpty() || !provider.isEmpty();
    }

    /**
     * Reads and resolves the policy.
     *
     * @throws InputException when it cannot be read or is refused
     */
    EffectivePolicy resolve(PolicyResolver resolver, PolicyTexts texts) {
        if (useFile && file == null) {
            throw new ParameterException(
                    spec.commandLine(), "--use-legacy-policy-config needs --policy-config-file FILE");
        }
        int slash = configMap.indexOf('/');
        if (slash >= 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--policy-configmap: \"" + configMap
                            + "\" is not a name (did you mean --policy-configmap-namespace "
                            + configMap.substring(0, slash) + " --policy-configmap " + configMap.substring(slash + 1)
                            + "?)");
        }
        PolicyLoader loader = new PolicyLoader(resolver, texts);
        if (file != null && (useFile || configMap.isEmpty())) {
            return loader.file(file);
        }
        if (!configMap.isEmpty()) {
            return loader.configMap(new ConfigMapName(configMapNamespace, configMap));
        }
        return loader.provider(provider.isEmpty() ? Providers.DEFAULT : provider);
    }
}
