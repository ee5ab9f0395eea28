package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelector;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.Counts;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.IntOrPercent;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Tolerations;
import io.policyscheduler.cmd.embedded.controller.StatefulSetController.ControllerHistory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs a pod on each matching node; the scheduler binds it according to its affinity (pkg/controller/daemon). */
public final class DaemonSetController extends KeyedController {
    private static final String GENERATION = "deprecated.daemonset.template.generation";

    private final ResourceType pods;
    private final ResourceType nodes;
    private final ControllerHistory revisions;
    private final EventRecorder events;

    public DaemonSetController(Clientset objects) {
        super(objects, "daemonsets.apps", "pods", "nodes");
        this.pods = objects.type("pods");
        this.nodes = objects.type("nodes");
        this.revisions = new ControllerHistory(objects, type());
        this.events = new EventRecorder(objects, "daemonset-controller");
    }

    @Override
    public void handleRelated(ResourceType other, ObjectNode object) {
        if (other.equals(nodes)) {
            objects().list(type(), "").forEach(set -> enqueue(ObjectKey.of(set)));
        } else {
            super.handleRelated(other, object);
        }
    }

    @Override
    public void reconcile(ObjectNode set) {
        List<ObjectNode> owned = Owners.controlled(objects(), type(), set, pods);
        Optional<ObjectNode> revision = revisions.current(set, owned);
        if (revision.isEmpty() || Clientset.isDeleted(set)) {
            return;
        }
        String hash = ControllerHistory.hash(revision.get());
        Map<String, List<ObjectNode>> byNode = new LinkedHashMap<>();
        for (ObjectNode pod : owned) {
            if (PodStates.isFinished(pod) && !Clientset.isDeleted(pod)) {
                delete(set, pod);
            }
            byNode.computeIfAbsent(nodeOf(pod), node -> new ArrayList<>()).add(pod);
        }
        ObjectNode sample = pod(set, hash, "");
        DaemonCount count = new DaemonCount(set, hash, objects().now());
        for (ObjectNode node : objects().list(nodes, "")) {
            String name = ObjectKey.of(node).name();
            List<ObjectNode> present = PodStates.active(byNode.getOrDefault(name, List.of()));
            boolean needed = DaemonNodes.shouldRun(sample, node);
            count.node(needed, present);
            if (needed && byNode.getOrDefault(name, List.of()).isEmpty()) {
                create(set, hash, name);
            } else if (!DaemonNodes.shouldContinueRunning(sample, node)) {
                present.forEach(pod -> delete(set, pod));
            } else {
                present.stream().skip(1).forEach(pod -> delete(set, pod));
            }
        }
        if (!Json.text(set, "spec", "updateStrategy", "type").equals("OnDelete")) {
            count.outdated().forEach(pod -> delete(set, pod));
        }
        count.nextAvailable().ifPresent(at -> enqueueAt(at, set));
        objects().changeStatus(type(), set, count::write);
        revisions.truncate(set, List.of(ObjectKey.of(revision.get()).name()));
    }

    /** The current or intended node of a pod. */
    private static String nodeOf(JsonNode pod) {
        String bound = Json.text(pod, "spec", "nodeName");
        if (!bound.isEmpty()) {
            return bound;
        }
        return pod.at("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0"
                        + "/matchFields/0/values/0")
                .asText();
    }

    private ObjectNode pod(ObjectNode set, String hash, String node) {
        ObjectNode pod = ControllerUtils.pod(type(), set, set.path("spec").path("template"));
        Json.child(pod, "metadata").put("generateName", Json.text(set, "metadata", "name") + "-");
        ControllerUtils.label(pod, StatefulSetController.REVISION, hash);
        String generation = ControllerUtils.annotation(set, GENERATION);
        if (!generation.isEmpty()) {
            ControllerUtils.label(pod, "pod-template-generation", generation);
        }
        Tolerations.addOfDaemons(pod);
        if (!node.isEmpty()) {
            ObjectNode required = Json.child(
                    Json.child(Json.child(Json.child(pod, "spec"), "affinity"), "nodeAffinity"),
                    "requiredDuringSchedulingIgnoredDuringExecution");
            if (required.path("nodeSelectorTerms").isEmpty()) {
                required.putArray("nodeSelectorTerms").addObject();
            }
            for (JsonNode term : required.path("nodeSelectorTerms")) {
                ObjectNode field = ((ObjectNode) term).putArray("matchFields").addObject();
                field.put("key", "metadata.name").put("operator", "In");
                field.putArray("values").add(node);
            }
        }
        return pod;
    }

    private void create(ObjectNode set, String hash, String node) {
        objects()
                .create(pods, pod(set, hash, node))
                .ifPresent(created -> events.normal(
                        type(),
                        set,
                        "SuccessfulCreate",
                        "Created pod: " + ObjectKey.of(created).name()));
    }

    private void delete(ObjectNode set, ObjectNode pod) {
        objects().delete(pods, pod);
        events.normal(
                type(),
                set,
                "SuccessfulDelete",
                "Deleted pod: " + ObjectKey.of(pod).name());
    }

    /** The pods of a DaemonSet by node, for its status and for the next update. */
    static final class DaemonCount {
        private final JsonNode set;
        private final String hash;
        private final Instant now;
        private final int minReady;
        private final List<ObjectNode> old = new ArrayList<>();
        private final List<Instant> availableTimes = new ArrayList<>();
        private int desired;
        private int scheduled;
        private int misscheduled;
        private int ready;
        private int available;
        private int updated;
        private int unavailable;

        DaemonCount(JsonNode set, String hash, Instant now) {
            this.set = set;
            this.hash = hash;
            this.now = now;
            this.minReady = set.path("spec").path("minReadySeconds").asInt();
        }

        /** Counts one node. */
        void node(boolean belongs, List<ObjectNode> present) {
            if (!belongs) {
                misscheduled += present.isEmpty() ? 0 : 1;
                return;
            }
            desired++;
            if (present.isEmpty()) {
                unavailable++;
                return;
            }
            ObjectNode pod = present.get(0);
            scheduled++;
            ready += PodStates.isReady(pod) ? 1 : 0;
            boolean isAvailable = PodStates.isAvailable(pod, minReady, now);
            available += isAvailable ? 1 : 0;
            if (ControllerHistory.isOf(pod, hash)) {
                updated++;
            } else {
                old.add(pod);
            }
            if (!isAvailable) {
                unavailable++;
                PodStates.availableAt(pod, minReady).ifPresent(availableTimes::add);
            }
        }

        /** The old pods to delete now: unavailable ones, and as many others as may be unavailable. */
        List<ObjectNode> outdated() {
            JsonNode most = set.path("spec")
                    .path("updateStrategy")
                    .path("rollingUpdate")
                    .path("maxUnavailable");
            int room = Math.max(1, IntOrPercent.of(most, desired, true)) - unavailable;
            List<ObjectNode> going = new ArrayList<>();
            for (ObjectNode pod : old) {
                if (!PodStates.isAvailable(pod, minReady, now)) {
                    going.add(pod);
                } else if (room > 0) {
                    going.add(pod);
                    room--;
                }
            }
            return going;
        }

        Optional<Instant> nextAvailable() {
            return availableTimes.stream().min(Instant::compareTo);
        }

        void write(ObjectNode status) {
            status.put("currentNumberScheduled", scheduled);
            status.put("numberMisscheduled", misscheduled);
            status.put("desiredNumberScheduled", desired);
            status.put("numberReady", ready);
            status.put(
                    "observedGeneration",
                    set.path("metadata").path("generation").asLong());
            Counts.put(status, "updatedNumberScheduled", updated);
            Counts.put(status, "numberAvailable", available);
            Counts.put(status, "numberUnavailable", desired - available);
        }
    }

    /** The nodes that a DaemonSet's pod should run on (pkg/controller/daemon: nodeShouldRunDaemonPod). */
    static final class DaemonNodes {
        private DaemonNodes() {}

        /**
         * Whether a new pod should run on the node.
         *
         * @param pod with the tolerations of all daemon pods
         */
        static boolean shouldRun(JsonNode pod, JsonNode node) {
            return selects(pod.path("spec"), node) && untolerated(pod, node, "NoSchedule", "NoExecute") == 0;
        }

        /** Whether an existing pod may stay. */
        static boolean shouldContinueRunning(JsonNode pod, JsonNode node) {
            return selects(pod.path("spec"), node) && untolerated(pod, node, "NoExecute") == 0;
        }

        private static boolean selects(JsonNode spec, JsonNode node) {
            JsonNode labels = node.path("metadata").path("labels");
            for (Map.Entry<String, JsonNode> needed : spec.path("nodeSelector").properties()) {
                if (!needed.getValue().equals(labels.path(needed.getKey()))) {
                    return false;
                }
            }
            JsonNode required =
                    spec.path("affinity").path("nodeAffinity").path("requiredDuringSchedulingIgnoredDuringExecution");
            if (required.isMissingNode()) {
                return true;
            }
            for (JsonNode term : required.path("nodeSelectorTerms")) {
                if (matches(term, node)) {
                    return true;
                }
            }
            return false;
        }

        private static boolean matches(JsonNode term, JsonNode node) {
            if (term.path("matchExpressions").isEmpty()
                    && term.path("matchFields").isEmpty()) {
                return false;
            }
            ObjectNode byName = Json.object();
            byName.putObject("metadata").putObject("labels").put("metadata.name", Json.text(node, "metadata", "name"));
            return LabelSelector.ofObject(Json.object().set("matchExpressions", term.path("matchExpressions")))
                            .matches(node)
                    && LabelSelector.ofObject(Json.object().set("matchExpressions", term.path("matchFields")))
                            .matches(byName);
        }

        /** The number of taints with one of the effects that the pod does not tolerate. */
        static int untolerated(JsonNode pod, JsonNode node, String... effects) {
            int count = 0;
            for (JsonNode taint : node.path("spec").path("taints")) {
                boolean counts = false;
                for (String effect : effects) {
                    counts |= Json.text(taint, "effect").equals(effect);
                }
                boolean tolerated = false;
                for (JsonNode toleration : pod.path("spec").path("tolerations")) {
                    tolerated |= Tolerations.tolerates(toleration, taint);
                }
                count += counts && !tolerated ? 1 : 0;
            }
            return count;
        }
    }
}
