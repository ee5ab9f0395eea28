package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.kube.connection.ClusterException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How to reach the cluster, as a mixin of the commands that always do. */
public final class ConnectionOptions {
    @Option(names = "--kubeconfig", paramLabel = "FILE", description = "Path to a kubeconfig. Not needed in a pod.")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "Address of the API server. Overrides the kubeconfig.")
    private @Nullable String master;

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "Kubeconfig context (default: the current context).")
    private @Nullable String context;

    /**
     * A connection; to be closed.
     *
     * @throws ClusterFailure when there is no way to the cluster
     */
    public KubeConnection connect() {
        return connect(kubeconfig, master, context);
    }

    /** The same for these, in the current context. */
    public static KubeConnection connect(@Nullable Path kubeconfig, @Nullable String master) {
        return connect(kubeconfig, master, null);
    }

    /** The same for these. */
    static KubeConnection connect(@Nullable Path kubeconfig, @Nullable String master, @Nullable String context) {
        try {
            return KubeConnection.auto(kubeconfig, master, context);
        } catch (ClusterException e) {
            throw new ClusterFailure(String.valueOf(e.getMessage()), e);
        }
    }
}
