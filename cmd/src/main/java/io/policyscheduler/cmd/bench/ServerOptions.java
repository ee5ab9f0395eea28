package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.DurationConverter;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.IntRange;
import io.policyscheduler.cmd.sources.ConnectionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** On which API server, of what size, schedulers are measured, and which; a mixin. */
final class ServerOptions {
    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Kubeconfig of a cluster without other users. Pods are created in the namespace default"
                    + " (default: an API server in the process of this command).")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "1000",
            description = "Number of nodes with 32 cores. Missing nodes are created (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            converter = IntRange.NotNegative.class,
            defaultValue = "0",
            description = "Number of running pods. Missing pods are created (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--pad",
            paramLabel = "BYTES",
            converter = IntRange.NotNegative.class,
            defaultValue = "3600",
            description = "Size of the annotations of each running pod in bytes. The default makes a pod of 4.5 kB"
                    + " (default: ${DEFAULT-VALUE}).")
    private int pad;

    @Option(
            names = "--runs",
            paramLabel = "N",
            converter = IntRange.Positive.class,
            defaultValue = "1",
            description = "Number of runs. Each run measures all schedulers, in alternating order (default:"
                    + " ${DEFAULT-VALUE}).")
    private int runs;

    @Option(
            names = "--with",
            paramLabel = "NAME=COMMAND",
            description = "Also measure another scheduler. In COMMAND, {kubeconfig}, {name}, and {port} are"
                    + " replaced by the kubeconfig, the scheduler name, and a plain HTTP port for /readyz."
                    + " COMMAND must stay in the foreground. Repeatable.")
    private List<String> with = List.of();

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            defaultValue = "default-scheduler",
            description =
                    "spec.schedulerName of the pods. No other scheduler may serve it (default:" + " ${DEFAULT-VALUE}).")
    private String schedulerName = "default-scheduler";

    @Option(
            names = "--limit",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10m",
            description = "Time limit for each scheduler (default: ${DEFAULT-VALUE}).")
    private Duration limit = Duration.ofMinutes(10);

    int nodes() {
        return nodes;
    }

    int pods() {
        return pods;
    }

    int pad() {
        return pad;
    }

    int runs() {
        return runs;
    }

    String schedulerName() {
        return schedulerName;
    }

    Duration limit() {
        return limit;
    }

    /** This program's own scheduler, and those beside it. */
    List<Contender> contenders() {
        List<Contender> all = new ArrayList<>(List.of(Contender.own()));
        with.forEach(text -> all.add(Contender.parse(text).found()));
        return List.copyOf(all);
    }

    /**
     * The server; to be closed.
     *
     * @throws IOException when it cannot be embedded
     */
    Server server() throws IOException {
        Path given = kubeconfig;
        if (given != null) {
            if (!Files.isReadable(given)) {
                throw new InputException("--kubeconfig: cannot read " + given);
            }
            return new Server(null, given, ConnectionOptions.connect(given, null));
        }
        EmbeddedCluster cluster = EmbeddedCluster.builder()
                .release(ReleaseProfile.MODERN)
                .kubeletPeriod(Duration.ZERO)
                .start();
        Path file = Files.createTempFile("bench", ".kubeconfig");
        Files.writeString(
                file,
                String.join(
                        "\n",
                        "apiVersion: v1",
                        "kind: Config",
                        "clusters: [{name: c, cluster: {server: \"" + cluster.url() + "\"}}]",
                        "contexts: [{name: x, context: {cluster: c, user: u}}]",
                        "users: [{name: u, user: {}}]",
                        "current-context: x",
                        ""));
        return new Server(cluster, file, KubeConnection.fromUrl(cluster.url(), Duration.ofMinutes(1)));
    }

    /**
     * An API server.
     *
     * @param embedded null for one that is not this process
     * @param kubeconfig how others reach it
     */
    record Server(@Nullable EmbeddedCluster embedded, Path kubeconfig, KubeConnection connection)
            implements AutoCloseable {
        /** For people. */
        String told() {
            return embedded == null
                    ? connection.serverUrl()
                    : "embedded in this process, where it competes with the scheduler for CPU";
        }

        @Override
        public void close() {
            connection.close();
            if (embedded != null) {
                embedded.close();
                try {
                    Files.deleteIfExists(kubeconfig);
                } catch (IOException e) {
                    kubeconfig.toFile().deleteOnExit();
                }
            }
        }
    }
}
