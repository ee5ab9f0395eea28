package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AuthorizationMode;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.live.ClusterMirror;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.IntRange;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.options.StopSignal;
import io.policyscheduler.cmd.options.UiOption;
import io.policyscheduler.cmd.page.LivePage.PageAddition;
import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.cmd.playground.Playground;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cluster}: the embedded cluster alone, for kubectl and for schedulers. */
@Command(
        name = "cluster",
        description = "Runs the embedded cluster: an in-memory Kubernetes API server with controllers and"
                + " simulated kubelets.",
        sortOptions = false,
        footer = {
            "",
            "The cluster runs until it is interrupted. All data is in memory and is lost at the end. --ui",
            "also has a playground to create objects and to place pods in the browser. The playground needs a",
            "loopback address and is not available with RBAC.",
            "",
            "-o json prints {\"url\": ..., \"kubeconfig\": ..., \"objects\": ...} when the server is ready."
        },
        customSynopsis = {
            "policy-scheduler cluster [--load=FILE...] [--release=RELEASE]",
            "           [--write-kubeconfig=FILE] [--port=PORT] [OPTION...]"
        })
public final class ClusterCommand implements Callable<Integer> {
    @Option(
            names = "--port",
            paramLabel = "PORT",
            converter = IntRange.Port.class,
            defaultValue = "0",
            description = "Port on 127.0.0.1. 0 selects a free port (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--authorization-mode",
            paramLabel = "MODE",
            defaultValue = "AlwaysAllow",
            description = "AlwaysAllow or RBAC. With RBAC, the server uses HTTPS, and the kubeconfig has the"
                    + " credentials of an administrator (default: ${DEFAULT-VALUE}).")
    private String authorizationMode = "AlwaysAllow";

    @Option(
            names = "--load",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Files with objects to create at startup: JSON or YAML, lists, also gzipped.")
    private List<Path> files = List.of();

    @Option(
            names = "--controllers",
            paramLabel = "BOOL",
            arity = "1",
            defaultValue = "true",
            description = "Run the controllers for workloads and garbage collection (default: ${DEFAULT-VALUE}).")
    private boolean controllers = true;

    @Option(
            names = "--write-kubeconfig",
            paramLabel = "FILE",
            defaultValue = "policy-scheduler.kubeconfig",
            description = "Write a kubeconfig for the cluster to FILE (default: ${DEFAULT-VALUE}).")
    private Path kubeconfig = Path.of("policy-scheduler.kubeconfig");

    @Mixin
    private UiOption ui = new UiOption();

    @Mixin
    private ServerOptions clusterOptions = new ServerOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() throws InterruptedException {
        try (StopSignal stop = new StopSignal();
                EmbeddedControlPlane cluster = clusterOptions.start(port, authorization(), controllers);
                Playground playground = playground(cluster)) {
            int objects = ServerOptions.load(cluster, files);
            cluster.startControllers();
            try {
                cluster.writeKubeconfig(kubeconfig);
            } catch (IOException e) {
                throw new InputException("cannot write " + kubeconfig + ": " + e.getMessage(), e);
            }
            common.output().write(() -> print(cluster, objects), () -> json(cluster, objects));
            if (playground != null) {
                playground.loaded();
            }
            try (OwnPage page = ui.open(
                    JsonNodeFactory.instance::arrayNode,
                    "first",
                    Clock.systemUTC(),
                    playground == null ? PageAddition.NONE : playground)) {
                if (page == null) {
                    stop.await();
                } else {
                    if (playground != null) {
                        playground.setListener(page.history());
                    }
                    show(page, stop);
                }
            }
        }
        return ExitCode.OK;
    }

    private @Nullable Playground playground(EmbeddedControlPlane cluster) {
        return hasPlayground() ? new Playground(cluster, gates(), Clock.systemUTC()) : null;
    }

    /** The playground grants all permissions. It is off if other hosts can reach the port, and with RBAC. */
    boolean hasPlayground() {
        return ui.isLocal() && authorization() == AuthorizationMode.ALWAYS_ALLOW;
    }

    private FeatureGates gates() {
        return FeatureGates.defaults().at(clusterOptions.release());
    }

    /** The nodes and pods of the cluster, of all schedulers. */
    private void show(OwnPage page, StopSignal stop) throws InterruptedException {
        try (KubeConnection connection = KubeConnection.fromKubeconfig(kubeconfig, null);
                ClusterMirror mirror = new ClusterMirror(connection, gates(), Clock.systemUTC())) {
            connection.listen(page.rates());
            page.follow(mirror.scheduler());
            common.out().println("page " + page.url());
            common.out().flush();
            stop.await();
        } catch (ClusterException | ApiIoException e) {
            throw new ClusterFailure("embedded cluster: " + e.getMessage(), e);
        }
    }

    private AuthorizationMode authorization() {
        for (AuthorizationMode mode : AuthorizationMode.values()) {
            if (mode.text().equals(authorizationMode)) {
                return mode;
            }
        }
        throw new InputException("--authorization-mode: \"" + authorizationMode + "\" is neither AlwaysAllow nor RBAC");
    }

    private void print(EmbeddedControlPlane cluster, int objects) {
        common.out().println("serving " + cluster.url() + " with " + objects + " objects");
        common.out().println("kubectl --kubeconfig " + kubeconfig + " get nodes");
    }

    private ObjectNode json(EmbeddedControlPlane cluster, int objects) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("url", cluster.url())
                .put("kubeconfig", kubeconfig.toString())
                .put("objects", objects);
    }

    /** The options of an embedded cluster, as a mixin. */
    static final class ServerOptions {
        @Option(
                names = "--release",
                paramLabel = "RELEASE",
                defaultValue = "modern",
                description = "Kubernetes release whose API the cluster serves, 1.17 to " + Release.NEWEST_TEXT
                        + " (default: " + Release.NEWEST_TEXT + ").")
        private String release = "modern";

        /** The release that the cluster serves. */
        Release release() {
            List<Release> releases = ResourceCatalog.releases();
            Release newest = releases.get(releases.size() - 1);
            String text = release.equals("modern") ? newest.toString() : release.replaceFirst("^v", "");
            return releases.stream()
                    .filter(served -> served.toString().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new InputException("--release: \"" + release + "\" is not a release from "
                            + releases.get(0) + " to " + newest + " (modern)"));
        }

        /** Starts a cluster on {@code port}; 0 selects a free one. The controllers, if any, must be started separately. */
        EmbeddedControlPlane start(int port, AuthorizationMode authorization, boolean controllers) {
            Release served = release();
            try {
                return EmbeddedControlPlane.builder()
                        .port(port)
                        .release(served)
                        .authorization(authorization)
                        .controllers(controllers)
                        .nodeAdmission(new GeneralPredicatesAdmission(served))
                        .start();
            } catch (IOException e) {
                throw new ClusterFailure("cannot listen on port " + port + ": " + e.getMessage(), e);
            }
        }

        /** Creates the objects of the files as {@code kubectl create} does; returns the number of documents. */
        static int load(EmbeddedControlPlane cluster, List<Path> files) {
            int count = 0;
            for (Path file : files) {
                for (JsonNode document : ManifestFiles.read(file)) {
                    try {
                        cluster.load(document);
                    } catch (StatusError | IllegalArgumentException e) {
                        throw new InputException(file + ": " + e.getMessage(), e);
                    }
                    JsonNode items = document.path("items");
                    count += items.isArray() ? items.size() : 1;
                }
            }
            return count;
        }
    }
}
