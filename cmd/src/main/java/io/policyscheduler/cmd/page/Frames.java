package io.policyscheduler.cmd.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.framework.scheduler.loop.SchedulerCounts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What viewers are sent, as events of one line of JSON. */
final class Frames {
    private static final JsonFactory JSON = new ObjectMapper().getFactory();
    private static final byte[] BEGIN = "event: frame\ndata: ".getBytes(StandardCharsets.UTF_8);
    private static final byte[] FINISH = "\n\n".getBytes(StandardCharsets.UTF_8);

    private Frames() {}

    /**
     * One point of the plots.
     *
     * @param time in epoch milliseconds
     * @param seconds that it covers
     */
    record Point(long time, double seconds, SchedulerCounts counts, int gated, PageRates.Sample sample) {}

    /**
     * The nodes of a frame.
     *
     * @param all whether these are all nodes, so that the viewer forgets what it knew
     * @param count how many nodes there are
     * @param keys labels by which they may be grouped
     */
    record Nodes(boolean all, int count, List<NodeRow> rows, List<String> keys) {
        Nodes {
            rows = ImmutableList.copyOf(rows);
            keys = ImmutableList.copyOf(keys);
        }
    }

    /**
     * Encodes a frame.
     *
     * @param first whether it is the first one of a viewer, who forgets what another process has told
     * @param points of the plots; more than one for a new viewer
     * @param decisions new or changed, the earliest first
     * @param groups null when they are as before
     */
    static byte[] encode(
            boolean first,
            List<Point> points,
            Nodes nodes,
            List<ObjectNode> decisions,
            @Nullable List<PendingGroups.Group> groups) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(BEGIN);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeBooleanField("first", first);
            json.writeArrayFieldStart("points");
            for (Point point : points) {
                write(json, point);
            }
            json.writeEndArray();
            write(json, nodes);
            json.writeArrayFieldStart("decisions");
            for (ObjectNode decision : decisions) {
                json.writeTree(decision);
            }
            json.writeEndArray();
            if (groups != null) {
                json.writeArrayFieldStart("pending");
                for (PendingGroups.Group group : groups) {
                    write(json, group);
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        out.writeBytes(FINISH);
        return out.toByteArray();
    }

    private static void write(JsonGenerator json, Point point) throws IOException {
        PageRates.Sample sample = point.sample();
        SchedulerCounts counts = point.counts();
        json.writeStartObject();
        json.writeNumberField("time", point.time());
        json.writeNumberField("seconds", point.seconds());
        json.writeNumberField("decided", sample.decided());
        json.writeNumberField("bound", sample.bound());
        json.writeNumberField("failed", sample.failed());
        json.writeNumberField("active", counts.active());
        json.writeNumberField("backoff", counts.backoff());
        json.writeNumberField("unschedulable", counts.unschedulable());
        json.writeNumberField("gated", point.gated());
        json.writeNumberField("binding", counts.binding());
        json.writeNumberField("pods", counts.cachedPods());
        write(json, "decisionNanos", sample.decisions());
        write(json, "callNanos", sample.calls());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String name, LatencyWindow.Quantiles times) throws IOException {
        if (times.count() > 0) {
            json.writeArrayFieldStart(name);
            json.writeNumber(times.median());
            json.writeNumber(times.high());
            json.writeEndArray();
        } else {
            json.writeNullField(name);
        }
    }

    private static void write(JsonGenerator json, Nodes nodes) throws IOException {
        json.writeObjectFieldStart("nodes");
        json.writeBooleanField("all", nodes.all());
        json.writeNumberField("count", nodes.count());
        json.writeArrayFieldStart("keys");
        for (String key : nodes.keys()) {
            json.writeString(key);
        }
        json.writeEndArray();
        // Rows are arrays, because a large cluster has thousands of them.
        json.writeArrayFieldStart("rows");
        for (NodeRow row : nodes.rows()) {
            json.writeStartArray();
            json.writeString(row.name());
            json.writeString(row.zone());
            json.writeString(row.trouble());
            amount(json, row.pods(), row.node().allocatable().pods());
            amount(json, row.milliCpu(), row.node().allocatable().milliCpu());
            amount(json, row.memory(), row.node().allocatable().memory());
            for (int i = 0; i < row.node().allocatable().scalarCount(); i++) {
                json.writeString(row.node().allocatable().scalarName(i));
                amount(json, row.scalars().get(i), row.node().allocatable().scalarAmount(i));
            }
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void amount(JsonGenerator json, long requested, long offered) throws IOException {
        json.writeNumber(requested);
        json.writeNumber(offered);
    }

    private static void write(JsonGenerator json, PendingGroups.Group group) throws IOException {
        json.writeStartObject();
        json.writeStringField("reason", group.reason());
        json.writeNumberField("count", group.count());
        json.writeArrayFieldStart("pods");
        for (PendingGroups.Waiting waiting : group.pods()) {
            json.writeStartObject();
            json.writeStringField("pod", waiting.entry().key());
            json.writeStringField("queue", waiting.part().label());
            json.writeNumberField("attempts", waiting.entry().attempts());
            json.writeNumberField("since", waiting.entry().initialAttempt().toEpochMilli());
            json.writeNumberField("priority", waiting.entry().pod().priority());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
