package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.cmd.report.ExplanationJson;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.explain.Explainer;
import io.policyscheduler.framework.insight.explain.Explanation;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules the pods of the embedded cluster one by one, like {@code explain}, and binds them with the request of a scheduler. Of
 * equally good nodes, it selects the first by name. Belongs to one thread.
 */
final class PlaygroundScheduler {
    /** Maximum number of suggested changes that make a pod schedulable. */
    private static final int NEAREST = 5;
    /** Pods that are named. */
    private static final int MOST_NAMES = 50;

    private final EmbeddedControlPlane cluster;
    private final StoreSnapshot store;
    private final Preemption preemption;
    private final PlaygroundDecisions log;
    private final InstantSource clock;
    private final PendingPods waiting = new PendingPods();

    /** @param gates of the cluster's release */
    PlaygroundScheduler(
            EmbeddedControlPlane cluster, FeatureGates gates, PlaygroundDecisions log, InstantSource clock) {
        this.cluster = cluster;
        this.store = new StoreSnapshot(cluster, gates);
        this.preemption = Preemption.live(gates, false);
        this.log = log;
        this.clock = clock;
    }

    /** The pending pods, in order: {@code {"next", "count", "gated", "pods": [{"pod", "tried"}]}}. */
    ObjectNode queue() {
        ClusterSnapshot snapshot = store.look();
        Optional<PodInfo> next = waiting.next(snapshot);
        List<PodInfo> all = PendingPods.of(snapshot);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("next", next.map(PodInfo::key).orElse(null)).put("count", all.size());
        json.put("gated", snapshot.pending().size() - all.size());
        ArrayNode pods = json.putArray("pods");
        all.stream()
                .limit(MOST_NAMES)
                .forEach(pod -> pods.addObject().put("pod", pod.key()).put("tried", waiting.isTried(pod)));
        return json;
    }

    /**
     * The decision of each scheduler about a pod, without a bind: {@code {"pod", "deciders": [...]}}.
     *
     * @param key of the pod; empty for the next one, or for the first if all are unschedulable
     */
    ObjectNode look(String key, SelectedSchedulers chosen) {
        ClusterSnapshot snapshot = store.look();
        List<PodInfo> all = PendingPods.of(snapshot);
        Optional<PodInfo> pod = key.isEmpty()
                ? waiting.next(snapshot).or(() -> all.stream().findFirst())
                : all.stream().filter(one -> one.key().equals(key)).findFirst();
        if (pod.isEmpty()) {
            throw PlaygroundException.of(key.isEmpty() ? "no pod is pending" : key + " is not pending");
        }
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("pod", pod.get().key());
        ArrayNode opinions = json.putArray("deciders");
        for (SchedulerFactory.Named scheduler : chosen.deciders()) {
            opinions.add(json(explain(scheduler, snapshot, pod.get(), NEAREST), scheduler));
        }
        return json;
    }

    /**
     * Schedules and binds the next pod: {@code {"pod", "outcome", "node", "message", "explanation"}}; nulls if none is pending.
     */
    ObjectNode step(SelectedSchedulers chosen) {
        return step(chosen.first(), NEAREST)
                .orElseGet(() -> JsonNodeFactory.instance
                        .objectNode()
                        .putNull("pod")
                        .putNull("outcome")
                        .putNull("node")
                        .putNull("message")
                        .putNull("explanation"));
    }

    /**
     * Schedules pods until nothing changes: {@code {"turns": [{"pod", "outcome", "node", "message"}], "more"}}.
     *
     * @param time limit; {@code more} is true if it is reached
     */
    ObjectNode run(SelectedSchedulers chosen, Duration time) {
        Instant end = clock.instant().plus(time);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode turns = json.putArray("turns");
        boolean more = true;
        while (more && clock.instant().isBefore(end)) {
            Optional<ObjectNode> turn = step(chosen.first(), 0);
            turn.ifPresent(one -> turns.add(one.without("explanation")));
            more = turn.isPresent();
        }
        return json.put("more", more);
    }

    private Optional<ObjectNode> step(SchedulerFactory.Named scheduler, int nearest) {
        ClusterSnapshot snapshot = store.look();
        return waiting.next(snapshot).map(pod -> turn(scheduler, snapshot, pod, nearest));
    }

    private ObjectNode turn(SchedulerFactory.Named scheduler, ClusterSnapshot snapshot, PodInfo pod, int nearest) {
        Instant start = clock.instant();
        Explanation explanation = explain(scheduler, snapshot, pod, nearest);
        long nanos = Duration.between(start, clock.instant()).toNanos();
        log.decided(explanation, snapshot.nodes().size(), nanos);
        String node = explanation.winner();
        String outcome = "unschedulable";
        String message = explanation.evaluation().error();
        if (node != null) {
            message = needsVolumes(scheduler.source(), snapshot, pod, node)
                    ? "its claims are not bound, and the embedded cluster has no controller that binds volumes"
                    : bind(pod, node);
            outcome = message.isEmpty() ? "bound" : "bind-refused";
        }
        if (outcome.equals("bound")) {
            waiting.placed(pod);
            log.bound(pod, Objects.requireNonNull(node));
        } else {
            waiting.inVain(pod);
            log.notBound(pod, node, message == null ? "" : message);
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("pod", pod.key());
        json.put("outcome", outcome).put("node", node).put("message", message == null ? "" : message);
        json.set("explanation", json(explanation, scheduler));
        return json;
    }

    private Explanation explain(SchedulerFactory.Named scheduler, ClusterSnapshot snapshot, PodInfo pod, int nearest) {
        return new Explainer(scheduler.source(), scheduler.labels(), preemption).explain(snapshot, pod, null, nearest);
    }

    private static ObjectNode json(Explanation explanation, SchedulerFactory.Named scheduler) {
        return ExplanationJson.of(explanation, scheduler.source().name(), null, List.of());
    }

    /** Whether the placement requires other writes than a bind: volumes of claims, or their selected node. */
    private static boolean needsVolumes(SchedulerSpec source, ClusterSnapshot snapshot, PodInfo pod, String name) {
        ClusterState state = snapshot.state();
        NodeInfo node = state.node(name);
        if (node == null) {
            return false;
        }
        source.volumes().assume(state, pod, node);
        for (ClusterObject object : snapshot.objects()) {
            boolean changed = object instanceof ClaimInfo claim && state.claim(claim.namespace(), claim.name()) != claim
                    || object instanceof PersistentVolumeInfo volume && state.volume(volume.name()) != volume;
            if (changed) {
                return true;
            }
        }
        return false;
    }

    /** Returns why the server refuses; empty when it does not. */
    private String bind(PodInfo pod, String node) {
        ObjectNode binding = Json.object().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata")
                .put("namespace", pod.namespace())
                .put("name", pod.name())
                .put("uid", pod.uid());
        binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
        String path = ObjectEditor.path(cluster.catalog().named("pods"), new ObjectKey(pod.namespace(), pod.name()));
        Response response = cluster.call("POST", path + "/binding", "application/json", Json.bytes(binding));
        return response.code() < 300 ? "" : Json.text(response.body(), "message");
    }

    /** The embedded cluster as a snapshot. Unchanged objects are not read again. Belongs to one thread. */
    static final class StoreSnapshot {
        private static final Logger LOG = LoggerFactory.getLogger(StoreSnapshot.class);

        private final EmbeddedControlPlane cluster;
        private final FeatureGates gates;
        /** Keeps annotations of pods, because later rules may read them. */
        private final ObjectReader reader;
        /** By the stored object, which is replaced as a whole when it changes. */
        private Map<ObjectNode, ClusterObject> known = Map.of();

        /** @param gates of the cluster's release */
        StoreSnapshot(EmbeddedControlPlane cluster, FeatureGates gates) {
            this.cluster = cluster;
            this.gates = gates;
            this.reader = new ObjectReader(gates, true);
        }

        /** The current snapshot; unchanged objects are identical to those of the last one. */
        ClusterSnapshot look() {
            Dump dump = new Dump(gates, warning -> LOG.debug("{}", warning), objects -> {});
            Map<ObjectNode, ClusterObject> seen = new IdentityHashMap<>();
            for (WatchedResource resource : WatchedResource.all()) {
                Optional<ResourceType> type = cluster.catalog().types().stream()
                        .filter(one -> one.group().equals(resource.group())
                                && one.plural().equals(resource.resource()))
                        .findFirst();
                if (type.isEmpty()) {
                    continue;
                }
                for (ObjectNode stored : cluster.list(type.get().qualifiedName())) {
                    ClusterObject object = known.get(stored);
                    if (object == null) {
                        object = read(stored, resource.objectKind());
                    }
                    if (object != null) {
                        seen.put(stored, object);
                        dump.add(resource.resource(), object);
                    }
                }
            }
            known = seen;
            return dump.snapshot().withRelease(gates.release());
        }

        private @Nullable ClusterObject read(ObjectNode stored, String kind) {
            try (TreeTraversingParser parser = new TreeTraversingParser(stored)) {
                parser.nextToken();
                return reader.read(parser, kind);
            } catch (IOException e) {
                LOG.warn("skipped: {} {}: {}", kind, stored.path("metadata").path("name"), e.getMessage());
                return null;
            }
        }
    }

    /**
     * The order of pending pods: by priority, then by age. An unschedulable pod is retried after a change by others immediately, and
     * after placements of other pods when all pods have been tried. Belongs to one thread.
     */
    static final class PendingPods {
        private static final Comparator<PodInfo> ORDER = Comparator.comparingInt(PodInfo::priority)
                .reversed()
                .thenComparingLong(PodInfo::createdMillis)
                .thenComparing(PodInfo::key);

        /** Unschedulable pods, with their state at the attempt. */
        private final Set<PodInfo> tried = Collections.newSetFromMap(new IdentityHashMap<>());
        /** The cluster state at the attempt. */
        private ObservedCluster then = new ObservedCluster(List.of(), List.of(), Set.of());

        private final Set<String> placed = new HashSet<>();

        /** The part of the cluster that decisions depend on, besides the pod; an object counts as changed if it was read again. */
        private record ObservedCluster(List<Node> nodes, List<ClusterObject> objects, Set<Placed> placed) {
            boolean isSame(ObservedCluster other) {
                return identical(nodes, other.nodes)
                        && identical(objects, other.objects)
                        && placed.equals(other.placed);
            }

            private static boolean identical(List<?> one, List<?> other) {
                if (one.size() != other.size()) {
                    return false;
                }
                for (int i = 0; i < one.size(); i++) {
                    if (one.get(i) != other.get(i)) {
                        return false;
                    }
                }
                return true;
            }
        }

        /** A pod on its node, without the status. */
        private record Placed(String uid, String node, int labels) {}

        /** All pending pods without scheduling gates, in order. */
        static List<PodInfo> of(ClusterSnapshot snapshot) {
            return snapshot.pending().stream()
                    .filter(pod -> pod.spec().schedulingGates().isEmpty())
                    .sorted(ORDER)
                    .toList();
        }

        /** The next pod; empty if none is pending, or if all are unschedulable. */
        Optional<PodInfo> next(ClusterSnapshot snapshot) {
            ObservedCluster now = surroundings(snapshot);
            if (!now.isSame(then)) {
                tried.clear();
                then = now;
            }
            List<PodInfo> all = of(snapshot);
            Optional<PodInfo> fresh = fresh(all);
            if (fresh.isEmpty() && !placed.isEmpty()) {
                placed.clear();
                tried.clear();
                then = surroundings(snapshot);
                fresh = fresh(all);
            }
            return fresh;
        }

        private Optional<PodInfo> fresh(List<PodInfo> all) {
            return all.stream().filter(pod -> !tried.contains(pod)).findFirst();
        }

        /** Whether a pod was unschedulable and nothing has changed since. */
        boolean isTried(PodInfo pod) {
            return tried.contains(pod);
        }

        private ObservedCluster surroundings(ClusterSnapshot snapshot) {
            Set<Placed> others = new HashSet<>();
            for (PodInfo pod : snapshot.running()) {
                if (!placed.contains(pod.uid())) {
                    int[] labels = {0};
                    pod.labels().forEach((key, value) -> labels[0] += 31 * key.hashCode() + value.hashCode());
                    others.add(new Placed(pod.uid(), pod.nodeName(), labels[0]));
                }
            }
            return new ObservedCluster(snapshot.nodes(), snapshot.objects(), others);
        }

        /** A pod has been placed. */
        void placed(PodInfo pod) {
            placed.add(pod.uid());
        }

        /** A pod has found no place. */
        void inVain(PodInfo pod) {
            tried.add(pod);
        }
    }
}
