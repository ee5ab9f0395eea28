package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.ResourceNames;

/**
 * How much of one resource a node has and will have given away with the pod that is being scored. CPU in milli-CPU,
 * memory and ephemeral storage in bytes. Containers that request no cpu or memory count with the defaults of
 * {@link PodResources}. Mirrors {@code calculateResourceAllocatableRequest} of
 * {@code algorithm/priorities/resource_allocation.go}.
 */
final class ResourceAllocation {
    private enum Kind {
        CPU,
        MEMORY,
        EPHEMERAL_STORAGE,
        SCALAR,
        UNKNOWN
    }

    private final RequestRules rules;
    private final Kind kind;
    private final String resource;
    private final long podRequest;

    private ResourceAllocation(RequestRules rules, Kind kind, String resource, long podRequest) {
        this.rules = rules;
        this.kind = kind;
        this.resource = resource;
        this.podRequest = podRequest;
    }

    /** The allocation of {@code resource}; a name that the scheduler does not track has capacity and request 0. */
    static ResourceAllocation of(RequestRules rules, PodInfo pod, String resource) {
        return switch (resource) {
            case ResourceNames.CPU -> new ResourceAllocation(rules, Kind.CPU, resource, rules.scoringMilliCpu(pod));
            case ResourceNames.MEMORY -> new ResourceAllocation(rules, Kind.MEMORY, resource, rules.scoringMemory(pod));
            case ResourceNames.EPHEMERAL_STORAGE ->
                new ResourceAllocation(
                        rules,
                        Kind.EPHEMERAL_STORAGE,
                        resource,
                        rules.request(pod).ephemeralStorage());
            default ->
                ResourceNames.isScalar(resource)
                        ? new ResourceAllocation(
                                rules, Kind.SCALAR, resource, rules.request(pod).scalar(resource))
                        : new ResourceAllocation(rules, Kind.UNKNOWN, resource, 0);
        };
    }

    /** What the pod that is being scored asks for. */
    long podRequest() {
        return podRequest;
    }

    /** Allocatable amount of the node. */
    long capacity(NodeInfo node) {
        return switch (kind) {
            case CPU -> node.allocatableMilliCpu();
            case MEMORY -> node.allocatableMemory();
            case EPHEMERAL_STORAGE -> node.allocatable().ephemeralStorage();
            case SCALAR -> node.allocatable().scalar(resource);
            case UNKNOWN -> 0;
        };
    }

    /** What the pods of the node and the pod ask for together. */
    long requested(NodeInfo node) {
        Arithmetic sums = rules.arithmetic();
        return switch (kind) {
            case CPU -> sums.add(rules.nonZeroMilliCpu(node), podRequest);
            case MEMORY -> sums.add(rules.nonZeroMemory(node), podRequest);
            case EPHEMERAL_STORAGE -> sums.add(rules.ephemeralStorage(node), podRequest);
            case SCALAR -> sums.add(rules.scalar(node, resource), podRequest);
            case UNKNOWN -> 0;
        };
    }

    /** How much of {@link #capacity} stays free, in hundredths, cut off; 0 when there is none or more is requested. */
    long freeShare(NodeInfo node) {
        return share(capacity(node), requested(node));
    }

    /** The same for a node that has {@code capacity} and whose pods ask for {@code taken} of it; cpu and memory only. */
    long freeShare(long capacity, long taken) {
        return share(capacity, rules.arithmetic().add(taken, podRequest));
    }

    private long share(long capacity, long requested) {
        Arithmetic sums = rules.arithmetic();
        return capacity == 0 || requested > capacity
                ? 0
                : sums.share(sums.subtract(capacity, requested), Priority.MAX_SCORE, capacity);
    }

    /** {@link #requested} as a share of {@link #capacity} in hundredths, cut off; 0 when there is none or more is requested. */
    long usedShare(NodeInfo node) {
        long capacity = capacity(node);
        long requested = requested(node);
        return capacity == 0 || requested > capacity
                ? 0
                : rules.arithmetic().share(requested, Priority.MAX_SCORE, capacity);
    }

    /** {@link #requested} as a fraction of {@link #capacity}; 1 when there is no capacity. */
    double fraction(NodeInfo node) {
        long capacity = capacity(node);
        return capacity == 0 ? 1.0 : (double) requested(node) / (double) capacity;
    }

    /** The same for a node that has {@code capacity} and whose pods ask for {@code taken} of it; cpu and memory only. */
    double fraction(long capacity, long taken) {
        return capacity == 0 ? 1.0 : (double) rules.arithmetic().add(taken, podRequest) / (double) capacity;
    }
}
