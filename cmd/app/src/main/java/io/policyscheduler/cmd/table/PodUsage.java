package io.policyscheduler.cmd.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.MeasuredSource.Measurement.Sample;
import io.policyscheduler.cmd.table.PrometheusQuery.NodeMetrics;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** The measured CPU and memory of all pods of a cluster. One request at a time. */
public final class PodUsage implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** A rate needs two scrapes, which are up to one minute apart. */
    private static final Duration SHORTEST_RATE = Duration.ofMinutes(2);
    /** A sample has about 150 bytes, so that this is enough for the 150,000 pods of the largest clusters. */
    private static final int MAX_BODY = 48 << 20;

    private static final String KEY = "key";
    /** The metrics of the kubelet: without the totals of pods, and without the containers that hold the network. */
    private static final String CONTAINERS = "{container!=\"\",container!=\"POD\"}";

    private final Source source;
    private final ImmutableList<PrometheusQuery> open;

    /**
     * The use of a pod.
     *
     * @param cores CPU in cores, not negative
     * @param bytes memory in bytes, not negative
     */
    public record Use(double cores, double bytes) {}

    /**
     * The address of a Prometheus server.
     *
     * @param url base URL, see {@link TableOrigin.Prometheus#isBase}
     * @param bearerTokenFile file with a bearer token, read again when it changes; null for none
     * @param caFile certificate authorities in PEM; null for those of the JVM
     */
    public record PrometheusServer(
            String url,
            @Nullable String bearerTokenFile,
            @Nullable String caFile) {}

    private interface Source {
        ImmutableMap<String, Use> measure() throws MeasureException;
    }

    private PodUsage(Source source, PrometheusQuery... open) {
        this.source = source;
        this.open = ImmutableList.copyOf(open);
    }

    /**
     * The use according to the metrics of the kubelets in Prometheus: the mean CPU of the period, and the working set at its end.
     *
     * @param server checked now; later, a server without a response is only an error of the measurement
     * @param period time between two measurements
     * @throws ClusterException if a file of the server cannot be used; the message is one line
     */
    public static PodUsage ofPrometheus(PrometheusServer server, Duration period) {
        Duration rate = period.compareTo(SHORTEST_RATE) < 0 ? SHORTEST_RATE : period;
        PrometheusQuery cpu = query(
                server, "rate(container_cpu_usage_seconds_total" + CONTAINERS + "[" + rate.toSeconds() + "s])", period);
        PrometheusQuery memory = query(server, "container_memory_working_set_bytes" + CONTAINERS, period);
        return new PodUsage(() -> joined(cpu.measure(), memory.measure()), cpu, memory);
    }

    private static PrometheusQuery query(PrometheusServer server, String perContainer, Duration period) {
        String sums = "sum by (namespace, pod) (" + perContainer + ")";
        String text = "label_join(" + sums + ", \"" + KEY + "\", \"/\", \"namespace\", \"pod\")";
        TableOrigin.Prometheus origin = new TableOrigin.Prometheus(
                server.url(), text, KEY, period, TIMEOUT, server.bearerTokenFile(), server.caFile(), true);
        PrometheusQuery query = new PrometheusQuery(origin, Path.of(""), MAX_BODY);
        query.connect();
        return query;
    }

    private static ImmutableMap<String, Use> joined(SortedMap<String, Sample> cpu, SortedMap<String, Sample> memory) {
        ImmutableMap.Builder<String, Use> uses = ImmutableMap.builder();
        cpu.forEach((key, sample) -> {
            Sample other = memory.get(key);
            if (other != null) {
                uses.put(key, new Use(number(sample), number(other)));
            }
        });
        return uses.buildOrThrow();
    }

    private static double number(Sample sample) {
        return Math.max(0, (Double) sample.row().getOrDefault(TableSchema.VALUE, 0.0));
    }

    /**
     * The use according to the API metrics.k8s.io, as served by metrics-server.
     *
     * @param connection closed by the caller
     */
    public static PodUsage ofMetricsApi(KubeConnection connection) {
        KubeConnection bounded = connection.withTimeout(TIMEOUT).withBodyLimit(MAX_BODY);
        return new PodUsage(() -> {
            ImmutableMap.Builder<String, Use> uses = ImmutableMap.builder();
            for (JsonNode item : NodeMetrics.items(bounded, "pods")) {
                double cores = 0;
                double bytes = 0;
                for (JsonNode container : item.path("containers")) {
                    cores += NodeMetrics.amount(container.path("usage"), "cpu");
                    bytes += NodeMetrics.amount(container.path("usage"), "memory");
                }
                JsonNode metadata = item.path("metadata");
                uses.put(
                        metadata.path("namespace").asText() + "/"
                                + metadata.path("name").asText(),
                        new Use(Math.max(0, cores), Math.max(0, bytes)));
            }
            return uses.buildKeepingLast();
        });
    }

    /**
     * Returns the use of pods by namespace and name, such as {@code shop/web-1}; without pods that are not measured yet.
     *
     * @throws MeasureException if it is not available
     */
    public Map<String, Use> measure() throws MeasureException {
        return source.measure();
    }

    /** Cancels a running request to Prometheus. */
    @Override
    public void close() {
        for (PrometheusQuery query : open) {
            query.close();
        }
    }
}
