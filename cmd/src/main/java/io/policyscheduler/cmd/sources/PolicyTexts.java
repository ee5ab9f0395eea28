package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.InputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Where the texts of policies and configurations come from. */
public interface PolicyTexts {
    /** Files only, for where there is no cluster. */
    PolicyTexts FILES = new PolicyTexts() {
        @Override
        public String configMap(ConfigMapName name) {
            throw new InputException("configmap:" + name + " needs a cluster");
        }
    };

    /**
     * The text of a file.
     *
     * @throws InputException when it cannot be read
     */
    default String file(Path file) {
        return InputFiles.text(file);
    }

    /** Whether there is such a file. */
    default boolean exists(Path file) {
        return Files.exists(file);
    }

    /**
     * The policy in a ConfigMap, or its configuration if it has no policy and one configuration.
     *
     * @throws InputException when there is none
     * @throws io.policyscheduler.cmd.options.ExitCode.ClusterFailure when the server does not answer
     */
    String configMap(ConfigMapName name);

    /** Files, and the ConfigMaps of a cluster. */
    static PolicyTexts of(KubeConnection connection) {
        return new ProfileTexts(connection);
    }

    /** Files, and the ConfigMaps of a cluster that is connected to when one is asked for. */
    static PolicyTexts of(Supplier<KubeConnection> cluster) {
        return name -> {
            try (KubeConnection connection = cluster.get()) {
                return new ProfileTexts(connection).configMap(name);
            }
        };
    }
}
