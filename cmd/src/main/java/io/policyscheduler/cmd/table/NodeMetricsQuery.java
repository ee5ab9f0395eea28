package io.policyscheduler.cmd.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.MeasuredSource.Measurement;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.rules.data.QuantityText;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.SortedMap;
import java.util.TreeMap;

/** What metrics-server, or whoever serves that API, says that nodes use. */
final class NodeMetricsQuery implements Measurement {
    private static final String PATH = "/apis/metrics.k8s.io/v1beta1/nodes";

    private final KubeConnection connection;

    /** @param connection not closed here */
    NodeMetricsQuery(KubeConnection connection) {
        this.connection = connection;
    }

    @Override
    public SortedMap<String, Sample> measure() throws MeasureException {
        ApiResponse response;
        JsonNode list;
        try {
            response = connection.get(PATH);
            if (!response.success()) {
                throw new MeasureException(refusal(response));
            }
            list = response.json();
        } catch (ApiIoException e) {
            throw new MeasureException(ApiIoException.describe(e), e);
        } catch (IOException e) {
            throw new MeasureException("the answer is no JSON", e);
        }
        SortedMap<String, Sample> samples = new TreeMap<>();
        for (JsonNode item : list.path("items")) {
            JsonNode usage = item.path("usage");
            samples.put(
                    item.path("metadata").path("name").asText(),
                    new Sample(
                            ImmutableMap.of("cpu", amount(usage, "cpu"), "memory", amount(usage, "memory")),
                            time(item.path("timestamp").asText())));
        }
        return samples;
    }

    private static String refusal(ApiResponse response) {
        String message = VisibleText.line(response.message());
        return switch (response.code()) {
            case HttpURLConnection.HTTP_NOT_FOUND -> "the cluster has no API metrics.k8s.io; install metrics-server";
            case HttpURLConnection.HTTP_FORBIDDEN -> message + "; grant list of nodes in metrics.k8s.io";
            default -> message;
        };
    }

    private static double amount(JsonNode usage, String resource) throws MeasureException {
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
        // The connection is the scheduler's; a question under way ends by its timeout.
    }
}
