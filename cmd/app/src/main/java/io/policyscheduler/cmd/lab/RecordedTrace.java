package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.lab.ClusterRecorder.MergePatch;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.lab.ClusterTrace;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Change;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Departure;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Placement;
import io.policyscheduler.framework.insight.lab.ClusterTrace.PodUpdate;
import io.policyscheduler.framework.insight.lab.MeasuredUse;
import io.policyscheduler.framework.insight.lab.TraceRun.End;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A folder that {@code lab record} has written. A part begins with a complete list of the cluster; each start of
 * the recorder begins another one.
 */
final class RecordedTrace {
    static final String NO_CLUSTER = "the trace has no list of a cluster; record it with lab record";

    /** Owners that create a pod for each piece of work; others keep a number of pods. */
    private static final Set<String> WORK_OWNERS = Set.of("Job");

    private static final List<String> OTHER_LINES = List.of("{\"line\":\"dec\"", "{\"line\":\"res\"");

    private final TraceFiles files;
    private final String serverVersion;
    /** The starts of the parts; at least one. */
    private final List<Instant> begins;

    /** The life of a pod in the record. */
    private static final class PodHistory {
        private final String uid;
        private long arrived;
        private long bound = ClusterTrace.NONE;
        private long started = ClusterTrace.NONE;
        private long ended = ClusterTrace.NONE;
        private String node = "";
        private boolean placedFromStart;
        private String how = "";
        private boolean gated;
        private String namespace = "";
        private String name = "";
        private String template = "";
        /** Null for a pod without a controller, and for one of the snapshot. */
        private @Nullable JsonNode owner;

        private boolean ofSnapshot;
        private List<Version> versions = List.of();
        /** Null for a pod that was not measured. */
        private MeasuredUse.@Nullable Builder use;

        /** @param template ID */
        private record Version(long nanos, String template) {}

        PodHistory(String uid) {
            this.uid = uid;
        }

        /** Returns where it was bound; null if it was not. */
        @Nullable
        Placement placement(End end) {
            return bound == ClusterTrace.NONE ? null : new Placement(node, bound, started, ended, end);
        }

        /** Returns why it ended, for a pod that does not end after its recorded duration. */
        End end() {
            return switch (how) {
                case "Preempted" -> End.PREEMPTED;
                case "Evicted" -> End.EVICTED;
                case "NodeLost" -> End.NODE_LOST;
                default -> End.DELETED;
            };
        }

        private boolean isWork(String owner) {
            return (owner.isEmpty() || WORK_OWNERS.contains(owner))
                    && (how.equals("Succeeded") || how.equals("Failed"));
        }
    }

    /**
     * A part of a record as the laboratory reads it.
     *
     * @param start the instant of second 0
     * @param objects of the snapshot, and nodes that were added later
     * @param arrivals ordered by time
     * @param templates the objects of the pods that arrive
     * @param ofSnapshot the objects that were there at the start
     * @param updates of pods that do not arrive
     * @param uses of the same pods, by UID
     * @param placements of the pods that are pending at the start, by UID
     * @param notes sentences about what is not in the record
     */
    record Contents(
            Instant start,
            List<ObjectNode> objects,
            List<ClusterObject> ofSnapshot,
            List<Arrival> arrivals,
            Map<PodInfo, ObjectNode> templates,
            List<Change> changes,
            List<Departure> departures,
            List<PodUpdate> updates,
            Map<String, MeasuredUse> uses,
            Map<String, Placement> placements,
            long endNanos,
            List<String> notes) {
        /** Whether the record says of a pod to which node it was bound. */
        boolean hasPlacements() {
            return !placements.isEmpty() || arrivals.stream().anyMatch(arrival -> arrival.recorded() != null);
        }
    }

    private RecordedTrace(TraceFiles files, String serverVersion, List<Instant> begins) {
        this.files = files;
        this.begins = List.copyOf(begins);
        this.serverVersion = serverVersion;
    }

    /**
     * Returns the files of a record, or of another trace.
     *
     * @throws InputException if there are none, or one of them is incomplete or damaged
     */
    static List<TraceFile> files(Path folder) {
        TraceFiles files = TraceFiles.of(folder);
        if (!Files.isDirectory(files.folder())) {
            throw new InputException("no such directory: " + files.folder());
        }
        try {
            TraceFiles.Checksums checksums = files.checksums();
            List<TraceFile> found = files.list();
            for (TraceFile file : found) {
                String problem = checksums.problem(file.path());
                if (!problem.isEmpty()) {
                    throw new InputException(problem);
                }
            }
            if (found.isEmpty()) {
                throw new InputException(folder + ": there is no trace, such as lab record writes");
            }
            return found;
        } catch (IOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns whether a folder contains a record. */
    static boolean isIn(Path folder) {
        try {
            return !TraceFiles.of(folder).list().isEmpty();
        } catch (IOException e) {
            throw new InputException("cannot read " + folder + ": " + e.getMessage(), e);
        }
    }

    /**
     * Opens a record.
     *
     * @throws InputException if a file cannot be read, or nothing was recorded
     */
    static RecordedTrace open(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new InputException("no such directory: " + folder);
        }
        TraceFiles files = TraceFiles.of(folder);
        files(folder);
        List<String> versions = new ArrayList<>();
        List<Instant> begins = new ArrayList<>();
        read(files, text -> text.startsWith("{\"line\":\"begin\""), line -> {
            versions.add(line.fields().path("serverVersion").asText());
            begins.add(line.time());
        });
        if (versions.isEmpty()) {
            throw new InputException(folder + ": " + NO_CLUSTER);
        }
        return new RecordedTrace(files, versions.get(versions.size() - 1), begins);
    }

    private static void read(TraceFiles files, Predicate<String> wanted, Consumer<Line> sink) {
        try {
            for (TraceFile file : files.list()) {
                TraceReader.read(file, wanted, sink::accept);
            }
        } catch (IOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The gitVersion of the API server; empty if it is not known. */
    String serverVersion() {
        return serverVersion;
    }

    /** The start of the longest part. */
    Instant start() {
        List<Instant> longest = new ArrayList<>(begins.subList(0, 1));
        if (begins.size() > 1) {
            Duration[] length = {Duration.ZERO, Duration.ZERO};
            Instant[] from = {begins.get(0)};
            lines(line -> {
                from[0] = line.kind().equals("begin") ? line.time() : from[0];
                Duration own = Duration.between(from[0], line.time());
                if (own.compareTo(length[0]) > 0) {
                    length[0] = own;
                    longest.set(0, from[0]);
                }
            });
        }
        return longest.get(0);
    }

    /**
     * Returns the cluster as it was at a moment, as a list that is a dump.
     *
     * @throws InputException if the moment is before or after the record
     */
    ObjectNode at(Instant moment) {
        RecordedObjects objects = new RecordedObjects((time, event, object) -> {});
        Instant[] last = {Instant.MIN};
        read(
                files,
                // The lines after the moment are not parsed.
                text -> last[0].isBefore(moment) && OTHER_LINES.stream().noneMatch(text::startsWith),
                line -> {
                    last[0] = line.time();
                    if (line.time().isBefore(moment)) {
                        objects.accept(line);
                        addTimes(objects.pod(line.fields().path("uid").asText()), line);
                    }
                });
        if (!moment.isAfter(begins.get(0)) || last[0].isBefore(moment)) {
            throw outside(moment, last[0]);
        }
        ObjectNode list =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "List");
        list.putArray("items").addAll(objects.all());
        return list;
    }

    /** @param last the last time that was read, which is the end of the record if it is before the moment */
    private InputException outside(Instant moment, Instant last) {
        return new InputException(moment + " is not in the record, which starts at " + begins.get(0)
                + (last.isBefore(moment) ? " and ends at " + last : ""));
    }

    private static void addTimes(@Nullable ObjectNode pod, Line line) {
        String time = line.time().truncatedTo(ChronoUnit.SECONDS).toString();
        if (pod != null && line.kind().equals("run")) {
            pod.withObject("/status").put("startTime", time);
        } else if (pod != null && line.kind().equals("term")) {
            pod.withObject("/metadata").put("deletionTimestamp", time);
        }
    }

    /** The files of the record. */
    List<Path> files() {
        try {
            return files.list().stream().map(TraceFile::path).toList();
        } catch (IOException e) {
            throw new InputException("cannot read " + files.folder() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads the longest part.
     *
     * @param warnings receives a line for each object that cannot be read
     */
    Contents contents(FeatureGates gates, Consumer<String> warnings) {
        List<Reading> longest = new ArrayList<>(2);
        int[] parts = {0};
        lines(line -> {
            if (line.kind().equals("begin")) {
                keepLongest(longest);
                longest.add(new Reading(gates, warnings, line.time()));
                parts[0]++;
            }
            if (!longest.isEmpty()) {
                longest.get(longest.size() - 1).accept(line);
            }
        });
        keepLongest(longest);
        return longest.get(0).contents(parts[0]);
    }

    /**
     * Reads a part from a moment on, as if the recorder had begun then.
     *
     * @param warnings receives a line for each object that cannot be read
     * @throws InputException if the moment is not in the record
     */
    Contents contents(FeatureGates gates, Consumer<String> warnings, Instant from) {
        RecordedObjects before = new RecordedObjects((time, event, object) -> {});
        Reading reading = new Reading(gates, warnings, from);
        boolean[] hasBegun = {false};
        boolean[] isOver = {false};
        Instant[] last = {from};
        lines(line -> {
            last[0] = line.time();
            if (line.time().isBefore(from)) {
                before.accept(line);
                addTimes(before.pod(line.fields().path("uid").asText()), line);
                reading.before(line);
                return;
            }
            if (!hasBegun[0]) {
                hasBegun[0] = true;
                before.all().forEach(reading::snapshot);
            }
            isOver[0] |= line.kind().equals("begin");
            if (!isOver[0]) {
                reading.accept(line);
            }
        });
        if (!from.isAfter(begins.get(0)) || !hasBegun[0]) {
            throw outside(from, last[0]);
        }
        return reading.contents(1);
    }

    private static void keepLongest(List<Reading> readings) {
        if (readings.size() == 2) {
            readings.remove(readings.get(0).length() < readings.get(1).length() ? 0 : 1);
        }
    }

    /** Reads all lines of changes of a cluster, in all parts. */
    void lines(Consumer<Line> sink) {
        read(files, text -> OTHER_LINES.stream().noneMatch(text::startsWith), sink);
    }

    /** The objects of a part other than pods, and the templates of its pods. */
    static final class ObjectStates {
        private final Path folder;
        private final ObjectReader reader;
        private final Consumer<String> warnings;
        private final Map<String, ObjectNode> state = new LinkedHashMap<>();
        private final Map<String, ObjectNode> all = new LinkedHashMap<>();
        private final Map<String, ObjectNode> templates = new HashMap<>();
        private final Map<String, PodInfo> read = new HashMap<>();
        private final Map<PodInfo, ObjectNode> described = new IdentityHashMap<>();

        /**
         * @param folder for messages
         * @param warnings receives a line for each object that cannot be read
         */
        ObjectStates(Path folder, FeatureGates gates, Consumer<String> warnings) {
            this.folder = folder;
            this.reader = new ObjectReader(gates, true);
            this.warnings = warnings;
        }

        private @Nullable ClusterObject object(String kind, ObjectNode tree) {
            try {
                return reader.readTree(kind, tree);
            } catch (IOException e) {
                warnings.accept(
                        folder + ": skipped: " + kind + " " + ClusterRecorder.key(tree) + ": " + e.getMessage());
                return null;
            }
        }

        /** Returns an object of the start; null if it cannot be read. */
        @Nullable
        ClusterObject snapshot(ObjectNode tree) {
            String kind = tree.path("kind").asText();
            ClusterObject object = object(kind, tree);
            if (object != null) {
                String key = kind + " " + ClusterRecorder.key(tree);
                state.put(key, tree);
                all.put(key, tree);
            }
            return object;
        }

        /** Returns the change of a line {@code obj}; null if it is of no importance or cannot be read. */
        @Nullable
        ClusterChange changed(JsonNode fields) {
            String kind = fields.path("kind").asText();
            String key = kind + " " + fields.path("key").asText();
            ResourceKind known = ResourceKind.ofObjectKind(kind);
            if (known == null) {
                return null;
            }
            if (fields.path("verb").asText().equals("delete")) {
                state.remove(key);
                String path = fields.path("key").asText();
                int slash = path.indexOf('/');
                return known == ResourceKind.NODES
                        ? new ClusterChange.NodeDeleted(path)
                        : new ClusterChange.ObjectDeleted(
                                known, slash < 0 ? "" : path.substring(0, slash), path.substring(slash + 1));
            }
            ObjectNode tree;
            if (fields.has("object")) {
                tree = (ObjectNode) fields.path("object");
            } else {
                ObjectNode before = state.get(key);
                if (before == null) {
                    return null;
                }
                tree = before.deepCopy();
                MergePatch.apply(tree, fields.path("patch"));
            }
            state.put(key, tree);
            all.putIfAbsent(key, tree);
            ClusterObject object = object(kind, tree);
            if (object instanceof Node node) {
                return new ClusterChange.NodeUpserted(node);
            }
            return object == null ? null : new ClusterChange.ObjectUpserted(object);
        }

        /** Adds the template of a line {@code tpl}. */
        void template(JsonNode fields) {
            templates.put(fields.path("id").asText(), (ObjectNode) fields.path("object"));
        }

        /**
         * Returns a pod of a template, with its owner; the pods of an owner share it. Null if it cannot be read.
         *
         * @param owner its controller; null for none
         */
        @Nullable
        PodInfo pod(String id, @Nullable JsonNode owner) {
            String shared = id + " " + (owner == null ? "" : owner.path("uid").asText());
            PodInfo known = read.get(shared);
            if (known != null) {
                return known;
            }
            ObjectNode tree = Objects.requireNonNull(templates.get(id), () -> folder + ": there is no template " + id)
                    .deepCopy();
            tree.put("kind", "Pod").put("apiVersion", "v1");
            ObjectNode metadata =
                    tree.withObject("/metadata").put("name", "template").put("uid", "template");
            if (owner != null) {
                metadata.putArray("ownerReferences").add(owner);
            }
            if (object("Pod", tree) instanceof PodInfo pod) {
                read.put(shared, pod);
                described.put(pod, tree);
                return pod;
            }
            return null;
        }
    }

    /** One pass over the lines of a part. */
    private final class Reading {
        private final ObjectStates objects;
        private final Instant start;
        private final Map<String, JsonNode> owners = new HashMap<>();
        private final Map<String, PodHistory> lives = new LinkedHashMap<>();
        private final List<ClusterObject> ofSnapshot = new ArrayList<>();
        private final List<Change> changes = new ArrayList<>();
        private final List<PodUpdate> updates = new ArrayList<>();
        private final Map<String, MeasuredUse> uses = new HashMap<>();
        private final Map<String, Placement> placements = new HashMap<>();
        private long last;
        private long gaps;

        Reading(FeatureGates gates, Consumer<String> warnings, Instant start) {
            this.objects = new ObjectStates(files.folder(), gates, warnings);
            this.start = start;
        }

        long length() {
            return last;
        }

        private long nanos(Line line) {
            return Duration.between(start, line.time()).toNanos();
        }

        Contents contents(int parts) {
            List<String> notes = new ArrayList<>();
            if (parts > 1) {
                notes.add(files.folder() + " has " + parts
                        + " parts, because the recorder was restarted; the longest one is" + " used, from " + start
                        + " to " + start.plusNanos(last));
            }
            if (gaps > 0) {
                notes.add("the watch was lost " + gaps + " times; changes of these times are late");
            }
            List<Arrival> arrivals = new ArrayList<>();
            List<Departure> departures = new ArrayList<>();
            for (PodHistory life : lives.values()) {
                add(life, arrivals, departures);
            }
            arrivals.sort(Comparator.comparingLong(Arrival::atNanos));
            changes.sort(Comparator.comparingLong(Change::atNanos));
            return new Contents(
                    start,
                    List.copyOf(objects.all.values()),
                    ofSnapshot,
                    arrivals,
                    objects.described,
                    changes,
                    departures,
                    updates,
                    uses,
                    placements,
                    last,
                    notes);
        }

        /** Reads a line before the start: what later lines refer to, and pods with gates, which arrive when these are gone. */
        void before(Line line) {
            String uid = line.fields().path("uid").asText();
            switch (line.kind()) {
                case "begin" -> lives.clear();
                case "tpl" -> accept(line);
                case "pod" -> {
                    if (line.fields().path("gated").asBoolean()) {
                        accept(line);
                    }
                }
                case "upd" -> ofPod(line, lives.get(uid));
                case "gate-", "end" -> lives.remove(uid);
                default -> {
                    // It is part of the list at the start, or has ended.
                }
            }
        }

        void accept(Line line) {
            JsonNode fields = line.fields();
            last = Math.max(last, nanos(line));
            String uid = fields.path("uid").asText();
            switch (line.kind()) {
                case "snap" -> snapshot((ObjectNode) fields.path("object"));
                case "tpl" -> objects.template(fields);
                case "pod" -> {
                    PodHistory life = new PodHistory(uid);
                    life.namespace = fields.path("ns").asText().intern();
                    life.name = fields.path("name").asText();
                    life.template = fields.path("tpl").asText().intern();
                    life.placedFromStart = fields.path("placed").asBoolean();
                    life.gated = fields.path("gated").asBoolean();
                    if (fields.has("owner")) {
                        life.owner = owners.computeIfAbsent(
                                fields.path("owner").path("uid").asText(), any -> fields.path("owner"));
                    }
                    life.arrived = nanos(line);
                    lives.put(uid, life);
                }
                case "obj" -> changed(line);
                case "gap" -> {
                    // Without a kind, it is the time between two recorders.
                    gaps += fields.has("kind") ? 1 : 0;
                }
                default -> ofPod(line, lives.get(uid));
            }
        }

        private void ofPod(Line line, @Nullable PodHistory life) {
            if (life == null) {
                return;
            }
            switch (line.kind()) {
                case "gate-" -> {
                    life.gated = false;
                    life.arrived = nanos(line);
                }
                case "upd" -> {
                    life.versions = new ArrayList<>(life.versions);
                    life.versions.add(new PodHistory.Version(
                            nanos(line), line.fields().path("tpl").asText().intern()));
                }
                case "bind" -> {
                    life.node = line.fields().path("node").asText().intern();
                    life.bound = nanos(line);
                }
                case "run" -> life.started = nanos(line);
                case "use" -> {
                    MeasuredUse.Builder use = life.use == null ? new MeasuredUse.Builder() : life.use;
                    life.use = use.add(
                            nanos(line),
                            line.fields()
                                    .path("cpu")
                                    .decimalValue()
                                    .movePointRight(9)
                                    .longValue(),
                            line.fields().path("mem").asLong(),
                            Duration.ofSeconds(line.fields().path("for").asLong())
                                    .toNanos());
                }
                case "end" -> {
                    life.ended = nanos(line);
                    life.how = line.fields().path("how").asText();
                }
                default -> {
                    // Kinds of later versions.
                }
            }
        }

        /** An object is there at the start. */
        private void snapshot(ObjectNode tree) {
            if (lives.containsKey(tree.at("/metadata/uid").asText())) {
                return;
            }
            ClusterObject object = objects.snapshot(tree);
            if (object == null) {
                return;
            }
            ofSnapshot.add(object);
            if (object instanceof PodInfo pod) {
                PodHistory life = new PodHistory(pod.uid());
                life.ofSnapshot = true;
                life.node = pod.nodeName();
                lives.put(pod.uid(), life);
            }
        }

        private void changed(Line line) {
            ClusterChange change = objects.changed(line.fields());
            if (change != null) {
                changes.add(new Change(nanos(line), change));
            }
        }

        private void add(PodHistory life, List<Arrival> arrivals, List<Departure> departures) {
            if (life.ofSnapshot) {
                // A pod that is pending at the start arrives at second 0.
                ofPodsThatDoNotArrive(life, departures);
                return;
            }
            if (life.gated) {
                return;
            }
            PodInfo template = objects.pod(life.template, life.owner);
            if (template == null) {
                return;
            }
            String owner = life.owner == null ? "" : life.owner.path("kind").asText();
            if (life.placedFromStart) {
                // A static pod, or one with a node in its manifest, which no scheduler places.
                ObjectNode tree =
                        Objects.requireNonNull(objects.described.get(template)).deepCopy();
                tree.withObject("/metadata")
                        .put("namespace", life.namespace)
                        .put("name", life.name)
                        .put("uid", life.uid);
                tree.withObject("/spec").put("nodeName", life.node);
                objects.all.put("Pod " + ClusterRecorder.key(tree), tree);
                changes.add(new Change(
                        life.arrived,
                        new ClusterChange.PodUpserted(template.toBuilder()
                                .namespace(life.namespace)
                                .name(life.name)
                                .uid(life.uid)
                                .nodeName(life.node)
                                .phase("Running")
                                .build())));
                ofPodsThatDoNotArrive(life, departures);
                return;
            }
            boolean work = life.isWork(owner) && life.started != ClusterTrace.NONE;
            long end = life.ended == ClusterTrace.NONE ? ClusterTrace.NONE : Math.max(life.arrived, life.ended);
            arrivals.add(new Arrival(
                    life.arrived,
                    life.namespace,
                    life.name,
                    template,
                    work ? life.ended - life.started : ClusterTrace.NONE,
                    work ? ClusterTrace.NONE : end,
                    !owner.isEmpty() && !owner.equals("DaemonSet"),
                    life.placement(work ? End.SUCCEEDED : life.end()),
                    versions(life),
                    "",
                    life.use == null ? MeasuredUse.NONE : work ? life.use.since(life.started) : life.use.build()));
        }

        private List<PodUpdate> versions(PodHistory life) {
            List<PodUpdate> found = new ArrayList<>();
            for (PodHistory.Version version : life.versions) {
                PodInfo to = objects.pod(version.template(), null);
                if (to != null) {
                    found.add(new PodUpdate(life.uid, version.nanos(), to));
                }
            }
            return found;
        }

        private void ofPodsThatDoNotArrive(PodHistory life, List<Departure> departures) {
            updates.addAll(versions(life));
            if (life.use != null) {
                uses.put(life.uid, life.use.build());
            }
            End how = life.how.equals("Succeeded") ? End.SUCCEEDED : life.end();
            Placement placement = life.placement(how);
            if (placement != null) {
                placements.put(life.uid, placement);
            }
            if (life.ended != ClusterTrace.NONE) {
                departures.add(new Departure(life.uid, life.ended, how));
            }
        }
    }
}
