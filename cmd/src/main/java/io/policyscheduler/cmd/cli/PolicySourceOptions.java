package io.policyscheduler.cmd.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.ApiResponse;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.Providers;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where the policy of a running scheduler comes from, with the flags and the precedence of kube-scheduler 1.17; a mixin. */
final class PolicySourceOptions {
    private static final String KEY = "policy.cfg";

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

    /**
     * Reads and resolves the policy.
     *
     * @throws InputException when it cannot be read or is refused
     */
    EffectivePolicy resolve(PolicyResolver resolver, KubeConnection connection) {
        if (useFile && file == null) {
            throw new ParameterException(
                    spec.commandLine(), "--use-legacy-policy-config needs --policy-config-file FILE");
        }
        try {
            if (file != null && (useFile || configMap.isEmpty())) {
                return resolver.resolve(new PolicyReader().read(InputFiles.text(file), file.toString()));
            }
            if (!configMap.isEmpty()) {
                String name = "configmap " + configMapNamespace + "/" + configMap;
                return resolver.resolve(new PolicyReader().read(fetch(connection), name));
            }
            return resolver.resolveProvider(provider.isEmpty() ? Providers.DEFAULT : provider);
        } catch (PolicyException e) {
            throw InputException.refused(e);
        }
    }

    private String fetch(KubeConnection connection) {
        String name = configMapNamespace + "/" + configMap;
        try {
            ApiResponse response =
                    connection.get("/api/v1/namespaces/" + configMapNamespace + "/configmaps/" + configMap);
            if (!response.success()) {
                throw new InputException("couldn't get policy config map " + name + ": " + response.message());
            }
            JsonNode text = response.json().path("data").path(KEY);
            if (!text.isTextual()) {
                throw new InputException(
                        "missing policy config map value at key \"" + KEY + "\" in config map " + name);
            }
            return text.asText();
        } catch (IOException e) {
            throw new ClusterTroubleException("couldn't get policy config map " + name + ": " + e.getMessage(), e);
        }
    }
}
