package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node with its pods and their aggregated resources. Mutable, owned by one thread; {@link #copy()} returns an independent one for
 * trials. Mirrors {@code NodeInfo} of {@code pkg/scheduler/nodeinfo/node_info.go}, with its order of pods (a removed pod is
 * replaced by the last one) and its set of used ports (no reference counts).
 */
public final class NodeInfo {
    /** {@link #slot()} of a node that is not part of a cluster. */
    public static final int NO_SLOT = -1;

    /** Shared by a node and its copies, as the transient scheduler info of v1.17 is. */
    private static final class VolumeCounts {
        long allocatable;
        long requested;
    }

    private final String name;
    private @Nullable Node node;
    private final List<PodInfo> pods;
    private final List<PodInfo> podsWithAffinity;
    private final Set<HostPort> usedPorts;
    private Map<String, ImageState> images;
    // Copied from the node object to save two dereferences in the scoring of every node.
    private long allocatableMilliCpu;
    private long allocatableMemory;
    private final RequestTotals requests;
    private final VolumeCounts volumeCounts;
    private final RequestTotals current;
    /** The used ports with the rules of current releases; null while no sidecar makes a difference. */
    private @Nullable Set<HostPort> currentPorts;

    private long generation;
    private int slot = NO_SLOT;
    private boolean closed;

    /** A node without an object. */
    public NodeInfo(String name) {
        this.name = name;
        this.pods = new ArrayList<>();
        this.podsWithAffinity = new ArrayList<>(0);
        this.usedPorts = new HashSet<>();
        this.images = Map.of();
        this.requests = new RequestTotals();
        this.volumeCounts = new VolumeCounts();
        this.current = new RequestTotals();
    }

    private NodeInfo(NodeInfo other) {
        this.name = other.name;
        this.node = other.node;
        this.pods = new ArrayList<>(other.pods);
        this.podsWithAffinity = new ArrayList<>(other.podsWithAffinity);
        this.usedPorts = new HashSet<>(other.usedPorts);
        this.images = other.images;
        this.allocatableMilliCpu = other.allocatableMilliCpu;
        this.allocatableMemory = other.allocatableMemory;
        this.requests = new RequestTotals(other.requests);
        this.volumeCounts = other.volumeCounts;
        this.current = new RequestTotals(other.current);
        this.currentPorts = other.currentPorts == null ? null : new HashSet<>(other.currentPorts);
        this.generation = other.generation;
        this.slot = other.slot;
        this.closed = other.closed;
    }

    /** An independent copy; immutable data is shared. */
    public NodeInfo copy() {
        return new NodeInfo(this);
    }

    /** A node with the same object, without pods and images. */
    public NodeInfo idle() {
        NodeInfo idle = new NodeInfo(name);
        idle.setNode(node, Map.of());
        idle.generation = generation;
        idle.closed = closed;
        return idle;
    }

    public String name() {
        return name;
    }

    /** The node object; fails without one. Algorithms only receive nodes with an object. */
    public Node node() {
        Node known = node;
        if (known == null) {
            throw new IllegalStateException("node " + name + " has no object");
        }
        return known;
    }

    /** False if only pods of the node have been observed. */
    public boolean hasNode() {
        return node != null;
    }

    /** Sets or replaces the node object and the state of its images; resets the volume counters. */
    public void setNode(@Nullable Node object, Map<String, ImageState> imageStates) {
        node = object;
        images = imageStates;
        allocatableMilliCpu = object == null ? 0 : object.allocatable().milliCpu();
        allocatableMemory = object == null ? 0 : object.allocatable().memory();
        setVolumeCounts(0, 0);
    }

    /** Pods on the node; a view, do not modify. Order: see the class comment. */
    public List<PodInfo> pods() {
        return Collections.unmodifiableList(pods);
    }

    /** Pods with a podAffinity or podAntiAffinity object; a view. */
    public List<PodInfo> podsWithAffinity() {
        return Collections.unmodifiableList(podsWithAffinity);
    }

    /** Number of pods. */
    public int podCount() {
        return pods.size();
    }

    /** The pod at {@code index}, for loops that must not allocate an iterator. */
    public PodInfo pod(int index) {
        return pods.get(index);
    }

    /** Adds a pod. */
    public void addPod(PodInfo pod) {
        pods.add(pod);
        if (pod.hasPodAffinity()) {
            podsWithAffinity.add(pod);
        }
        account(pod);
        for (Container container : pod.spec().containers()) {
            if (container.hostPorts().isEmpty() || !container.runsOn()) {
                continue;
            }
            if (container.sidecar() && currentPorts == null) {
                currentPorts = new HashSet<>(usedPorts);
            }
            if (!container.init()) {
                usedPorts.addAll(container.hostPorts());
            }
            if (currentPorts != null) {
                currentPorts.addAll(container.hostPorts());
            }
        }
    }

    /**
     * Removes the pod with the same UID and subtracts the requests of the argument {@code pod}.
     *
     * @return the removed pod; null if there is no such pod
     */
    public @Nullable PodInfo removePod(PodInfo pod) {
        removeFrom(podsWithAffinity, pod);
        PodInfo counted = removeFrom(pods, pod);
        if (counted == null) {
            return null;
        }
        discount(pod);
        for (Container container : pod.spec().containers()) {
            if (!container.init()) {
                container.hostPorts().forEach(usedPorts::remove);
            }
            if (currentPorts != null && container.runsOn()) {
                container.hostPorts().forEach(currentPorts::remove);
            }
        }
        return counted;
    }

    private static @Nullable PodInfo removeFrom(List<PodInfo> list, PodInfo pod) {
        for (int i = 0; i < list.size(); i++) {
            PodInfo found = list.get(i);
            if (found.isSame(pod)) {
                PodInfo last = list.remove(list.size() - 1);
                if (i < list.size()) {
                    list.set(i, last);
                }
                return found;
            }
        }
        return null;
    }

    private void account(PodInfo pod) {
        PodResources resources = pod.resources();
        requests.add(resources.request(), resources.nonZeroMilliCpu(), resources.nonZeroMemory());
        CurrentRequests now = resources.current();
        current.add(now.placed(), now.placedMilliCpu(), now.placedMemory());
    }

    private void discount(PodInfo pod) {
        PodResources resources = pod.resources();
        requests.subtract(resources.request(), resources.nonZeroMilliCpu(), resources.nonZeroMemory());
        CurrentRequests now = resources.current();
        current.subtract(now.placed(), now.placedMilliCpu(), now.placedMemory());
    }

    /** The requests of pods with the rules of v1.17. */
    public RequestTotals requests() {
        return requests;
    }

    /** The requests of pods with the rules of current releases. */
    public RequestTotals currentRequests() {
        return current;
    }

    /** Requested CPU of the pods on the node, milli-CPU; may exceed allocatable. */
    public long requestedMilliCpu() {
        return requests.milliCpu();
    }

    /** Requested memory, bytes. */
    public long requestedMemory() {
        return requests.memory();
    }

    /** Requested ephemeral storage, bytes. */
    public long requestedEphemeralStorage() {
        return requests.ephemeralStorage();
    }

    /** Requested amount of a scalar resource; 0 if no pod requests it. */
    public long requestedScalar(String resource) {
        return requests.scalar(resource);
    }

    /** Requested CPU with the default for containers without a request, milli-CPU; for scoring. */
    public long nonZeroMilliCpu() {
        return requests.nonZeroMilliCpu();
    }

    /** Requested memory with the default for containers without a request, bytes; for scoring. */
    public long nonZeroMemory() {
        return requests.nonZeroMemory();
    }

    /** Allocatable CPU of the node object, milli-CPU; 0 without one. */
    public long allocatableMilliCpu() {
        return allocatableMilliCpu;
    }

    /** Allocatable memory of the node object, bytes; 0 without one. */
    public long allocatableMemory() {
        return allocatableMemory;
    }

    /** Allocatable resources of the node object. */
    public ResourceVector allocatable() {
        return node().allocatable();
    }

    /** True if {@code requested} conflicts with a used port. */
    public boolean portConflict(HostPort requested) {
        return conflicts(usedPorts, requested);
    }

    /** The same including the ports of sidecars. */
    public boolean currentPortConflict(HostPort requested) {
        return conflicts(currentPorts == null ? usedPorts : currentPorts, requested);
    }

    private static boolean conflicts(Set<HostPort> ports, HostPort requested) {
        if (ports.isEmpty()) {
            return false;
        }
        for (HostPort used : ports) {
            if (used.conflictsWith(requested)) {
                return true;
            }
        }
        return false;
    }

    /** Replaces the state of images. */
    public void setImages(Map<String, ImageState> states) {
        images = states;
    }

    /** The state of images, by unmodified name of the node status. */
    public Map<String, ImageState> images() {
        return images;
    }

    /** Volumes that can still be attached, set by the last volume-count predicate that passed (gate BalanceAttachedNodeVolumes). */
    public long allocatableVolumes() {
        return volumeCounts.allocatable;
    }

    /** Volumes that the last checked pod would add. */
    public long requestedVolumes() {
        return volumeCounts.requested;
    }

    /** Stores volume counts for BalancedResourceAllocation. */
    public void setVolumeCounts(long allocatable, long requested) {
        volumeCounts.allocatable = allocatable;
        volumeCounts.requested = requested;
    }

    /** Value of the cluster's change counter when this node last changed. */
    public long generation() {
        return generation;
    }

    /** Marks a change; volume counts of earlier pods are no longer valid. */
    void setGeneration(long value) {
        generation = value;
        setVolumeCounts(0, 0);
    }

    /** True while the node is infeasible for all pods, because it runs a pod that cannot be parsed. */
    public boolean isClosed() {
        return closed;
    }

    public void setClosed(boolean value) {
        closed = value;
    }

    /** The index in {@link NodeTable}; a copy has that of the original. */
    public int slot() {
        return slot;
    }

    void setSlot(int value) {
        slot = value;
    }

    @Override
    public String toString() {
        return "NodeInfo[" + name + ", " + pods.size() + " pods]";
    }
}
