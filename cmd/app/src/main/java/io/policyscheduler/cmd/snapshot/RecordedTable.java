package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.policy.PolicyTables.TableAges;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;

/**
 * The measured values of a table at the time of a dump, as an object of the dump.
 *
 * @param name of the table
 * @param source address of the source, for people
 * @param question the query; a table with another query does not use these values
 * @param values by key, in the format of {@code --table} files
 * @param ages times of the values
 */
public record RecordedTable(String name, String source, String question, ObjectNode values, TableAges ages) {
    /** Field {@code kind}; no API server has objects of it. */
    public static final String KIND = "RecordedTable";

    private static final String VERSION = "policy-scheduler.io/v1";

    /** The query of a table without its server and interval; empty if the values are not measured. */
    public static String question(TableOrigin origin) {
        if (origin instanceof TableOrigin.Prometheus prometheus) {
            return prometheus.query() + " by label " + prometheus.label();
        }
        return origin instanceof TableOrigin.NodeMetrics ? "nodes of metrics.k8s.io" : "";
    }

    /**
     * Adds a row to values.
     *
     * @param row value by field
     */
    public static void put(ObjectNode values, String key, Map<String, Object> row) {
        Object plain = row.get(TableSchema.VALUE);
        if (plain != null) {
            values.set(key, cell(plain));
            return;
        }
        ObjectNode fields = values.putObject(key);
        row.forEach((field, value) -> fields.set(field, cell(value)));
    }

    private static JsonNode cell(Object value) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (value instanceof Double number) {
            return nodes.numberNode(number);
        }
        return value instanceof Boolean bool ? nodes.booleanNode(bool) : nodes.textNode(value.toString());
    }

    /** The object for a dump. */
    public ObjectNode object() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", VERSION).put("kind", KIND);
        object.putObject("metadata").put("name", name);
        object.put("source", source).put("question", question);
        object.put("taken", ages.taken().toString());
        object.set("values", values);
        ObjectNode times = object.putObject("times");
        ages.times().forEach((key, time) -> times.put(key, time.toString()));
        return object;
    }

    /**
     * Reads such an object.
     *
     * @throws IOException if it is invalid; the message is for users
     */
    public static RecordedTable of(JsonNode object) throws IOException {
        String version = object.path("apiVersion").asText();
        if (!version.equals(VERSION)) {
            throw new IOException("is of apiVersion \"" + version + "\", only " + VERSION + " is known");
        }
        if (!(object.path("values") instanceof ObjectNode values)) {
            throw new IOException("has no values");
        }
        ImmutableMap.Builder<String, Instant> times = ImmutableMap.builder();
        for (Map.Entry<String, JsonNode> time : object.path("times").properties()) {
            times.put(time.getKey(), instant("times[" + time.getKey() + "]", time.getValue()));
        }
        return new RecordedTable(
                object.path("metadata").path("name").asText(),
                object.path("source").asText(),
                object.path("question").asText(),
                values,
                new TableAges(times.buildOrThrow(), instant("taken", object.path("taken"))));
    }

    private static Instant instant(String field, JsonNode text) throws IOException {
        try {
            return Instant.parse(text.asText());
        } catch (DateTimeException e) {
            throw new IOException(field + " \"" + text.asText() + "\" is no time such as 2026-01-31T12:00:00Z", e);
        }
    }
}
