package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.tests.RealPrograms;
import io.policyscheduler.tests.TrustingClient;
import io.policyscheduler.tests.e2e.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A real kube-apiserver with etcd, if the programs are installed. It keeps running between tests, and everything that they create is deleted. There
 * are no kubelets: no pod is rejected, and one that is deleted with a grace period remains.
 */
final class RealServer implements FaultServer {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int FORBIDDEN = 403;
    private static final Duration ADMISSION_TIME = Duration.ofSeconds(10);
    /** Cached, because tests ask every few milliseconds, and a list of thousands takes long. */
    private static final long FRESH_NANOS = 50_000_000;

    private static final int FRESH_AS_LONG_AS_IT_TOOK = 10;

    private final String url;
    private final HttpClient client;
    private final Map<String, Listed> lists = new HashMap<>();
    private final Map<String, String> nodeByUid = new TreeMap<>();
    private final List<String> moved = new ArrayList<>();

    private record Listed(long read, long took, List<ObjectNode> items) {
        boolean isFresh() {
            return System.nanoTime() - read < Math.max(FRESH_NANOS, FRESH_AS_LONG_AS_IT_TOOK * took);
        }
    }

    private RealServer(String url) {
        this.url = url;
        this.client = TrustingClient.create();
        clear();
    }

    /**
     * Starts a server, or finds the running one.
     *
     * @param version a release, or {@code real} for the newest one that is installed
     */
    static RealServer start(String version) {
        List<String> releases = RealPrograms.releases();
        String release = version.equals("real") && !releases.isEmpty() ? releases.get(releases.size() - 1) : version;
        assumeTrue(
                !release.equals("real"),
                "no kube-apiserver; set KUBERNETES_PROGRAMS or KUBEBUILDER_ASSETS as docs/testing.md describes");
        Path kubeconfig = RealPrograms.up(release, Map.of());
        try {
            JsonNode config = new YAMLMapper().readTree(kubeconfig.toFile());
            return new RealServer(config.at("/clusters/0/cluster/server").asText());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void clear() {
        for (String resource : List.of("pods", "resourceclaims", "persistentvolumeclaims", "persistentvolumes")) {
            for (ObjectNode object : list(resource)) {
                // No controller removes the finalizers of objects in use.
                call(
                        "PATCH",
                        path(resource, object.path("metadata").path("namespace").asText("")) + "/"
                                + object.path("metadata").path("name").asText(),
                        "application/merge-patch+json",
                        "{\"metadata\":{\"finalizers\":null}}");
            }
        }
        for (String path : List.of(
                "/api/v1/namespaces/default/pods",
                "/api/v1/nodes",
                "/api/v1/namespaces/default/events",
                "/api/v1/namespaces/default/persistentvolumeclaims",
                "/api/v1/persistentvolumes",
                "/apis/storage.k8s.io/v1/storageclasses",
                "/apis/storage.k8s.io/v1/csinodes",
                "/apis/storage.k8s.io/v1/csidrivers",
                "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities",
                "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                "/api/v1/namespaces/kube-system/endpoints/kube-scheduler",
                "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
                "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
                "/apis/resource.k8s.io/v1/resourceslices",
                "/apis/resource.k8s.io/v1/deviceclasses",
                "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases")) {
            call("DELETE", path, "application/json", "{\"gracePeriodSeconds\":0}");
        }
        for (String name : List.of("lowest", "low", "middle", "high", "polite")) {
            call("DELETE", "/apis/scheduling.k8s.io/v1/priorityclasses/" + name, "application/json", "");
        }
    }

    @Override
    public String url() {
        return url;
    }

    @Override
    public HttpClient client() {
        return client;
    }

    @Override
    public Map<String, String> headers() {
        return Map.of("Authorization", "Bearer real-admin");
    }

    private static String group(String resource) {
        return switch (resource) {
            case "priorityclasses" -> "/apis/scheduling.k8s.io/v1/";
            case "leases" -> "/apis/coordination.k8s.io/v1/";
            case "resourceclaims", "resourceclaimtemplates", "resourceslices", "deviceclasses" ->
                "/apis/resource.k8s.io/v1/";
            case "storageclasses", "csinodes", "csidrivers", "csistoragecapacities" -> "/apis/storage.k8s.io/v1/";
            case "poddisruptionbudgets" -> "/apis/policy/v1/";
            default -> "/api/v1/";
        };
    }

    private static String path(String resource, String namespace) {
        return group(resource) + (namespace.isEmpty() ? "" : "namespaces/" + namespace + "/") + resource;
    }

    @Override
    public void load(ObjectNode object) {
        String kind = object.path("kind").asText();
        String resource = plural(kind);
        String path = path(resource, object.path("metadata").path("namespace").asText(""));
        // Admission rejects a pod until its informer has seen the priority class.
        Await.until(
                ADMISSION_TIME,
                "POST " + path + " is not forbidden",
                () -> create(path, object) != FORBIDDEN,
                object::toString);
        if (object.has("status") && !kind.equals("Pod")) {
            ObjectNode status = MAPPER.createObjectNode();
            status.set("status", object.get("status"));
            String name = object.path("metadata").path("name").asText();
            call("PATCH", path + "/" + name + "/status", "application/merge-patch+json", status.toString());
        }
    }

    private int create(String path, ObjectNode object) {
        int code = call("POST", path, "application/json", object.toString());
        if (code >= 300 && code != CONFLICT && code != FORBIDDEN) {
            throw new IllegalStateException("POST " + path + " of " + object + ": " + code);
        }
        return code;
    }

    private static String plural(String kind) {
        String name = kind.toLowerCase(Locale.ROOT);
        if (name.endsWith("y")) {
            return name.substring(0, name.length() - 1) + "ies";
        }
        return name + (name.endsWith("s") ? "es" : "s");
    }

    @Override
    public Optional<ObjectNode> get(String resource, String namespace, String name) {
        HttpResponse<String> response = send("GET", path(resource, namespace) + "/" + name, "application/json", "");
        return response.statusCode() == NOT_FOUND ? Optional.empty() : Optional.of((ObjectNode) json(response));
    }

    @Override
    public synchronized List<ObjectNode> list(String resource) {
        Listed known = lists.get(resource);
        if (known == null || !known.isFresh()) {
            long start = System.nanoTime();
            List<ObjectNode> items = new ArrayList<>();
            json(send("GET", path(resource, ""), "application/json", ""))
                    .path("items")
                    .forEach(item -> items.add((ObjectNode) item));
            long end = System.nanoTime();
            known = new Listed(end, end - start, List.copyOf(items));
            lists.put(resource, known);
        }
        return known.items();
    }

    @Override
    public int call(String method, String path, String contentType, String body) {
        int code = send(method, path, contentType, body).statusCode();
        synchronized (this) {
            lists.clear();
        }
        return code;
    }

    private HttpResponse<String> send(String method, String path, String contentType, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", contentType)
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        headers().forEach(request::header);
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode json(HttpResponse<String> response) {
        try {
            return MAPPER.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized List<String> violations() {
        bound();
        List<String> violations = new ArrayList<>(moved);
        Map<String, Long> used = new TreeMap<>();
        for (ObjectNode pod : list("pods")) {
            String node = pod.path("spec").path("nodeName").asText("");
            if (!node.isEmpty() && !pod.path("status").path("phase").asText().equals("Failed")) {
                used.merge(node, milliCpu(pod), Long::sum);
            }
        }
        for (ObjectNode node : list("nodes")) {
            String name = node.path("metadata").path("name").asText();
            long has = milli(node.path("status").path("allocatable").path("cpu"));
            if (used.getOrDefault(name, 0L) > has) {
                violations.add("node " + name + " has " + has + "m, but " + used.get(name) + "m are requested");
            }
        }
        return violations;
    }

    @Override
    public synchronized int bound() {
        for (ObjectNode pod : list("pods")) {
            String node = pod.path("spec").path("nodeName").asText("");
            String before = node.isEmpty()
                    ? null
                    : nodeByUid.put(pod.path("metadata").path("uid").asText(), node);
            if (before != null && !before.equals(node)) {
                moved.add("pod " + pod.path("metadata").path("name").asText() + " went from " + before + " to " + node);
            }
        }
        return nodeByUid.size();
    }

    private static long milliCpu(ObjectNode pod) {
        long sum = 0;
        for (JsonNode container : pod.path("spec").path("containers")) {
            sum += milli(container.path("resources").path("requests").path("cpu"));
        }
        return sum;
    }

    private static long milli(JsonNode quantity) {
        String text = quantity.asText("");
        return Quantity.milliValue(text.isEmpty() ? "0" : text);
    }

    @Override
    public void close() {
        clear();
    }
}
