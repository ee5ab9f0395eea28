package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.lab.ImportCommand.ImportedTrace;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the metrics of kube-state-metrics from Prometheus. Each query covers at most one hour and returns one sample per series, so that
 * weeks of a large cluster need no large answers.
 */
final class PrometheusImport {
    /** What a query covers. */
    private static final Duration WINDOW = Duration.ofHours(1);
    /** The resolution of the end of a pod that did not complete. */
    private static final Duration STEP = Duration.ofMinutes(1);

    /** Enough for the samples of 500,000 pods, in bytes. */
    private static final int MAX_BODY = 256 << 20;

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    /** Owners whose pods belong to one node. */
    private static final Set<String> PER_NODE = Set.of("DaemonSet", "Node");
    /** Kube-state-metrics replaces the characters of names that Prometheus does not allow. */
    private static final Map<String, String> LABELS = Map.of(
            "label_topology_kubernetes_io_zone", "topology.kubernetes.io/zone",
            "label_topology_kubernetes_io_region", "topology.kubernetes.io/region",
            "label_node_kubernetes_io_instance_type", "node.kubernetes.io/instance-type",
            "label_kubernetes_io_hostname", "kubernetes.io/hostname",
            "label_kubernetes_io_arch", "kubernetes.io/arch",
            "label_kubernetes_io_os", "kubernetes.io/os");

    private final String url;
    private final KubeConnection connection;
    private final Instant from;
    private final Instant to;
    private final Map<String, Pod> pods = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> allocatable = new TreeMap<>();
    private final Map<String, Map<String, String>> labels = new HashMap<>();

    /** A pod; times are Unix seconds, null if they are not known. */
    private static final class Pod {
        private final String namespace;
        private final String name;
        private @Nullable BigDecimal created;
        private @Nullable BigDecimal started;
        private @Nullable BigDecimal completed;
        private BigDecimal seen = BigDecimal.ZERO;
        private String node = "";
        private String ownerKind = "";
        private String owner = "";
        /** By resource and container. */
        private final Map<String, Map<String, BigDecimal>> requests = new TreeMap<>();

        private Pod(String namespace, String name) {
            this.namespace = namespace;
            this.name = name;
        }
    }

    private PrometheusImport(String url, KubeConnection connection, Instant from, Instant to) {
        this.url = url;
        this.connection = connection;
        this.from = from;
        this.to = to;
    }

    /**
     * Reads the pods that existed between two times, and the nodes.
     *
     * @param url of Prometheus, without {@code /api}
     * @param token file with a bearer token; null for none
     * @param authorities file in PEM; null for those that the JVM trusts
     * @throws InputException if a query fails, or there are no pods
     */
    static ImportedTrace read(String url, @Nullable Path token, @Nullable Path authorities, Instant from, Instant to) {
        try (KubeConnection connection = KubeConnection.withBearer(url, token, authorities, true, TIMEOUT)) {
            PrometheusImport reading = new PrometheusImport(url, connection.withBodyLimit(MAX_BODY), from, to);
            for (Instant at = from; at.isBefore(to); at = at.plus(WINDOW)) {
                Instant end = at.plus(WINDOW);
                reading.window(at, end.isAfter(to) ? to : end);
            }
            return reading.result();
        } catch (ApiIoException | ClusterException e) {
            throw new InputException(url + ": " + ApiIoException.describe(e), e);
        }
    }

    private void window(Instant begin, Instant end) throws ApiIoException {
        String range = "[" + Duration.between(begin, end).toSeconds() + "s]";
        pods(end, "last_over_time(kube_pod_created" + range + ")", (pod, sample) -> pod.created = value(sample));
        pods(
                end,
                "max_over_time(timestamp(kube_pod_created)" + range.replace("]", ":" + STEP.toSeconds() + "s]") + ")",
                (pod, sample) -> pod.seen = value(sample));
        pods(
                end,
                "last_over_time(kube_pod_info{node!=\"\"}" + range + ")",
                (pod, sample) -> pod.node = text(sample, "node"));
        pods(end, "last_over_time(kube_pod_start_time" + range + ")", (pod, sample) -> pod.started = value(sample));
        pods(
                end,
                "last_over_time(kube_pod_completion_time" + range + ")",
                (pod, sample) -> pod.completed = value(sample));
        pods(end, "last_over_time(kube_pod_owner" + range + ")", (pod, sample) -> {
            // A pod without an owner has the owner <none>.
            if (!text(sample, "owner_kind").contains("<")) {
                pod.ownerKind = text(sample, "owner_kind");
                pod.owner = text(sample, "owner_name");
            }
        });
        // The label node changes when a pod is bound, so that one request can have two series.
        pods(
                end,
                "max by (namespace, pod, uid, container, resource) (last_over_time(kube_pod_container_resource_requests"
                        + range + "))",
                (pod, sample) -> pod.requests
                        .computeIfAbsent(resource(sample), resource -> new TreeMap<>())
                        .put(text(sample, "container"), value(sample)));
        query(
                end,
                "last_over_time(kube_node_status_allocatable" + range + ")",
                sample -> allocatable
                        .computeIfAbsent(text(sample, "node"), node -> new TreeMap<>())
                        .put(resource(sample), value(sample).toPlainString()));
        query(end, "last_over_time(kube_node_labels" + range + ")", sample -> {
            Map<String, String> known = labels.computeIfAbsent(text(sample, "node"), node -> new TreeMap<>());
            LABELS.forEach((metric, label) -> {
                if (!text(sample, metric).isEmpty()) {
                    known.put(label, text(sample, metric));
                }
            });
        });
    }

    private void pods(Instant end, String query, BiConsumer<Pod, JsonNode> sink) throws ApiIoException {
        query(end, query, sample -> {
            String namespace = text(sample, "namespace");
            String name = text(sample, "pod");
            sink.accept(
                    pods.computeIfAbsent(
                            namespace + "/" + name + " " + text(sample, "uid"), key -> new Pod(namespace, name)),
                    sample);
        });
    }

    private void query(Instant end, String query, Consumer<JsonNode> sink) throws ApiIoException {
        ApiResponse response = connection.get("/api/v1/query?time=" + end.getEpochSecond() + "&query="
                + URLEncoder.encode(query, StandardCharsets.UTF_8).replace("+", "%20"));
        JsonNode answer;
        try {
            answer = response.json();
        } catch (IOException e) {
            throw new InputException(
                    url + ": " + (response.success() ? "the answer is no JSON" : VisibleText.line(response.toString())),
                    e);
        }
        if (!answer.path("status").asText().equals("success")) {
            String error = answer.path("error").asText();
            throw new InputException(url + ": "
                    + VisibleText.line(error.isEmpty() ? "this is no answer of Prometheus: " + response : error));
        }
        answer.path("data").path("result").forEach(sink);
    }

    private static String text(JsonNode sample, String label) {
        return sample.path("metric").path(label).asText("");
    }

    private BigDecimal value(JsonNode sample) {
        String text = sample.path("value").path(1).asText("");
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw new InputException(url + ": the sample \"" + VisibleText.line(text) + "\" is not a number", e);
        }
    }

    /** Returns the name of a resource in the trace. Names of devices cannot be restored, so they get a common prefix. */
    private static String resource(JsonNode sample) {
        String name = text(sample, "resource");
        return switch (name) {
            case "cpu", "memory", "pods" -> name;
            case "ephemeral_storage" -> "ephemeral-storage";
            default -> "prometheus/" + name;
        };
    }

    private ImportedTrace result() {
        List<Pod> arriving = new ArrayList<>();
        Set<String> resources = new TreeSet<>();
        BigDecimal start = BigDecimal.valueOf(from.getEpochSecond());
        for (Pod pod : pods.values()) {
            // Completed pods stay until they are deleted.
            if (pod.created != null && (pod.completed == null || pod.completed.compareTo(start) > 0)) {
                arriving.add(pod);
                resources.addAll(pod.requests.keySet());
            }
        }
        if (arriving.isEmpty()) {
            throw new InputException(url + ": there are no samples of kube_pod_created from " + from + " to " + to);
        }
        resources.removeAll(Set.of("cpu", "memory"));
        List<String> columns = new ArrayList<>(List.of(
                "time",
                "duration",
                "end",
                "name",
                "namespace",
                "owner",
                "selector.kubernetes.io/hostname",
                "cpu",
                "memory"));
        resources.forEach(resource -> columns.add("request." + resource));
        ImportedTrace trace = new ImportedTrace(columns);
        arriving.sort(Comparator.comparing(pod -> arrival(pod, start)));
        arriving.forEach(pod -> trace.pod(row(pod, start, resources)));
        allocatable.forEach((node, amounts) -> trace.node(node, amounts, labels.getOrDefault(node, Map.of())));
        return trace;
    }

    private static BigDecimal arrival(Pod pod, BigDecimal start) {
        return Objects.requireNonNull(pod.created).max(start);
    }

    private List<String> row(Pod pod, BigDecimal start, Set<String> resources) {
        BigDecimal arrival = arrival(pod, start);
        String duration = "";
        String end = "";
        if (pod.completed != null) {
            BigDecimal started = pod.started == null ? arrival : pod.started.max(start);
            duration = pod.completed.subtract(started).max(BigDecimal.ZERO).toPlainString();
        } else if (pod.seen.compareTo(
                        BigDecimal.valueOf(to.minus(STEP.multipliedBy(5)).getEpochSecond()))
                < 0) {
            end = time(pod.seen.max(arrival));
        }
        List<String> cells = new ArrayList<>(List.of(
                time(arrival),
                duration,
                end,
                pod.name,
                pod.namespace,
                pod.owner,
                PER_NODE.contains(pod.ownerKind) ? pod.node : "",
                request(pod, "cpu"),
                request(pod, "memory")));
        resources.forEach(resource -> cells.add(request(pod, resource)));
        return cells;
    }

    private static String time(BigDecimal seconds) {
        return Instant.ofEpochSecond(seconds.longValue()).toString();
    }

    private static String request(Pod pod, String resource) {
        return pod.requests.getOrDefault(resource, Map.of()).values().stream()
                .reduce(BigDecimal::add)
                .map(BigDecimal::toPlainString)
                .orElse("");
    }
}
