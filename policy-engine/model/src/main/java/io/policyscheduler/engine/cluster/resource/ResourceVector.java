package io.policyscheduler.engine.cluster.resource;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Amounts of resources. CPU in milli-CPU, memory and ephemeral storage in bytes, pods as a count, and the <i>scalar</i>
 * resources (extended, hugepages, attachable volumes, prefixed native) in their own unit. A scalar that is present with amount 0
 * differs from one that is absent. Immutable. Mirrors {@code Resource} of {@code pkg/scheduler/nodeinfo/node_info.go}.
 */
public final class ResourceVector {
    /** All amounts are zero. */
    public static final ResourceVector ZERO = new ResourceVector(0, 0, 0, 0, new String[0], new long[0]);

    private final long milliCpu;
    private final long memory;
    private final long ephemeralStorage;
    private final long pods;
    private final String[] scalarNames;
    private final long[] scalarAmounts;

    private ResourceVector(
            long milliCpu, long memory, long ephemeralStorage, long pods, String[] scalarNames, long[] scalarAmounts) {
        this.milliCpu = milliCpu;
        this.memory = memory;
        this.ephemeralStorage = ephemeralStorage;
        this.pods = pods;
        this.scalarNames = scalarNames;
        this.scalarAmounts = scalarAmounts;
    }

    /** A vector of these amounts; {@code scalars} may be empty. */
    public static ResourceVector of(
            long milliCpu, long memory, long ephemeralStorage, long pods, Map<String, Long> scalars) {
        TreeMap<String, Long> sorted = new TreeMap<>(scalars);
        return new ResourceVector(
                milliCpu,
                memory,
                ephemeralStorage,
                pods,
                sorted.keySet().toArray(String[]::new),
                sorted.values().stream().mapToLong(Long::longValue).toArray());
    }

    /** CPU in thousandths of a core. */
    public long milliCpu() {
        return milliCpu;
    }

    /** Memory in bytes. */
    public long memory() {
        return memory;
    }

    /** Ephemeral storage in bytes. */
    public long ephemeralStorage() {
        return ephemeralStorage;
    }

    /** Number of pods; meaningful for allocatable only. */
    public long pods() {
        return pods;
    }

    /** Number of scalar resources that are present, with amount 0 included. */
    public int scalarCount() {
        return scalarNames.length;
    }

    /** Name of a scalar resource, in name order. */
    public String scalarName(int index) {
        return scalarNames[index];
    }

    /** Amount of a scalar resource, in name order. */
    public long scalarAmount(int index) {
        return scalarAmounts[index];
    }

    /** Amount of a scalar resource by name; 0 when absent. */
    public long scalar(String name) {
        int at = Arrays.binarySearch(scalarNames, name);
        return at < 0 ? 0 : scalarAmounts[at];
    }

    /** True when the scalar resource is present, even with amount 0. */
    public boolean hasScalar(String name) {
        return Arrays.binarySearch(scalarNames, name) >= 0;
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return this == o
                || (o instanceof ResourceVector v
                        && milliCpu == v.milliCpu
                        && memory == v.memory
                        && ephemeralStorage == v.ephemeralStorage
                        && pods == v.pods
                        && Arrays.equals(scalarNames, v.scalarNames)
                        && Arrays.equals(scalarAmounts, v.scalarAmounts));
    }

    @Override
    public int hashCode() {
        int h = Long.hashCode(milliCpu);
        h = 31 * h + Long.hashCode(memory);
        h = 31 * h + Long.hashCode(ephemeralStorage);
        h = 31 * h + Long.hashCode(pods);
        h = 31 * h + Arrays.hashCode(scalarNames);
        return 31 * h + Arrays.hashCode(scalarAmounts);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("cpu=" + milliCpu + "m memory=" + memory);
        if (ephemeralStorage != 0) {
            text.append(" ephemeral-storage=").append(ephemeralStorage);
        }
        if (pods != 0) {
            text.append(" pods=").append(pods);
        }
        for (int i = 0; i < scalarNames.length; i++) {
            text.append(' ').append(scalarNames[i]).append('=').append(scalarAmounts[i]);
        }
        return text.toString();
    }
}
