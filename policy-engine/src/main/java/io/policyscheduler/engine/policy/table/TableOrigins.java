package io.policyscheduler.engine.policy.table;

import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.rules.table.TableOrigin;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Reads where the values of a table come from. */
record TableOrigins(TableFields fields) {
    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration LEAST_INTERVAL = Duration.ofSeconds(1);
    private static final Duration MOST_INTERVAL = Duration.ofHours(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LEAST_TIMEOUT = Duration.ofMillis(100);
    private static final Duration MOST_TIMEOUT = Duration.ofMinutes(1);
    /** Characters; the query is part of a URL. */
    private static final int MAX_QUERY = 4_096;

    /**
     * The origin.
     *
     * @param source which of the given fields tells it
     */
    TableOrigin of(String source, Map<String, SourceNode> given) throws TableException {
        SourceNode node = given.get(source);
        if (node == null) {
            throw new IllegalArgumentException(source);
        }
        return switch (source) {
            case "file" -> new TableOrigin.File(fields.text("file", node, node));
            case "configMap" -> configMap(node);
            case "prometheus" -> prometheus(node);
            case "metricsApi" -> metrics(node);
            default -> new TableOrigin.Inline();
        };
    }

    private TableOrigin configMap(SourceNode node) throws TableException {
        Map<String, SourceNode> map = fields.of(node, List.of("namespace", "name", "key"));
        return new TableOrigin.ConfigMap(
                fields.text("configMap.namespace", map.get("namespace"), node),
                fields.text("configMap.name", map.get("name"), node),
                fields.text("configMap.key", map.get("key"), node));
    }

    private TableOrigin prometheus(SourceNode node) throws TableException {
        Map<String, SourceNode> given = fields.of(
                node,
                List.of(
                        "url",
                        "query",
                        "label",
                        "interval",
                        "timeout",
                        "bearerTokenFile",
                        "caFile",
                        "insecureSkipTLSVerify"));
        String url = fields.text("prometheus.url", given.get("url"), node);
        if (!isBase(url)) {
            throw fields.refusal(
                    "prometheus.url is no address of a server",
                    "write http://HOST:PORT or https://HOST:PORT, with a path before /api/v1 if there is one, without user and query",
                    given.getOrDefault("url", node));
        }
        SourceNode query = given.get("query");
        if (query == null
                || query.kind() != SourceNode.Kind.STRING
                || query.text().isBlank()
                || query.text().length() > MAX_QUERY) {
            throw fields.refusal(
                    "prometheus.query is missing or no text of up to " + MAX_QUERY + " characters",
                    "write an instant query such as sum by (node) (rate(cpu_seconds_total[2m]))",
                    query == null ? node : query);
        }
        return new TableOrigin.Prometheus(
                url.replaceFirst("/+$", ""),
                query.text(),
                fields.text("prometheus.label", given.get("label"), node),
                interval("prometheus.interval", given),
                fields.time("prometheus.timeout", given.get("timeout"), TIMEOUT, LEAST_TIMEOUT, MOST_TIMEOUT),
                fields.optionalText("prometheus.bearerTokenFile", given.get("bearerTokenFile")),
                fields.optionalText("prometheus.caFile", given.get("caFile")),
                !fields.flag("prometheus.insecureSkipTLSVerify", given.get("insecureSkipTLSVerify")));
    }

    private static boolean isBase(String text) {
        try {
            URI url = new URI(text);
            return ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
                    && url.getHost() != null
                    && url.getRawUserInfo() == null
                    && url.getRawQuery() == null
                    && url.getRawFragment() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** {@code nodes}, or an object that says how often. */
    private TableOrigin metrics(SourceNode node) throws TableException {
        if (node.kind() == SourceNode.Kind.STRING) {
            requireNodes(node);
            return new TableOrigin.NodeMetrics(INTERVAL);
        }
        Map<String, SourceNode> given = fields.of(node, List.of("resource", "interval"));
        requireNodes(given.getOrDefault("resource", node));
        return new TableOrigin.NodeMetrics(interval("metricsApi.interval", given));
    }

    private void requireNodes(SourceNode node) throws TableException {
        if (node.kind() != SourceNode.Kind.STRING || !node.text().equals("nodes")) {
            throw fields.refusal("metricsApi is not about nodes", "write metricsApi: nodes", node);
        }
    }

    private Duration interval(String what, Map<String, SourceNode> given) throws TableException {
        return fields.time(what, given.get("interval"), INTERVAL, LEAST_INTERVAL, MOST_INTERVAL);
    }
}
