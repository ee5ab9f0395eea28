package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.embedded.access.AuthorizationMode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.IntRange;
import io.policyscheduler.cmd.options.StopSignal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cluster}: the embedded cluster alone, for kubectl and for schedulers. */
@Command(
        name = "cluster",
        description =
                "Runs the embedded cluster: a Kubernetes API server in memory, with kubelets that pretend to run pods.",
        sortOptions = false,
        footer = {
            "",
            "Runs until it is interrupted. Everything is kept in memory and gone afterwards.",
            "-o json prints {\"url\": ..., \"kubeconfig\": ..., \"objects\": ...} once it serves."
        })
public final class ClusterCommand implements Callable<Integer> {
    @Option(
            names = "--port",
            paramLabel = "PORT",
            converter = IntRange.Port.class,
            defaultValue = "0",
            description = "Port on 127.0.0.1; 0 for any free one (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--authorization-mode",
            paramLabel = "MODE",
            defaultValue = "AlwaysAllow",
            description = "Who may do what: AlwaysAllow, or RBAC for what roles and bindings grant; the server speaks"
                    + " HTTPS then, and the kubeconfig is that of an administrator (default: ${DEFAULT-VALUE}).")
    private String authorizationMode = "AlwaysAllow";

    @Option(
            names = "--load",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Objects to create first, as kubectl prints them: JSON or YAML, lists, .gz.")
    private List<Path> files = List.of();

    @Option(
            names = "--write-kubeconfig",
            paramLabel = "FILE",
            defaultValue = "policy-scheduler.kubeconfig",
            description = "Where to write a kubeconfig for it (default: ${DEFAULT-VALUE}).")
    private Path kubeconfig = Path.of("policy-scheduler.kubeconfig");

    @Mixin
    private ClusterOptions clusterOptions = new ClusterOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() throws InterruptedException {
        try (StopSignal stop = new StopSignal();
                EmbeddedCluster cluster = clusterOptions.start(port, authorization())) {
            int objects = ClusterOptions.load(cluster, files);
            try {
                cluster.writeKubeconfig(kubeconfig);
            } catch (IOException e) {
                throw new InputException("cannot write " + kubeconfig + ": " + e.getMessage(), e);
            }
            common.output().write(() -> print(cluster, objects), () -> json(cluster, objects));
            stop.await();
        }
        return ExitCode.OK;
    }

    private AuthorizationMode authorization() {
        for (AuthorizationMode mode : AuthorizationMode.values()) {
            if (mode.text().equals(authorizationMode)) {
                return mode;
            }
        }
        throw new InputException("--authorization-mode: \"" + authorizationMode + "\" is neither AlwaysAllow nor RBAC");
    }

    private void print(EmbeddedCluster cluster, int objects) {
        common.out().println("serving " + cluster.url() + " with " + objects + " objects");
        common.out().println("kubectl --kubeconfig " + kubeconfig + " get nodes");
    }

    private ObjectNode json(EmbeddedCluster cluster, int objects) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("url", cluster.url())
                .put("kubeconfig", kubeconfig.toString())
                .put("objects", objects);
    }
}
