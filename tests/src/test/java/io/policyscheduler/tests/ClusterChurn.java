package io.policyscheduler.tests;

import static io.policyscheduler.engine.testing.PodBuilder.pod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Several copies of one cluster that get the same random changes: nodes are added, removed, relabeled, tainted, resized, nominated, and cordoned;
 * pods start, end, and terminate; services, controllers, budgets, claims, volumes, and resource slices are added, removed, or replaced by objects of
 * the same name from another snapshot.
 */
final class ClusterChurn implements NominatedPods {
    private final RandomValues random;
    private final List<ClusterState> states;
    private final List<Node> nodes;
    private final List<Node> otherNodes;
    private final Map<ResourceKind, List<ClusterObject>> objects = new EnumMap<>(ResourceKind.class);
    private final List<PodInfo> templates;
    private final List<PodInfo> running;
    private final Map<String, List<PodInfo>> promised = new TreeMap<>();
    private final Map<String, Integer> changes = new TreeMap<>();
    private int names;

    /** @param copies number of copies of the cluster */
    ClusterChurn(long seed, int copies) throws IOException {
        this.random = new RandomValues(seed);
        int kind = random.between(0, 9);
        ClusterSnapshot snapshot = snapshot(kind, seed);
        ClusterSnapshot other = snapshot(kind, seed + 500_000_000);
        this.states = new ArrayList<>();
        for (int i = 0; i < copies; i++) {
            states.add(snapshot.state());
        }
        this.nodes = snapshot.nodes();
        this.otherNodes = other.nodes();
        this.running = new ArrayList<>(snapshot.running());
        this.templates = new ArrayList<>(snapshot.pending());
        templates.addAll(other.pending());
        if (templates.isEmpty()) {
            templates.add(pod("plain").build());
        }
        for (ClusterSnapshot each : List.of(snapshot, other)) {
            for (ClusterObject object : each.objects()) {
                objects.computeIfAbsent(object.resourceKind(), of -> new ArrayList<>())
                        .add(object);
            }
        }
    }

    /** Most clusters are small and have every kind of object; some are large. */
    private static ClusterSnapshot snapshot(int kind, long seed) throws IOException {
        RandomValues size = new RandomValues(seed + 7);
        return switch (kind) {
            case 0 -> CompareCluster.of(seed, 3 + size.between(0, 147), size.between(0, 200), 20);
            case 1, 2, 3, 4 -> read(NewerCluster.scenario(seed));
            case 5, 6 -> read(DeviceCluster.scenario(seed));
            default -> read(RandomCluster.scenario(seed, Algorithms.registry()));
        };
    }

    private static ClusterSnapshot read(ObjectNode scenario) throws IOException {
        return ScenarioCluster.snapshot(scenario, FeatureGates.defaults());
    }

    ClusterState state(int copy) {
        return states.get(copy);
    }

    /** Counts the changes by kind. */
    Map<String, Integer> changes() {
        return changes;
    }

    /** Returns a pod to schedule: usually similar to one of the last few, sometimes a new kind. */
    PodInfo next() {
        int few = Math.min(templates.size(), 4);
        PodInfo model = random.percent(80) ? templates.get(random.between(0, few - 1)) : random.of(templates);
        names++;
        String node = random.percent(10) ? anyNode() : "";
        return sibling(model, "new-" + names, false).withNominatedNodeName(node);
    }

    /** Adds the pod to the node that was chosen for it. */
    void place(PodInfo pod, String node) {
        PodInfo bound = pod.withNodeName(node);
        running.add(bound);
        all(state -> state.addPod(bound));
    }

    private static PodInfo sibling(PodInfo pod, String name, boolean terminating) {
        return pod.toBuilder()
                .name(name)
                .uid("uid-" + name)
                .resourceVersion("1")
                .terminating(terminating)
                .build();
    }

    private void all(Consumer<ClusterState> change) {
        states.forEach(change);
    }

    private void did(String what) {
        changes.merge(what, 1, Integer::sum);
    }

    /** Some clusters start without nodes. */
    private String anyNode() {
        return nodes.isEmpty() ? "none" : random.of(nodes).name();
    }

    /** Applies at most one change. */
    void change() {
        switch (random.between(0, 15)) {
            case 0 -> {
                String name = anyNode();
                all(state -> state.removeNode(name));
                did("node removed");
            }
            case 1 -> put(nodes, "node added");
            case 2 -> put(otherNodes, "node of another cluster");
            case 3 -> relabel();
            case 4 -> taint();
            case 5, 6 -> endPod();
            case 7, 8, 9, 10 -> changeObject();
            case 11 -> {
                promised.put(anyNode(), List.of(sibling(random.of(templates), "promised-" + names, false)));
                did("node promised");
            }
            case 12 -> {
                promised.clear();
                did("promises dropped");
            }
            case 13 -> {
                String name = anyNode();
                boolean closed = random.percent(30);
                all(state -> state.setClosed(name, closed));
                did("node closed or opened");
            }
            default -> {}
        }
    }

    private void put(List<Node> some, String what) {
        if (!some.isEmpty()) {
            put(random.of(some), what);
        }
    }

    private void put(Node node, String what) {
        all(state -> state.putNode(node));
        did(what);
    }

    /** Gives a node the labels, taints, capacity, images, or zone of another one. */
    private void relabel() {
        NodeInfo one = state(0).node(anyNode());
        NodeInfo other = state(0).node(anyNode());
        if (one != null && other != null && one.hasNode() && other.hasNode()) {
            put(with(one.node(), other.node(), other.node().taints()), "node relabelled");
        }
    }

    private void taint() {
        NodeInfo node = state(0).node(anyNode());
        if (node != null && node.hasNode()) {
            List<Taint> taints = new ArrayList<>(node.node().taints());
            if (!taints.isEmpty() && random.percent(50)) {
                taints.remove(0);
            } else {
                taints.add(new Taint(
                        random.of("dedicated", "spot", "k"),
                        random.of("", "db", "gpu"),
                        random.of("NoSchedule", "PreferNoSchedule", "NoExecute")));
            }
            put(with(node.node(), node.node(), taints), "node tainted");
        }
    }

    private static Node with(Node as, Node of, List<Taint> taints) {
        return new Node(
                as.name(),
                as.uid(),
                as.resourceVersion(),
                of.labels(),
                of.annotations(),
                of.unschedulable(),
                taints,
                of.allocatable(),
                of.images(),
                of.conditions(),
                of.zoneKey(),
                of.kubeletVersion(),
                of.createdMillis(),
                of.conditionsSince(),
                Set.of());
    }

    private void endPod() {
        if (running.isEmpty()) {
            return;
        }
        int at = random.between(0, running.size() - 1);
        PodInfo old = running.get(at);
        all(state -> state.removePod(old));
        if (random.percent(30)) {
            PodInfo ending = sibling(old, old.name(), true);
            running.set(at, ending);
            all(state -> state.addPod(ending));
            did("pod terminating");
        } else {
            running.remove(at);
            did("pod gone");
        }
    }

    /** Rare kinds of objects change as often as common ones. */
    private void changeObject() {
        if (objects.isEmpty()) {
            return;
        }
        ResourceKind kind = random.of(List.copyOf(objects.keySet()));
        ClusterObject object = random.of(objects.getOrDefault(kind, List.of()));
        if (random.percent(35)) {
            all(state -> state.removeObject(object));
        } else {
            all(state -> state.putObject(object));
        }
        did(kind.toString());
    }

    @Override
    public List<PodInfo> on(String node) {
        return promised.getOrDefault(node, List.of());
    }

    @Override
    public Collection<String> nodes() {
        return promised.keySet();
    }

    @Override
    public boolean isEmpty() {
        return promised.isEmpty();
    }
}
