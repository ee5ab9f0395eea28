package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.rules.data.PodView.AmountsView;
import io.policyscheduler.engine.rules.data.PodView.LabelsView;
import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A view of the node for rules, reused for all nodes. Public only because MVEL calls it. */
public final class NodeView {
    private static final double MILLI = 1000.0;

    private final ClusterCounts counts;
    private final Meter meter;
    private final LabelsView labels = new LabelsView();
    private final LabelsView annotations = new LabelsView();
    private final PodRelations surroundings;
    private final AmountsView allocatable;
    private final AmountsView requested;
    private final AmountsView free;
    private @Nullable NodeInfo info;

    public NodeView(ClusterCounts counts, Meter meter) {
        this.counts = counts;
        this.meter = meter;
        this.surroundings = new PodRelations(counts.cluster(), meter);
        this.allocatable = new AmountsView(this::allocatable);
        this.requested = new AmountsView(this::requested);
        this.free = new AmountsView(this::free);
    }

    public void move(NodeInfo to) {
        info = to;
    }

    private NodeInfo info() {
        NodeInfo known = info;
        if (known == null) {
            throw new IllegalStateException("no node yet");
        }
        return known;
    }

    public String name() {
        return info().name();
    }

    public boolean unschedulable() {
        return info().node().unschedulable();
    }

    public String zone() {
        return either(Node.LEGACY_ZONE, Node.ZONE);
    }

    public String region() {
        return either(Node.LEGACY_REGION, Node.REGION);
    }

    private String either(String beta, String stable) {
        String value = info().node().labels().get(beta);
        return value == null ? label(stable) : value;
    }

    public LabelsView labels() {
        return labels.move(info().node().labels());
    }

    public String label(String key) {
        return info().node().labels().getOrEmpty(key);
    }

    public String label(String key, String otherwise) {
        String value = info().node().labels().get(key);
        return value == null ? otherwise : value;
    }

    public boolean hasLabel(String key) {
        return info().node().labels().has(key);
    }

    public boolean hasLabel(String key, String value) {
        return info().node().labels().has(key, value);
    }

    public LabelsView annotations() {
        return annotations.move(info().node().annotations());
    }

    public String annotation(String key) {
        return info().node().annotations().getOrEmpty(key);
    }

    public String condition(String type) {
        return info().node().conditions().getOrEmpty(type);
    }

    public List<ConditionView> conditions() {
        Node node = info().node();
        meter.charge(node.conditions().size());
        List<ConditionView> conditions = new ArrayList<>();
        node.conditions().forEach((type, status) -> {
            long since = node.conditionsSince().getOrDefault(type, PodInfo.NO_TIME);
            conditions.add(new ConditionView(type, status, surroundings.minutesSince(since)));
        });
        return conditions;
    }

    public double ageMinutes() {
        return surroundings.minutesSince(info().node().createdMillis());
    }

    public List<Node.Image> images() {
        return info().node().images();
    }

    public double imageSize(String name) {
        ImageState image = info().images().get(name);
        return image == null ? 0 : image.sizeBytes();
    }

    public boolean hasImage(String name) {
        return info().images().containsKey(name);
    }

    public double allocatableCpu() {
        return info().allocatableMilliCpu() / MILLI;
    }

    public double allocatableMemory() {
        return info().allocatableMemory();
    }

    public AmountsView allocatable() {
        return allocatable;
    }

    public double allocatable(String resource) {
        return PodView.amount(info().allocatable(), resource);
    }

    /**
     * The number of a field of a table. If the key is the name of this node, the requests of pods that were placed here after the
     * measurement are added.
     *
     * @return NaN if it is missing
     */
    public double measured(TableValues values, @Nullable String key, String field, PlacedAmount amount) {
        double value = values.number(key, field);
        NodeInfo node = info;
        // A {@code when} condition has no node.
        if (node == null || key == null || Double.isNaN(value) || !key.equals(node.name())) {
            return value;
        }
        Instant time = values.times().get(key);
        return time == null ? value : value + PlacedPods.since(node, time, amount, meter);
    }

    public double requestedCpu() {
        return info().currentRequests().milliCpu() / MILLI;
    }

    public double requestedMemory() {
        return info().currentRequests().memory();
    }

    public AmountsView requested() {
        return requested;
    }

    public double requested(String resource) {
        NodeInfo node = info();
        return switch (resource) {
            case ResourceNames.CPU -> node.currentRequests().milliCpu() / MILLI;
            case ResourceNames.MEMORY -> node.currentRequests().memory();
            case ResourceNames.EPHEMERAL_STORAGE -> node.currentRequests().ephemeralStorage();
            case ResourceNames.PODS -> node.podCount();
            default -> node.currentRequests().scalar(resource);
        };
    }

    public double freeCpu() {
        return (info().allocatableMilliCpu() - info().currentRequests().milliCpu()) / MILLI;
    }

    public double freeMemory() {
        return info().allocatableMemory() - info().currentRequests().memory();
    }

    public AmountsView free() {
        return free;
    }

    public double free(String resource) {
        return resource.equals(ResourceNames.CPU) ? freeCpu() : allocatable(resource) - requested(resource);
    }

    public double maxPods() {
        return info().allocatable().pods();
    }

    public double podCount() {
        return info().podCount();
    }

    public double podsWithLabel(String key) {
        return counts.podsOnNode(info(), key, null);
    }

    public double podsWithLabel(String key, String value) {
        return counts.podsOnNode(info(), key, value);
    }

    public double podsInNamespace(String namespace) {
        return counts.podsInNamespace(info(), namespace);
    }

    public double podsWithImage(String image) {
        NodeInfo node = info();
        int count = 0;
        for (int i = node.podCount() - 1; i >= 0; i--) {
            PodInfo pod = node.pod(i);
            meter.charge(1L + pod.spec().containers().size());
            count += hasImage(pod, image) ? 1 : 0;
        }
        return count;
    }

    private static boolean hasImage(PodInfo pod, String image) {
        List<Container> containers = pod.spec().containers();
        for (int i = containers.size() - 1; i >= 0; i--) {
            if (containers.get(i).image().equals(image)) {
                return true;
            }
        }
        return false;
    }

    /** The used host ports, pod by pod. */
    public List<ContainerPort> hostPorts() {
        NodeInfo node = info();
        List<ContainerPort> ports = new ArrayList<>();
        for (int i = 0; i < node.podCount(); i++) {
            List<Container> containers = node.pod(i).spec().containers();
            meter.charge(1L + containers.size());
            for (Container container : containers) {
                if (container.runsOn() && !container.hostPorts().isEmpty()) {
                    meter.charge(container.ports().size());
                    container.ports().stream()
                            .filter(port -> port.hostPort() > 0)
                            .forEach(ports::add);
                }
            }
        }
        return ports;
    }

    public double podsOfOwner(String ownerUid) {
        return counts.podsOfOwnerOnNode(info(), ownerUid);
    }

    public double podsOfOwnerInTopology(String topologyKey, String ownerUid) {
        return counts.podsOfOwnerInTopology(info(), topologyKey, ownerUid);
    }

    public double podsInTopology(String topologyKey, String key, String value) {
        return counts.podsInTopology(info(), topologyKey, key, value);
    }

    public double nodesInTopology(String topologyKey) {
        return counts.nodesInTopology(info(), topologyKey);
    }

    public List<Taint> taints() {
        return info().node().taints();
    }

    public List<PodInfo> pods() {
        return info().pods();
    }

    /** A view of an image on a node for rules. Public only because MVEL calls it. */
    public record ImageView(Node.Image image) {
        public List<String> names() {
            return image.names();
        }

        public double sizeBytes() {
            return image.sizeBytes();
        }
    }

    /**
     * A view of a condition of a node for rules. Public only because MVEL calls it.
     *
     * @param ageMinutes whole minutes since the last transition, 0 if unknown
     */
    public record ConditionView(String type, String status, double ageMinutes) {}

    /** The requests of the pods that were placed on a node recently. */
    static final class PlacedPods {
        private static final double MILLI = 1000.0;
        /** The resolution of timestamps of API servers, which are truncated. */
        private static final long SECOND = 1_000;

        private PlacedPods() {}

        /** The sum over the pods that were placed on a node after a time; charged by the number of pods. */
        static double since(NodeInfo node, Instant time, PlacedAmount amount, Meter meter) {
            List<PodInfo> pods = node.pods();
            meter.charge(pods.size());
            long first = time.toEpochMilli() - SECOND;
            double sum = 0;
            for (int i = 0; i < pods.size(); i++) {
                PodInfo pod = pods.get(i);
                if (placedAt(pod) > first) {
                    sum += of(pod, amount);
                }
            }
            return sum;
        }

        /** A pod without any timestamp counts as new. */
        private static long placedAt(PodInfo pod) {
            PodInfo.ScheduledCondition scheduled = pod.scheduled();
            if (scheduled != null && scheduled.lastTransitionMillis() != PodInfo.NO_TIME) {
                return scheduled.lastTransitionMillis();
            }
            return pod.startTimeMillis() == PodInfo.NO_TIME ? Long.MAX_VALUE : pod.startTimeMillis();
        }

        private static double of(PodInfo pod, PlacedAmount amount) {
            return switch (amount) {
                case CPU -> RequestRules.MODERN.request(pod).milliCpu() / MILLI;
                case MEMORY -> RequestRules.MODERN.request(pod).memory();
                case PODS -> 1;
            };
        }
    }
}
