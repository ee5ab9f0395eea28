package io.policyscheduler.cmd.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.MeasuredSource.Measurement;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.rules.data.QuantityText;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An instant query of the HTTP API of Prometheus. Samples that are not finite numbers, or that do not have the label, are
 * ignored.
 */
final class PrometheusQuery implements Measurement {
    private static final double MILLIS = 1_000;

    private final TableOrigin.Prometheus origin;
    private final Path beside;
    private final int maxBody;
    private final String path;
    /** Created with the first request, so that a missing file is only an error of the request. */
    private @Nullable KubeConnection connection;

    private boolean closed;

    /** @param beside the file that other file names are relative to */
    PrometheusQuery(TableOrigin.Prometheus origin, Path beside) {
        this(origin, beside, KubeConnection.MAX_FOREIGN_BODY);
    }

    /** @param maxBody longest response in bytes */
    PrometheusQuery(TableOrigin.Prometheus origin, Path beside, int maxBody) {
        this.origin = origin;
        this.beside = beside;
        this.maxBody = maxBody;
        this.path = "/api/v1/query?query="
                + URLEncoder.encode(origin.query(), StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public SortedMap<String, Sample> measure() throws MeasureException {
        try {
            return samples(connection().get(path));
        } catch (ApiIoException | ClusterException e) {
            throw new MeasureException(ApiIoException.describe(e), e);
        }
    }

    /**
     * Reads the certificate authorities now, instead of with the first request.
     *
     * @throws ClusterException if they cannot be used; the message is one line
     */
    void connect() {
        connection();
    }

    private synchronized KubeConnection connection() {
        KubeConnection known = connection;
        if (known == null) {
            if (closed) {
                throw new ClusterException("the table is closed");
            }
            known = KubeConnection.withBearer(
                            origin.url(),
                            resolved(origin.bearerTokenFile()),
                            resolved(origin.caFile()),
                            origin.verify(),
                            origin.timeout())
                    .withBodyLimit(maxBody);
            connection = known;
        }
        return known;
    }

    private @Nullable Path resolved(@Nullable String file) {
        return file == null ? null : beside.resolveSibling(file);
    }

    private SortedMap<String, Sample> samples(ApiResponse response) throws MeasureException {
        JsonNode answer;
        try {
            answer = response.json();
        } catch (IOException e) {
            throw new MeasureException(
                    response.success() ? "the answer is no JSON" : VisibleText.line(response.toString()), e);
        }
        if (!response.success() || !answer.path("status").asText().equals("success")) {
            String error = answer.path("error").asText();
            throw new MeasureException(VisibleText.line(error.isEmpty() ? response.toString() : error));
        }
        JsonNode data = answer.path("data");
        if (!data.path("resultType").asText().equals("vector")) {
            throw new MeasureException("the query gives a "
                    + VisibleText.line(data.path("resultType").asText())
                    + ", not a vector; write an instant query with a sample for each " + origin.label());
        }
        return samples(data.path("result"));
    }

    private SortedMap<String, Sample> samples(JsonNode results) throws MeasureException {
        SortedMap<String, Sample> samples = new TreeMap<>();
        boolean labelled = results.isEmpty();
        for (JsonNode result : results) {
            JsonNode label = result.path("metric").path(origin.label());
            if (!label.isTextual()) {
                continue;
            }
            labelled = true;
            String key = label.textValue();
            if (key.isEmpty() || key.length() > TableLimits.MAX_KEY || !VisibleText.isVisible(key)) {
                throw new MeasureException("a value of the label " + origin.label() + " is no key: it has 1 to "
                        + TableLimits.MAX_KEY + " visible characters");
            }
            Sample sample = sample(result.path("value"));
            if (sample != null && samples.put(key, sample) != null) {
                throw new MeasureException("several samples with " + origin.label() + "=\"" + key
                        + "\"; write a query with one for each, such as sum by (" + origin.label() + ") (...)");
            }
        }
        if (!labelled) {
            throw new MeasureException("no sample has the label " + origin.label() + "; keep it in the query, as by ("
                    + origin.label() + ")");
        }
        return samples;
    }

    /** A time in seconds, and a number as text; null if it is not finite. */
    private static @Nullable Sample sample(JsonNode value) throws MeasureException {
        double seconds = value.path(0).doubleValue();
        if (!value.isArray() || value.size() != 2 || !value.path(0).isNumber() || !Double.isFinite(seconds)) {
            throw new MeasureException("a sample is not [time, \"value\"]");
        }
        double number;
        try {
            number = Double.parseDouble(value.path(1).asText());
        } catch (NumberFormatException e) {
            // +Inf and -Inf, for which Java has other names.
            number = Double.NaN;
        }
        if (!Double.isFinite(number)) {
            return null;
        }
        long millis = Math.round(seconds * MILLIS);
        // Adding 0 turns -0 into 0.
        return new Sample(ImmutableMap.of(TableSchema.VALUE, number + 0.0), Instant.ofEpochMilli(millis));
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (connection != null) {
            connection.close();
        }
    }

    /** The usage of nodes from the metrics API, as served by metrics-server. */
    static final class NodeMetrics implements Measurement {
        private static final String PATH = "/apis/metrics.k8s.io/v1beta1/";

        private final KubeConnection connection;

        /** @param connection not closed here */
        NodeMetrics(KubeConnection connection) {
            this.connection = connection;
        }

        @Override
        public SortedMap<String, Sample> measure() throws MeasureException {
            SortedMap<String, Sample> samples = new TreeMap<>();
            for (JsonNode item : items(connection, "nodes")) {
                JsonNode usage = item.path("usage");
                samples.put(
                        item.path("metadata").path("name").asText(),
                        new Sample(
                                ImmutableMap.of("cpu", amount(usage, "cpu"), "memory", amount(usage, "memory")),
                                time(item.path("timestamp").asText())));
            }
            return samples;
        }

        /** Returns the items of a list of the metrics API, of {@code nodes} or {@code pods}. */
        static JsonNode items(KubeConnection connection, String resource) throws MeasureException {
            try {
                ApiResponse response = connection.get(PATH + resource);
                if (!response.success()) {
                    throw new MeasureException(refusal(response, resource));
                }
                return response.json().path("items");
            } catch (ApiIoException e) {
                throw new MeasureException(ApiIoException.describe(e), e);
            } catch (IOException e) {
                throw new MeasureException("the answer is no JSON", e);
            }
        }

        private static String refusal(ApiResponse response, String resource) {
            String message = VisibleText.line(response.message());
            return switch (response.code()) {
                case HttpURLConnection.HTTP_NOT_FOUND ->
                    "the cluster has no API metrics.k8s.io; install metrics-server";
                case HttpURLConnection.HTTP_FORBIDDEN -> message + "; grant list of " + resource + " in metrics.k8s.io";
                default -> message;
            };
        }

        static double amount(JsonNode usage, String resource) throws MeasureException {
            String text = usage.path(resource).asText();
            double amount = QuantityText.parse(text);
            if (Double.isNaN(amount)) {
                throw new MeasureException("usage." + resource + " \"" + VisibleText.line(text) + "\" is no quantity");
            }
            return amount;
        }

        private static Instant time(String text) throws MeasureException {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                throw new MeasureException("timestamp \"" + VisibleText.line(text) + "\" is no time", e);
            }
        }

        @Override
        public void close() {
            // The connection belongs to the scheduler; a running request ends with its timeout.
        }
    }
}
