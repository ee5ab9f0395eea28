package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.StoredObjects.StoredEvent;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Every pod is bound once, by a decision about this pod, and to a node with room for it. Room is computed from the server's state, except for what
 * the scheduler could not know: pods that others bound before the watch delivered them, and a node that was made smaller before the watch delivered
 * it.
 */
final class PlacementAudit {
    /**
     * A decision and what its process had received.
     *
     * @param known received pods of the node
     * @param nodeVersion the received node
     * @param isExcused by a list that was older than earlier events
     */
    private record Decided(
            int process,
            String node,
            Set<String> known,
            @Nullable ObjectNode nodeVersion,
            boolean isExcused) {}

    private final SimulationRun simulation;
    private final DeviceAudit devices;
    private final Consumer<String> violations;
    private final ClusterLog.Resource pods;
    private final ClusterLog.Resource nodes;
    private final Map<String, String> nodeByUid = new HashMap<>();
    private final Map<String, List<Decided>> decisions = new HashMap<>();
    private final Map<String, Integer> boundByProcess = new HashMap<>();
    private int seen;

    PlacementAudit(SimulationRun simulation, DeviceAudit devices, Consumer<String> violations) {
        this.simulation = simulation;
        this.devices = devices;
        this.violations = violations;
        this.pods = simulation.log().of(ResourceKind.PODS);
        this.nodes = simulation.log().of(ResourceKind.NODES);
    }

    void decided(SchedulerProcess process, PodInfo pod, String node) {
        Set<String> known = new HashSet<>();
        Feed shown = process.feed(ResourceKind.PODS);
        for (ObjectNode other : shown.shown().values()) {
            if (Manifests.nodeOf(other).equals(node)) {
                known.add(Manifests.uid(other));
            }
        }
        Feed shownNodes = process.feed(ResourceKind.NODES);
        ObjectNode version = shownNodes.shown().get("/" + node);
        if (version == null) {
            violations.accept("pod " + pod.name() + " is placed on " + node + ", which is not shown");
        }
        decisions
                .computeIfAbsent(pod.uid(), uid -> new ArrayList<>())
                .add(new Decided(process.id(), node, known, version, shown.isStale()));
    }

    void bound(String name, String node) {
        ObjectNode pod = simulation
                .cluster()
                .get("pods", Manifests.namespaceOf(name), name)
                .orElseThrow(() -> new IllegalStateException("bound, but not there: " + name));
        String uid = Manifests.uid(pod);
        Decided decided = decision(uid, node);
        if (decided == null) {
            violations.accept("pod " + name + " (" + uid + ") is bound to " + node + ", which nobody decided");
            return;
        }
        boundByProcess.put(uid, decided.process());
        SchedulerProcess process = simulation.process();
        if (process == null || process.id() != decided.process() || decided.isExcused()) {
            // Sent by a process that has crashed: its successor cannot know about it, nor could the server report it.
            return;
        }
        if (simulation.cluster().get("nodes", "", node).isEmpty() || decided.nodeVersion() == null) {
            return;
        }
        devices.bound(pod, node);
        List<ObjectNode> counted = new ArrayList<>();
        for (ObjectNode other : simulation.cluster().list("pods")) {
            String otherUid = Manifests.uid(other);
            boolean isKnown = decided.known().contains(otherUid)
                    || boundByProcess.getOrDefault(otherUid, SimulationRun.NOBODY) == decided.process();
            if (Manifests.nodeOf(other).equals(node) && !Manifests.isFinished(other) && isKnown) {
                counted.add(other);
            }
        }
        String problem = Room.problem(versionsSince(node, decided.nodeVersion()), counted, pod);
        if (problem != null) {
            violations.accept("node " + node + " has no room for " + name + ": " + problem + " "
                    + counted.stream().map(Manifests::name).toList());
        }
    }

    private @Nullable Decided decision(String uid, String node) {
        List<Decided> all = decisions.getOrDefault(uid, List.of());
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).node().equals(node)) {
                return all.get(i);
            }
        }
        return null;
    }

    private List<ObjectNode> versionsSince(String node, ObjectNode shown) {
        long version = Long.parseLong(Manifests.text(shown, "metadata", "resourceVersion"));
        List<ObjectNode> versions = new ArrayList<>(List.of(shown));
        for (StoredEvent event : nodes.events) {
            if (event.resourceVersion() > version
                    && Manifests.name(event.object()).equals(node)) {
                versions.add(event.object());
            }
        }
        return versions;
    }

    /** A nomination from before the bind remains in the status, as in v1.17; afterwards, no new one may be written. */
    private static boolean isPromisedTooLate(ObjectNode before, ObjectNode after) {
        String promised = Manifests.text(after, "status", "nominatedNodeName");
        return !Manifests.nodeOf(before).isEmpty()
                && !promised.isEmpty()
                && !promised.equals(Manifests.text(before, "status", "nominatedNodeName"));
    }

    /** Reads the server's changes. */
    void follow() {
        while (seen < pods.events.size()) {
            StoredEvent event = pods.events.get(seen);
            ObjectNode pod = event.object();
            seen++;
            if (event.previous() != null && isPromisedTooLate(event.previous(), pod)) {
                violations.accept("pod " + Manifests.name(pod) + " is on " + Manifests.nodeOf(pod)
                        + ", but was nominated after that");
            }
            String node = Manifests.nodeOf(pod);
            String before = nodeByUid.getOrDefault(Manifests.uid(pod), "");
            if (!before.isEmpty() && !before.equals(node)) {
                violations.accept("pod " + Manifests.name(pod) + " moved from " + before + " to \"" + node + "\"");
            }
            if (!node.isEmpty()) {
                nodeByUid.put(Manifests.uid(pod), node);
            }
        }
    }
}
