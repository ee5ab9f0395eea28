package io.policyscheduler.engine.cluster;

import java.util.TreeMap;

/** What the pods of a node ask for together, by the rules of current releases. Changed only by its {@link NodeInfo}. */
public final class RequestTotals {
    private long milliCpu;
    private long memory;
    private long ephemeralStorage;
    private long nonZeroMilliCpu;
    private long nonZeroMemory;
    private final TreeMap<String, Long> scalars;

    RequestTotals() {
        this.scalars = new TreeMap<>();
    }

    RequestTotals(RequestTotals other) {
        this.milliCpu = other.milliCpu;
        this.memory = other.memory;
        this.ephemeralStorage = other.ephemeralStorage;
        this.nonZeroMilliCpu = other.nonZeroMilliCpu;
        this.nonZeroMemory = other.nonZeroMemory;
        this.scalars = new TreeMap<>(other.scalars);
    }

    void account(CurrentRequests requests, int sign) {
        ResourceVector placed = requests.placed();
        milliCpu += sign * placed.milliCpu();
        memory += sign * placed.memory();
        ephemeralStorage += sign * placed.ephemeralStorage();
        for (int i = 0; i < placed.scalarCount(); i++) {
            scalars.merge(placed.scalarName(i), sign * placed.scalarAmount(i), Long::sum);
        }
        nonZeroMilliCpu += sign * requests.placedMilliCpu();
        nonZeroMemory += sign * requests.placedMemory();
    }

    /** CPU, milli-CPU; may exceed allocatable. */
    public long milliCpu() {
        return milliCpu;
    }

    /** Memory, bytes. */
    public long memory() {
        return memory;
    }

    /** Ephemeral storage, bytes. */
    public long ephemeralStorage() {
        return ephemeralStorage;
    }

    /** Amount of a scalar resource; 0 when nobody asks for it. */
    public long scalar(String resource) {
        return scalars.isEmpty() ? 0 : scalars.getOrDefault(resource, 0L);
    }

    /** CPU with the default for containers that name none, milli-CPU; for scoring. */
    public long nonZeroMilliCpu() {
        return nonZeroMilliCpu;
    }

    /** Memory with the default for containers that name none, bytes; for scoring. */
    public long nonZeroMemory() {
        return nonZeroMemory;
    }
}
