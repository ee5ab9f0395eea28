package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.embedded.admission.AccessControl;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AccessReviews;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AuthorizationMode;
import io.policyscheduler.cmd.embedded.admission.AccessControl.BearerTokens;
import io.policyscheduler.cmd.embedded.admission.FieldManager;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.admission.RoleAuthorizer.BootstrapRoles;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Deletion;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.embedded.controller.Clientset;
import io.policyscheduler.cmd.embedded.controller.Controllers;
import io.policyscheduler.cmd.embedded.controller.EmbeddedKubelet;
import io.policyscheduler.cmd.embedded.controller.EmbeddedKubelet.NodeAdmission;
import io.policyscheduler.cmd.embedded.server.ApiServer;
import io.policyscheduler.cmd.embedded.server.Faults;
import io.policyscheduler.cmd.embedded.server.RequestRouter;
import io.policyscheduler.cmd.embedded.server.RequestRouter.RequestLog;
import io.policyscheduler.cmd.server.LoggingTimer;
import io.policyscheduler.cmd.server.SelfSigned.Own;
import io.policyscheduler.cmd.server.WebServer.Tls;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kubernetes API server in memory with kubelets, on a port of the loopback address. Thread-safe.
 */
public final class EmbeddedControlPlane implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedControlPlane.class);

    private final ResourceCatalog catalog;
    private final StoredObjects store;
    private final Faults faults = new Faults();
    private final RequestLog requests = new RequestLog();
    private final ApiServer api;
    private final ObjectLoader loader;
    private final EmbeddedKubelet kubelet;
    private final @Nullable Controllers controllers;
    private final AtomicBoolean controlling = new AtomicBoolean();
    private final Object controlLock = new Object();
    private final @Nullable ScheduledExecutorService timer;

    private final EmbeddedAccess access;

    private EmbeddedControlPlane(Builder builder) throws IOException {
        this.catalog = new ResourceCatalog(builder.release, builder.moreKinds);
        this.store = new StoredObjects(builder.watchHistory, initialVersion(builder.clock));
        ObjectAdmission admission = new ObjectAdmission(store, catalog, builder.clock, builder.random);
        Deletion deletion = new Deletion(store, catalog, builder.clock, builder.controllers);
        this.access = new EmbeddedAccess(builder.authorization, store, catalog, builder.clock);
        this.api = new ApiServer(
                new RequestRouter(
                        store,
                        catalog,
                        admission,
                        deletion,
                        new FieldManager(builder.controllers, builder.clock),
                        access.control(),
                        access.reviews(),
                        faults,
                        requests,
                        builder.clock,
                        builder.bookmarkInterval),
                builder.port,
                access.tls());
        this.kubelet = new EmbeddedKubelet(
                store, catalog, deletion, builder.nodeAdmission, builder.longestGrace, builder.clock);
        this.loader = new ObjectLoader(store, catalog, admission);
        loader.loadSystemObjects();
        if (builder.controllers) {
            loader.loadKubernetesService();
        }
        if (builder.authorization == AuthorizationMode.RBAC) {
            BootstrapRoles.manifests().forEach(loader::load);
        }
        if (builder.serving) {
            startServing();
        }
        this.controllers = builder.controllers
                ? new Controllers(
                        builder.bindsVolumes,
                        new Clientset(store, catalog, admission, deletion, builder.clock, builder.random))
                : null;
        this.timer = builder.kubeletPeriod.isZero() ? null : startTicking(builder.kubeletPeriod);
    }

    /**
     * Microseconds, so that a server that is restarted on the same port begins above all versions of its predecessor, like an
     * etcd that is restored with {@code --bump-revision --mark-compacted}: clients list again.
     */
    private static long initialVersion(Clock clock) {
        return TimeUnit.MILLISECONDS.toMicros(clock.millis());
    }

    /** A builder with an arbitrary port, the newest release, the system clock, and kubelets that accept all pods. */
    public static Builder builder() {
        return new Builder();
    }

    /** Settings of an embedded cluster. */
    public static final class Builder {
        private int port;
        private boolean bindsVolumes = true;
        private Release release = Release.NEWEST;
        private Clock clock = Clock.systemUTC();
        private Random random = new Random();
        private NodeAdmission nodeAdmission = (pod, node, podsOnNode) -> null;
        private Duration kubeletPeriod = Duration.ofMillis(50);
        private Duration longestGrace = Duration.ofSeconds(1);
        private Duration bookmarkInterval = Duration.ofSeconds(60);
        private int watchHistory = 10_000;
        private boolean serving = true;
        private boolean controllers;
        private AuthorizationMode authorization = AuthorizationMode.ALWAYS_ALLOW;
        private List<ResourceType> moreKinds = List.of();

        private Builder() {}

        /** The port, which is kept over restarts; 0 selects a free one. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /** The Kubernetes release to serve, one of {@link ResourceCatalog#releases()}; {@link Release#NEWEST} unless set. */
        public Builder release(Release value) {
            release = value;
            return this;
        }

        /** The clock behind timestamps and grace periods; watches time out by real time. */
        public Builder clock(Clock value) {
            clock = value;
            return this;
        }

        /** The source of uids and generated names. */
        public Builder random(Random value) {
            random = value;
            return this;
        }

        /** The checks of the kubelets before they run a pod. */
        public Builder nodeAdmission(NodeAdmission value) {
            nodeAdmission = value;
            return this;
        }

        /** How often the kubelets act on their own; zero for never, when tests call {@link EmbeddedKubelet#tick()}. */
        public Builder kubeletPeriod(Duration value) {
            kubeletPeriod = value;
            return this;
        }

        /** Maximum grace period that the kubelets honor. */
        public Builder longestGrace(Duration value) {
            longestGrace = value;
            return this;
        }

        /** The interval of bookmarks. */
        public Builder bookmarkInterval(Duration value) {
            bookmarkInterval = value;
            return this;
        }

        /** The number of events of each kind that are kept for watches. */
        public Builder watchHistory(int value) {
            watchHistory = value;
            return this;
        }

        /** Whether the controllers bind claims to volumes (default: true); false leaves them as in their manifests. */
        public Builder bindsVolumes(boolean value) {
            bindsVolumes = value;
            return this;
        }

        /**
         * Whether there are controllers, which create pods of workloads, empty namespaces, and so on; off by default. They run as
         * often as the kubelets, after {@link EmbeddedControlPlane#startControllers()}.
         */
        public Builder controllers(boolean value) {
            controllers = value;
            return this;
        }

        /** False to open no port until {@link EmbeddedControlPlane#startServing()}: only {@link EmbeddedControlPlane#call} works then. */
        public Builder serving(boolean value) {
            serving = value;
            return this;
        }

        /** The authorization mode; with RBAC the server uses HTTPS. */
        public Builder authorization(AuthorizationMode value) {
            authorization = value;
            return this;
        }

        /** Additional kinds, as from CustomResourceDefinitions. */
        public Builder moreKinds(List<ResourceType> value) {
            moreKinds = List.copyOf(value);
            return this;
        }

        /** Starts the cluster. */
        public EmbeddedControlPlane start() throws IOException {
            return new EmbeddedControlPlane(this);
        }
    }

    private ScheduledExecutorService startTicking(Duration period) {
        ScheduledExecutorService started = new LoggingTimer(new ThreadFactoryBuilder()
                .setDaemon(true)
                .setNameFormat("embedded-kubelet")
                .build());
        Runnable tick = () -> {
            try {
                tick();
            } catch (RuntimeException e) {
                LOG.error("the embedded kubelets and controllers failed; they try again", e);
            }
        };
        ScheduledFuture<?> ticks =
                started.scheduleWithFixedDelay(tick, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
        LOG.debug("kubelets act every {}: {}", period, ticks);
        return started;
    }

    /** Runs controllers and kubelets once; a cluster with a kubelet period does so itself. */
    public void tick() {
        if (controllers != null && controlling.get()) {
            synchronized (controlLock) {
                controllers.tick();
            }
        }
        kubelet.tick();
    }

    /** Runs a task while the controllers are paused, so that they see only its final result. */
    public void withoutControllers(Runnable task) {
        synchronized (controlLock) {
            task.run();
        }
    }

    /** Starts the controllers, if the cluster has any; before that, they do not act on loaded objects. */
    public void startControllers() {
        controlling.set(true);
    }

    /** Accepts connections again, on the same port and with the same objects; no effect if it does so already. */
    public void startServing() throws IOException {
        api.startServing();
    }

    /** Closes all connections and accepts no more; objects stay. No effect if it is stopped. */
    public void stopServing() {
        api.stopServing();
    }

    /** The port, also while not serving. */
    public int port() {
        return api.port();
    }

    /** The server's address, for example {@code http://127.0.0.1:40123}, with roles {@code https}. */
    public String url() {
        return access.url(port());
    }

    /**
     * Handles a request of the administrator in the calling thread, as if it had arrived over the network; neither watches nor
     * injected faults.
     *
     * @param path path and query, both encoded
     * @param contentType empty when there is no body
     */
    public Response call(String method, String path, String contentType, byte[] body) {
        return api.call(method, path, "", contentType, body);
    }

    /**
     * A GET of the administrator for the table that kubectl prints, as {@link #call}.
     *
     * @param path path and query, both encoded
     */
    public Response table(String path) {
        return api.call("GET", path, "application/json;as=Table;v=v1;g=meta.k8s.io", "", new byte[0]);
    }

    /** Writes a kubeconfig file for this server, with administrator credentials if there is RBAC. */
    public void writeKubeconfig(Path file) throws IOException {
        Files.writeString(file, access.kubeconfig(port()));
    }

    /**
     * Creates an object, or those of a List, with the defaults of a POST, but keeps its UID, times, status, and priority. Its
     * namespace is created if absent. The argument is not changed.
     *
     * @throws StatusError if the object is invalid or already exists
     * @throws IllegalArgumentException if the kind is not served
     */
    public void load(JsonNode manifest) {
        loader.load(manifest);
    }

    /** The objects of a List, each with its kind and apiVersion; a single object otherwise. */
    public static List<JsonNode> items(JsonNode manifest) {
        return ObjectLoader.items(manifest);
    }

    /** The stored objects, without kind and apiVersion; must not be changed. */
    public StoredObjects store() {
        return store;
    }

    /** The served kinds. */
    public ResourceCatalog catalog() {
        return catalog;
    }

    /** The faults that tests can inject. */
    public Faults faults() {
        return faults;
    }

    /** The requests that the server has received. */
    public RequestLog requests() {
        return requests;
    }

    /** The kubelets. */
    public EmbeddedKubelet kubelet() {
        return kubelet;
    }

    /** One stored object; the resource is a plural ({@code pods}) or qualified name ({@code replicasets.apps}). */
    public Optional<ObjectNode> get(String resource, String namespace, String name) {
        return store.get(catalog.named(resource), namespace, name);
    }

    /** All stored objects of a resource, by namespace and name. */
    public List<ObjectNode> list(String resource) {
        return store.list(catalog.named(resource), "").items();
    }

    /** Number of open watches. */
    public int openWatches() {
        return api.openWatches();
    }

    @Override
    public void close() {
        if (timer != null) {
            timer.shutdownNow();
        }
        stopServing();
    }

    /** Writes objects to the store without a request: those of each cluster, and the manifests of a user. */
    static final class ObjectLoader {
        private static final Logger LOG = LoggerFactory.getLogger(ObjectLoader.class);

        private final StoredObjects store;
        private final ResourceCatalog catalog;
        private final ObjectAdmission admission;

        ObjectLoader(StoredObjects store, ResourceCatalog catalog, ObjectAdmission admission) {
            this.store = store;
            this.catalog = catalog;
            this.admission = admission;
        }

        /** The initial namespaces and priority classes of a cluster. */
        void loadSystemObjects() {
            List.of("default", "kube-system", "kube-public", "kube-node-lease").forEach(this::ensureNamespace);
            ObjectCreation.systemClasses().forEach(this::addSystemClass);
        }

        /** The Service of the API server for the pods of the cluster. */
        void loadKubernetesService() {
            ObjectNode service = Json.object().put("apiVersion", "v1").put("kind", "Service");
            ObjectNode metadata =
                    service.putObject("metadata").put("name", "kubernetes").put("namespace", "default");
            metadata.putObject("labels").put("component", "apiserver").put("provider", "kubernetes");
            ObjectNode spec = service.putObject("spec").put("clusterIP", "10.96.0.1");
            spec.putArray("ports")
                    .addObject()
                    .put("name", "https")
                    .put("port", 443)
                    .put("protocol", "TCP")
                    .put("targetPort", 6443);
            load(service);
        }

        /** See {@link EmbeddedControlPlane#load}. */
        void load(JsonNode manifest) {
            items(manifest).forEach(this::loadOne);
        }

        /**
         * The objects of a List, each with its kind; a single object otherwise.
         *
         * @throws IllegalArgumentException if an item is not an object
         */
        static List<JsonNode> items(JsonNode manifest) {
            String kind = Json.text(manifest, "kind");
            if (!kind.endsWith("List") || !manifest.has("items")) {
                return List.of(manifest);
            }
            List<JsonNode> items = new ArrayList<>();
            for (JsonNode item : manifest.path("items")) {
                if (!item.isObject()) {
                    throw new IllegalArgumentException("an item of a " + kind + " is no object");
                }
                ObjectNode typed = item.deepCopy();
                Json.putIfAbsent(typed, "kind", kind.substring(0, kind.length() - "List".length()));
                Json.putIfAbsent(typed, "apiVersion", Json.text(manifest, "apiVersion"));
                items.addAll(items(typed));
            }
            return List.copyOf(items);
        }

        private void loadOne(JsonNode manifest) {
            String kind = Json.text(manifest, "kind");
            String apiVersion = Json.text(manifest, "apiVersion");
            ResourceType served = catalog.ofManifest(apiVersion, kind)
                    .orElseThrow(() -> new IllegalArgumentException("the embedded cluster does not serve kind \"" + kind
                            + "\" of apiVersion \"" + apiVersion + "\""));
            ResourceType type = catalog.stored(served);
            String namespace = Json.text(manifest, "metadata", "namespace");
            if (type.namespaced()) {
                namespace = namespace.isEmpty() ? "default" : namespace;
                ensureNamespace(namespace);
            }
            ResourceRequest target =
                    new ResourceRequest(type, served, served.versions().get(0), namespace, "", "");
            ObjectNode object = target.internal(manifest.deepCopy());
            admission.admitNew(type, namespace, object, true);
            store.create(type, object, false);
        }

        private void ensureNamespace(String name) {
            ResourceType namespaces = catalog.named("namespaces");
            if (store.get(namespaces, "", name).isPresent()) {
                return;
            }
            ObjectNode namespace = Json.object();
            namespace.putObject("metadata").put("name", name);
            admission.admitNew(namespaces, "", namespace, true);
            try {
                store.create(namespaces, namespace, false);
            } catch (StatusError e) {
                LOG.debug("namespace {} was created meanwhile", name, e);
            }
        }

        private void addSystemClass(String name, int value) {
            ResourceType classes = catalog.named("priorityclasses");
            ObjectNode priorityClass = Json.object();
            priorityClass.putObject("metadata").put("name", name);
            priorityClass.put("value", value);
            admission.admitNew(classes, "", priorityClass, true);
            store.create(classes, priorityClass, false);
        }
    }

    /** Connection data of the server: plain HTTP, or HTTPS with a token. */
    static final class EmbeddedAccess {
        private final BearerTokens tokens;
        private final AccessControl control;
        private final AccessReviews reviews;
        private final @Nullable Own certificate;

        EmbeddedAccess(AuthorizationMode mode, StoredObjects store, ResourceCatalog catalog, Clock clock)
                throws IOException {
            this.tokens = new BearerTokens(store, catalog, clock);
            this.control = new AccessControl(mode, tokens, store, catalog);
            this.reviews = new AccessReviews(tokens, control, catalog.named("serviceaccounts"));
            this.certificate = mode == AuthorizationMode.RBAC ? Own.create(clock) : null;
        }

        AccessControl control() {
            return control;
        }

        AccessReviews reviews() {
            return reviews;
        }

        /** Null for plain HTTP. */
        @Nullable
        Tls tls() {
            return certificate == null ? null : certificate.tls();
        }

        /** The address of a port. */
        String url(int port) {
            return (certificate == null ? "http" : "https") + "://127.0.0.1:" + port;
        }

        /** A kubeconfig, with administrator credentials if there is RBAC. */
        String kubeconfig(int port) {
            return certificate == null
                    ? EmbeddedKubeconfig.text(url(port))
                    : EmbeddedKubeconfig.text(url(port), certificate.pem(), tokens.admin());
        }

        /** The text of a kubeconfig file for a server. */
        static final class EmbeddedKubeconfig {
            private EmbeddedKubeconfig() {}

            /** Over plain HTTP. */
            static String text(String url) {
                return configuration(url, "", " {}");
            }

            /**
             * Over HTTPS.
             *
             * @param authority certificate of the server's CA in PEM
             */
            static String text(String url, String authority, String token) {
                return configuration(
                        url,
                        "\n    certificate-authority-data: "
                                + Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.US_ASCII)),
                        "\n    token: " + token);
            }

            private static String configuration(String url, String ofCluster, String ofUser) {
                return """
                    apiVersion: v1
                    kind: Config
                    clusters:
                    - name: embedded
                      cluster:
                        server: %s%s
                    users:
                    - name: embedded
                      user:%s
                    contexts:
                    - name: embedded
                      context:
                        cluster: embedded
                        user: embedded
                    current-context: embedded
                    """.formatted(url, ofCluster, ofUser);
            }
        }
    }
}
