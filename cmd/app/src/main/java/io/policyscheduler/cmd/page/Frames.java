package io.policyscheduler.cmd.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.cmd.page.Frames.NodeChanges.NodeRow;
import io.policyscheduler.cmd.page.PageHub.StateCopy;
import io.policyscheduler.cmd.page.PageRates.LatencyWindow;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The events for viewers, one line of JSON each. */
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
    record Point(long time, double seconds, Counts counts, int gated, PageRates.Sample sample) {}

    /**
     * The nodes of a frame.
     *
     * @param all whether these are all nodes, so that the viewer removes the others
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
     * @param first whether it is the first one of a viewer, which then drops the state of an earlier process
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
        Counts counts = point.counts();
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

    /** Pending pods by reason. */
    static final class PendingGroups {
        /** Most groups that are shown. */
        static final int MOST_GROUPS = 40;
        /** Most pods of a group that are named. */
        static final int MOST_PODS = 50;

        private static final int MOST_MESSAGES = 10_000;
        private static final int MOST_CHARACTERS = 300;
        private static final Pattern UNFIT = Pattern.compile("^\\d+/\\d+ nodes are available: (.*)$", Pattern.DOTALL);
        private static final Pattern COUNT = Pattern.compile("^\\d+ ");

        /** Messages are few, pods are many. */
        private final Map<String, String> reasons = new HashMap<>();

        /**
         * Pods that wait for the same reason.
         *
         * @param count how many there are
         * @param pods the first pods of the group
         */
        record Group(String reason, int count, List<Waiting> pods) {
            Group {
                pods = ImmutableList.copyOf(pods);
            }
        }

        /** A pending pod. */
        record Waiting(Part part, QueuedPod entry) {}

        /** The groups, the largest first, then by reason. */
        List<Group> of(Map<Part, List<QueuedPod>> waiting) {
            Map<String, List<Waiting>> byReason = new HashMap<>();
            for (Part part : Part.values()) {
                for (QueuedPod entry : waiting.getOrDefault(part, List.of())) {
                    byReason.computeIfAbsent(reason(part, entry.pod()), unused -> new ArrayList<>())
                            .add(new Waiting(part, entry));
                }
            }
            if (reasons.size() > MOST_MESSAGES) {
                reasons.clear();
            }
            return byReason.entrySet().stream()
                    .map(group -> new Group(
                            group.getKey(),
                            group.getValue().size(),
                            group.getValue().stream().limit(MOST_PODS).toList()))
                    .sorted(Comparator.comparingInt(Group::count).reversed().thenComparing(Group::reason))
                    .limit(MOST_GROUPS)
                    .toList();
        }

        private String reason(Part part, PodInfo pod) {
            if (part == Part.GATED && !pod.spec().schedulingGates().isEmpty()) {
                return "scheduling gates: " + String.join(", ", pod.spec().schedulingGates());
            }
            PodInfo.ScheduledCondition condition = pod.scheduled();
            if (condition == null
                    || !condition.status().equals("False")
                    || condition.message().isEmpty()) {
                return part == Part.ACTIVE ? "not tried yet" : "no reason known";
            }
            return reasons.computeIfAbsent(condition.message(), PendingGroups::withoutNumbers);
        }

        /**
         * The common part of messages: {@code 0/13 nodes are available: 1 node(s) were unschedulable, 12 Insufficient cpu.}
         * becomes {@code Insufficient cpu; node(s) were unschedulable}. Other messages are returned unchanged.
         */
        static String withoutNumbers(String message) {
            Matcher unfit = UNFIT.matcher(message);
            if (!unfit.matches()) {
                return message.length() <= MOST_CHARACTERS ? message : message.substring(0, MOST_CHARACTERS) + "...";
            }
            String list = unfit.group(1);
            int preemption = list.indexOf(" preemption: ");
            list = preemption < 0 ? list : list.substring(0, preemption);
            list = list.endsWith(".") ? list.substring(0, list.length() - 1) : list;
            TreeSet<String> parts = new TreeSet<>();
            for (String part : Splitter.on(", ").split(list)) {
                parts.add(COUNT.matcher(part).replaceFirst(""));
            }
            String joined = String.join("; ", parts);
            return joined.length() <= MOST_CHARACTERS ? joined : joined.substring(0, MOST_CHARACTERS) + "...";
        }
    }

    /** The nodes of the last copy. Belongs to one thread. */
    static final class NodeChanges {
        /** Most keys of labels that nodes may be grouped by. */
        static final int MOST_KEYS = 40;
        /** With more values, a label would put almost each node into its own group. */
        static final int MOST_VALUES = 100;

        private final Map<String, NodeRow> rows = new LinkedHashMap<>();
        private List<String> groupKeys = ImmutableList.of();
        private boolean labelsChanged;
        private long generation = StateCopy.EVERYTHING;

        /** The cluster generation of the last copy. */
        long generation() {
            return generation;
        }

        /** Drops the state, so that the next copy must contain all nodes. */
        void forget() {
            rows.clear();
            generation = StateCopy.EVERYTHING;
            labelsChanged = true;
        }

        /**
         * Applies a copy.
         *
         * @return false if nodes were deleted, so that a copy of all nodes is needed
         */
        boolean take(StateCopy copy) {
            for (NodeRow row : copy.nodes()) {
                NodeRow before = rows.put(row.name(), row);
                labelsChanged |= before == null
                        || !before.node().labels().equals(row.node().labels());
            }
            generation = copy.generation();
            if (rows.size() == copy.nodeCount()) {
                return true;
            }
            forget();
            return false;
        }

        /** All nodes, in the order in which they were first seen. */
        List<NodeRow> rows() {
            return ImmutableList.copyOf(rows.values());
        }

        /** Label keys to group nodes by, sorted, except those with a different value on each node. */
        List<String> groupKeys() {
            if (!labelsChanged) {
                return groupKeys;
            }
            labelsChanged = false;
            Map<String, Set<String>> values = new TreeMap<>();
            for (NodeRow row : rows.values()) {
                row.node().labels().forEach((key, value) -> {
                    Set<String> known = values.computeIfAbsent(key, unused -> new TreeSet<>());
                    if (known.size() <= MOST_VALUES) {
                        known.add(value);
                    }
                });
            }
            List<String> keys = new ArrayList<>();
            values.forEach((key, known) -> {
                if (known.size() <= MOST_VALUES && (known.size() < rows.size() || rows.size() == 1)) {
                    keys.add(key);
                }
            });
            groupKeys = keys.stream().limit(MOST_KEYS).toList();
            return groupKeys;
        }

        /** Node to value of a label, for those that have it. */
        Map<String, String> values(String key) {
            Map<String, String> values = new HashMap<>();
            rows.forEach((name, row) -> {
                String value = row.node().labels().get(key);
                if (value != null) {
                    values.put(name, value);
                }
            });
            return values;
        }

        /**
         * A node and its requested resources at one moment.
         *
         * @param closed whether the node accepts no pods because of an unreadable pod
         * @param pods how many count there
         * @param milliCpu requested, in thousandths of a core
         * @param memory requested, in bytes
         * @param scalars requested extended resources, in the order of the node's allocatable ones
         */
        record NodeRow(Node node, boolean closed, int pods, long milliCpu, long memory, ImmutableLongArray scalars) {
            static NodeRow of(NodeInfo info) {
                RequestTotals requested = info.currentRequests();
                ResourceVector offered = info.allocatable();
                ImmutableLongArray.Builder scalars = ImmutableLongArray.builder(offered.scalarCount());
                for (int i = 0; i < offered.scalarCount(); i++) {
                    scalars.add(requested.scalar(offered.scalarName(i)));
                }
                return new NodeRow(
                        info.node(),
                        info.isClosed(),
                        info.podCount(),
                        requested.milliCpu(),
                        requested.memory(),
                        scalars.build());
            }

            String name() {
                return node.name();
            }

            /** The zone of the node; empty if it has none. */
            String zone() {
                String zone = node.labels().getOrEmpty(Node.ZONE);
                return zone.isEmpty() ? node.labels().getOrEmpty(Node.LEGACY_ZONE) : zone;
            }

            /** The reason why the node accepts no pods; empty if it does. */
            String trouble() {
                if (closed) {
                    return "closed";
                }
                if (node.unschedulable()) {
                    return "cordoned";
                }
                String ready = node.conditions().getOrEmpty("Ready");
                return ready.isEmpty() || ready.equals("True") ? "" : "not ready";
            }
        }
    }
}
