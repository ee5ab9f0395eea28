package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.lab.RecordedTrace.ObjectStates;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.ShadowComparison;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Placement;
import io.policyscheduler.framework.insight.compare.ShadowComparison.RecentChanges;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares each bind of a part of a record with the decision of a scheduler on the recorded cluster before this bind. Used by one thread.
 */
final class ShadowedTrace {
    /** The longest time between a decision and the record of its bind, and between a change and its arrival at the scheduler. */
    private static final Duration LATE = Duration.ofSeconds(2);

    private final ObjectStates objects;
    private final ClusterState cluster = new ClusterState();
    private final Map<String, ClusterObject> others = new HashMap<>();
    private final Map<String, Pod> pods = new HashMap<>();
    private final Nominations nominations = new Nominations();
    private final Journal journal = new Journal();
    private final ShadowComparison comparison;
    private final Predicate<PodInfo> wanted;
    private final Consumer<Placement> results;
    private boolean isCounted;

    /** A pod of the record, with its node and nomination. */
    private static final class Pod {
        private PodInfo info;
        /** It has a node in its manifest, or had one at the start. */
        private final boolean placedFromStart;

        Pod(PodInfo info, boolean placedFromStart) {
            this.info = info;
            this.placedFromStart = placedFromStart;
        }
    }

    /**
     * An empty cluster.
     *
     * @param folder of the record, for messages
     * @param wanted selects the pods whose binds are compared
     * @param results receives each result, at most eight binds later
     */
    ShadowedTrace(
            Path folder,
            FeatureGates gates,
            SchedulerSpec scheduler,
            Predicate<PodInfo> wanted,
            Consumer<Placement> results,
            Consumer<String> warnings) {
        this.objects = new ObjectStates(folder, gates, warnings);
        this.comparison = new ShadowComparison(scheduler, cluster, nominations, journal);
        this.wanted = wanted;
        this.results = results;
    }

    /** Applies a line after {@code begin}. */
    void accept(Line line) {
        journal.now = line.time();
        comparison.expire(line.time()).forEach(results);
        JsonNode fields = line.fields();
        switch (line.kind()) {
            case "snap" -> {
                snapshot(objects.snapshot((ObjectNode) fields.path("object")));
                isCounted = false;
            }
            case "tpl" -> objects.template(fields);
            case "obj" -> {
                countImages();
                changed(objects.changed(fields));
            }
            case "pod" -> {
                PodInfo template = objects.pod(fields.path("tpl").asText(), fields.get("owner"));
                if (template != null) {
                    PodInfo pod = template.toBuilder()
                            .namespace(fields.path("ns").asText())
                            .name(fields.path("name").asText())
                            .uid(fields.path("uid").asText())
                            .build();
                    pods.put(pod.uid(), new Pod(pod, fields.path("placed").asBoolean()));
                }
            }
            default -> {
                Pod pod = pods.get(fields.path("uid").asText());
                if (pod != null) {
                    countImages();
                    ofPod(line.kind(), pod, fields);
                }
            }
        }
    }

    /** After a snapshot, whose kubelets have sent their status since the images changed, unless they changed in the last minutes. */
    private void countImages() {
        if (!isCounted) {
            cluster.countImages();
            isCounted = true;
        }
    }

    /** Reports the differences that no later bind can explain. */
    void end() {
        comparison.expire(Instant.MAX).forEach(results);
    }

    private void snapshot(@Nullable ClusterObject object) {
        if (object instanceof Node node) {
            cluster.putNode(node);
        } else if (object instanceof PodInfo info) {
            pods.put(info.uid(), new Pod(info, !info.nodeName().isEmpty()));
            if (!info.nodeName().isEmpty()) {
                cluster.addPod(info);
            } else {
                nominations.set(info, info.nominatedNodeName());
            }
        } else if (object != null) {
            others.put(key(object), object);
            cluster.putObject(object);
        }
    }

    private static String key(ClusterObject object) {
        return object.resourceKind() + " " + object.namespace() + "/" + object.name();
    }

    private void changed(@Nullable ClusterChange change) {
        if (change instanceof ClusterChange.NodeUpserted upserted) {
            Node node = upserted.node();
            Node before = nodeBefore(node.name());
            journal.apply(
                    () -> cluster.putNode(node),
                    before == null ? () -> cluster.removeNode(node.name()) : () -> cluster.putNode(before));
        } else if (change instanceof ClusterChange.NodeDeleted deleted) {
            Node before = nodeBefore(deleted.name());
            if (before != null) {
                journal.apply(() -> cluster.removeNode(before.name()), () -> cluster.putNode(before));
            }
        } else if (change instanceof ClusterChange.ObjectUpserted upserted) {
            ClusterObject object = upserted.object();
            ClusterObject before = others.put(key(object), object);
            journal.apply(
                    () -> cluster.putObject(object),
                    before == null ? () -> cluster.removeObject(object) : () -> cluster.putObject(before));
        } else if (change instanceof ClusterChange.ObjectDeleted deleted) {
            ClusterObject before = others.remove(deleted.kind() + " " + deleted.namespace() + "/" + deleted.name());
            if (before != null) {
                journal.apply(() -> cluster.removeObject(before), () -> cluster.putObject(before));
            }
        }
    }

    private @Nullable Node nodeBefore(String name) {
        NodeInfo known = cluster.node(name);
        return known == null || !known.hasNode() ? null : known.node();
    }

    private void ofPod(String kind, Pod pod, JsonNode fields) {
        PodInfo before = pod.info;
        String node = fields.path("node").asText();
        switch (kind) {
            case "upd" -> {
                PodInfo to = objects.pod(fields.path("tpl").asText(), null);
                if (to != null) {
                    PodInfo now = before.toBuilder()
                            .labels(to.labels())
                            .spec(to.spec())
                            .build();
                    pod.info = now;
                    update(before, now);
                }
            }
            case "nom" -> {
                pod.info = before.withNominatedNodeName(node);
                nominate(before, before.nominatedNodeName(), node);
            }
            case "bind" -> {
                PodInfo bound = before.withNodeName(node);
                pod.info = bound;
                if (pod.placedFromStart) {
                    journal.apply(() -> cluster.addPod(bound), () -> cluster.removePod(bound));
                    return;
                }
                (wanted.test(bound) ? comparison.place(bound, journal.now) : comparison.placeUncompared(bound))
                        .forEach(results);
                cluster.addPod(bound);
                nominate(before, before.nominatedNodeName(), "");
            }
            case "term" -> {
                PodInfo now = before.toBuilder().terminating(true).build();
                pod.info = now;
                update(before, now);
            }
            case "end" -> {
                pods.remove(before.uid());
                nominate(before, before.nominatedNodeName(), "");
                if (!before.nodeName().isEmpty()) {
                    journal.apply(() -> cluster.removePod(before), () -> cluster.addPod(before));
                }
            }
            default -> {
                // Nothing that filters and scores read.
            }
        }
    }

    private void update(PodInfo before, PodInfo now) {
        if (!now.nodeName().isEmpty()) {
            journal.apply(() -> cluster.replacePod(before, now), () -> cluster.replacePod(now, before));
        } else if (!now.nominatedNodeName().isEmpty()) {
            String node = now.nominatedNodeName();
            journal.apply(() -> nominations.set(now, node), () -> nominations.set(before, node));
        }
    }

    private void nominate(PodInfo pod, String before, String now) {
        if (!before.equals(now)) {
            journal.apply(() -> nominations.set(pod, now), () -> nominations.set(pod, before));
        }
    }

    /** The nominated nodes of pending pods. */
    private static final class Nominations implements NominatedPods {
        private final Map<String, Map<String, PodInfo>> byNode = new LinkedHashMap<>();
        private final Map<String, String> nodes = new HashMap<>();

        void set(PodInfo pod, String node) {
            String before = node.isEmpty() ? nodes.remove(pod.uid()) : nodes.put(pod.uid(), node);
            if (before != null) {
                Map<String, PodInfo> there = Objects.requireNonNull(byNode.get(before));
                there.remove(pod.uid());
                if (there.isEmpty()) {
                    byNode.remove(before);
                }
            }
            if (!node.isEmpty()) {
                byNode.computeIfAbsent(node, any -> new LinkedHashMap<>())
                        .put(pod.uid(), pod.withNominatedNodeName(node));
            }
        }

        @Override
        public List<PodInfo> on(String node) {
            Map<String, PodInfo> there = byNode.get(node);
            return there == null ? List.of() : List.copyOf(there.values());
        }

        @Override
        public Collection<String> nodes() {
            return List.copyOf(byNode.keySet());
        }

        @Override
        public boolean isEmpty() {
            return byNode.isEmpty();
        }
    }

    /** The changes of the last seconds, each with its reversal. */
    private static final class Journal implements RecentChanges {
        /** An open difference ends after {@link ShadowComparison} has waited ten seconds for later binds. */
        private static final Duration KEPT = LATE.plusSeconds(11);

        private final List<Change> changes = new ArrayList<>();
        private long forgotten;
        private int inEffect;
        private Instant now = Instant.MIN;

        private record Change(Instant time, Runnable apply, Runnable undo) {}

        void apply(Runnable apply, Runnable undo) {
            int old = 0;
            while (old < changes.size() && changes.get(old).time().isBefore(now.minus(KEPT))) {
                old++;
            }
            changes.subList(0, old).clear();
            forgotten += old;
            changes.add(new Change(now, apply, undo));
            apply.run();
            inEffect = changes.size();
        }

        @Override
        public long count() {
            return forgotten + changes.size();
        }

        @Override
        public long received() {
            int first = changes.size();
            while (first > 0 && !changes.get(first - 1).time().isBefore(now.minus(LATE))) {
                first--;
            }
            return forgotten + first;
        }

        @Override
        public void rewind(long count) {
            int wanted = (int) (count - forgotten);
            while (inEffect > wanted) {
                inEffect--;
                changes.get(inEffect).undo().run();
            }
            while (inEffect < wanted) {
                changes.get(inEffect).apply().run();
                inEffect++;
            }
        }
    }
}
