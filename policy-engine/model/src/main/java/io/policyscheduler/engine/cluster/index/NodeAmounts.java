package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.util.Arrays;

/**
 * The allocatable and requested resources of the nodes of a {@link ClusterIndex}, as columns by slot, for algorithms that evaluate
 * all nodes. CPU in milli-CPU, memory and ephemeral storage in bytes; without scalar resources. Values of empty slots are
 * undefined. Valid until the cluster changes.
 */
public final class NodeAmounts {
    private final ClusterIndex index;
    private final RequestRules rules;

    private long[] allocatableMilliCpu = new long[0];
    private long[] allocatableMemory = new long[0];
    private long[] allocatableStorage = new long[0];
    private long[] free = new long[0];
    private long[] milliCpu = new long[0];
    private long[] memory = new long[0];
    private long[] storage = new long[0];
    private long[] nonZeroMilliCpu = new long[0];
    private long[] nonZeroMemory = new long[0];
    private long seen;

    NodeAmounts(ClusterIndex index, RequestRules rules) {
        this.index = index;
        this.rules = rules;
    }

    void refresh() {
        if (milliCpu.length < index.slots()) {
            grow(index.slots() + index.slots() / 8);
        }
        index.changedSince(seen, this::read);
        seen = index.generation();
    }

    private void grow(int length) {
        allocatableMilliCpu = Arrays.copyOf(allocatableMilliCpu, length);
        allocatableMemory = Arrays.copyOf(allocatableMemory, length);
        allocatableStorage = Arrays.copyOf(allocatableStorage, length);
        free = Arrays.copyOf(free, length);
        milliCpu = Arrays.copyOf(milliCpu, length);
        memory = Arrays.copyOf(memory, length);
        storage = Arrays.copyOf(storage, length);
        nonZeroMilliCpu = Arrays.copyOf(nonZeroMilliCpu, length);
        nonZeroMemory = Arrays.copyOf(nonZeroMemory, length);
    }

    private void read(int slot) {
        NodeInfo node = index.at(slot);
        if (node == null) {
            return;
        }
        ResourceVector allocatable = node.allocatable();
        allocatableMilliCpu[slot] = allocatable.milliCpu();
        allocatableMemory[slot] = allocatable.memory();
        allocatableStorage[slot] = allocatable.ephemeralStorage();
        free[slot] = Arithmetic.SATURATING.subtract(allocatable.pods(), node.podCount());
        milliCpu[slot] = rules.milliCpu(node);
        memory[slot] = rules.memory(node);
        storage[slot] = rules.ephemeralStorage(node);
        nonZeroMilliCpu[slot] = rules.nonZeroMilliCpu(node);
        nonZeroMemory[slot] = rules.nonZeroMemory(node);
    }

    /** Allocatable CPU. */
    public long allocatableMilliCpu(int slot) {
        return allocatableMilliCpu[slot];
    }

    /** Allocatable memory. */
    public long allocatableMemory(int slot) {
        return allocatableMemory[slot];
    }

    /** Allocatable ephemeral storage. */
    public long allocatableStorage(int slot) {
        return allocatableStorage[slot];
    }

    /** How many more pods the node can run; may be negative. */
    public long free(int slot) {
        return free[slot];
    }

    /** The CPU requests of pods; may exceed allocatable. */
    public long milliCpu(int slot) {
        return milliCpu[slot];
    }

    /** The memory requests of pods. */
    public long memory(int slot) {
        return memory[slot];
    }

    /** The ephemeral storage requests of pods. */
    public long storage(int slot) {
        return storage[slot];
    }

    /** {@link #milliCpu} with the default for containers without a request; for scoring. */
    public long nonZeroMilliCpu(int slot) {
        return nonZeroMilliCpu[slot];
    }

    /** {@link #memory} with the default for containers without a request; for scoring. */
    public long nonZeroMemory(int slot) {
        return nonZeroMemory[slot];
    }
}
