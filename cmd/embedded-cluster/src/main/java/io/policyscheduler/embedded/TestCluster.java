package io.policyscheduler.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AuthorizationMode;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * The cluster that {@link EmbeddedCluster} starts: a Kubernetes API server on a port of the loopback address, with its kubelets and
 * controllers. Thread-safe.
 */
public final class TestCluster {
    private static final ObjectReader MANIFESTS = new YAMLMapper().readerFor(JsonNode.class);
    private static final Duration PERIOD = Duration.ofMillis(50);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final io.policyscheduler.cmd.embedded.EmbeddedControlPlane cluster;
    private final Release release;
    private final Path kubeconfig;

    private TestCluster(
            io.policyscheduler.cmd.embedded.EmbeddedControlPlane cluster, Release release, Path kubeconfig) {
        this.cluster = cluster;
        this.release = release;
        this.kubeconfig = kubeconfig;
    }

    static TestCluster start(EmbeddedCluster settings, Release release) throws IOException {
        io.policyscheduler.cmd.embedded.EmbeddedControlPlane cluster =
                io.policyscheduler.cmd.embedded.EmbeddedControlPlane.builder()
                        .release(release)
                        .controllers(settings.controllers())
                        .authorization(settings.rbac() ? AuthorizationMode.RBAC : AuthorizationMode.ALWAYS_ALLOW)
                        .kubeletPeriod(settings.background() ? PERIOD : Duration.ZERO)
                        .start();
        Path kubeconfig = Files.createTempFile("embedded-cluster", ".kubeconfig");
        cluster.writeKubeconfig(kubeconfig);
        return new TestCluster(cluster, release, kubeconfig);
    }

    void startControllers() {
        cluster.startControllers();
    }

    void load(Class<?> test, String resource) throws IOException {
        try (InputStream in = test.getResourceAsStream(resource)) {
            if (in == null) {
                throw new ExtensionConfigurationException("@EmbeddedCluster(load = \"" + resource
                        + "\"): the class path of " + test.getName() + " has no such resource");
            }
            load(MANIFESTS.readValues(in));
        }
    }

    void close() throws IOException {
        cluster.close();
        Files.deleteIfExists(kubeconfig);
    }

    /** The address of the API server. */
    public URI url() {
        return URI.create(cluster.url());
    }

    /** A kubeconfig file for clients such as kubectl and client-java. The extension deletes it with the cluster. */
    public Path kubeconfig() {
        return kubeconfig;
    }

    /** The release of the API, such as {@code 1.36}. */
    public String release() {
        return release.toString();
    }

    /**
     * Creates objects with the defaults of a POST. Keeps uid, times, status, and priority that a manifest has, and creates its namespace.
     *
     * @param manifests JSON or YAML; several documents and lists are allowed
     * @throws IllegalArgumentException if the text cannot be parsed or a kind is not served
     */
    public void create(String manifests) {
        try {
            load(MANIFESTS.readValues(manifests));
        } catch (IOException e) {
            throw new IllegalArgumentException("not a manifest: " + e.getMessage(), e);
        }
    }

    private void load(MappingIterator<JsonNode> documents) throws IOException {
        while (documents.hasNextValue()) {
            JsonNode document = documents.nextValue();
            if (document.isObject()) {
                cluster.load(document);
            }
        }
    }

    /**
     * Returns an object, or empty if there is none.
     *
     * @param resource such as {@code pods} or {@code deployments.apps}
     * @param namespace empty for objects without a namespace
     */
    public Optional<JsonNode> get(String resource, String namespace, String name) {
        return cluster.get(resource, namespace, name).map(JsonNode::deepCopy);
    }

    /** Returns all objects of a resource, by namespace and name. */
    public List<JsonNode> list(String resource) {
        return cluster.list(resource).stream().<JsonNode>map(JsonNode::deepCopy).toList();
    }

    /**
     * Waits until an object satisfies a condition, for at most 30 seconds, and returns it.
     *
     * @throws AssertionError after 30 seconds; the message contains the object
     */
    public JsonNode await(String resource, String namespace, String name, Predicate<JsonNode> condition)
            throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            Optional<JsonNode> found = get(resource, namespace, name);
            if (found.filter(condition).isPresent()) {
                return found.get();
            }
            if (System.nanoTime() - start > LONGEST_WAIT.toNanos()) {
                throw new AssertionError(
                        resource + " " + namespace + "/" + name + " does not satisfy the condition after "
                                + LONGEST_WAIT.toSeconds() + " s: "
                                + found.map(JsonNode::toPrettyString).orElse("it does not exist"));
            }
            Thread.sleep(PERIOD.toMillis() / 2);
        }
    }

    /** Lets controllers and kubelets act once. For clusters without {@link EmbeddedCluster#background()}. */
    public void tick() {
        cluster.tick();
    }
}
