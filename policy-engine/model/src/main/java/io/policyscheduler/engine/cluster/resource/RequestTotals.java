package io.policyscheduler.engine.cluster.resource;

import java.util.TreeMap;

/**
 * The total requests of the pods of a node, with one set of rules. Sums beyond 64 bits are clamped, unless an {@link Arithmetic} is
 * given. Changed only by its {@code NodeInfo}.
 */
public final class RequestTotals {
    private final ExactSum milliCpu;
    private final ExactSum memory;
    private final ExactSum ephemeralStorage;
    private final ExactSum nonZeroMilliCpu;
    private final ExactSum nonZeroMemory;
    private final TreeMap<String, ExactSum> scalars;

    // Read for every node and pod; stored here to save a dereference.
    private long cpuNow;
    private long memoryNow;
    private long storageNow;
    private long nonZeroCpuNow;
    private long nonZeroMemoryNow;

    public RequestTotals() {
        this.milliCpu = new ExactSum();
        this.memory = new ExactSum();
        this.ephemeralStorage = new ExactSum();
        this.nonZeroMilliCpu = new ExactSum();
        this.nonZeroMemory = new ExactSum();
        this.scalars = new TreeMap<>();
    }

    public RequestTotals(RequestTotals other) {
        this.milliCpu = new ExactSum(other.milliCpu);
        this.memory = new ExactSum(other.memory);
        this.ephemeralStorage = new ExactSum(other.ephemeralStorage);
        this.nonZeroMilliCpu = new ExactSum(other.nonZeroMilliCpu);
        this.nonZeroMemory = new ExactSum(other.nonZeroMemory);
        this.scalars = new TreeMap<>();
        other.scalars.forEach((name, sum) -> scalars.put(name, new ExactSum(sum)));
        refresh();
    }

    /** Adds a pod. */
    public void add(ResourceVector request, long podMilliCpu, long podMemory) {
        milliCpu.add(request.milliCpu());
        memory.add(request.memory());
        ephemeralStorage.add(request.ephemeralStorage());
        for (int i = 0; i < request.scalarCount(); i++) {
            ofScalar(request.scalarName(i)).add(request.scalarAmount(i));
        }
        nonZeroMilliCpu.add(podMilliCpu);
        nonZeroMemory.add(podMemory);
        refresh();
    }

    /** Subtracts a pod. */
    public void subtract(ResourceVector request, long podMilliCpu, long podMemory) {
        milliCpu.subtract(request.milliCpu());
        memory.subtract(request.memory());
        ephemeralStorage.subtract(request.ephemeralStorage());
        for (int i = 0; i < request.scalarCount(); i++) {
            ofScalar(request.scalarName(i)).subtract(request.scalarAmount(i));
        }
        nonZeroMilliCpu.subtract(podMilliCpu);
        nonZeroMemory.subtract(podMemory);
        refresh();
    }

    private void refresh() {
        cpuNow = milliCpu.value(Arithmetic.SATURATING);
        memoryNow = memory.value(Arithmetic.SATURATING);
        storageNow = ephemeralStorage.value(Arithmetic.SATURATING);
        nonZeroCpuNow = nonZeroMilliCpu.value(Arithmetic.SATURATING);
        nonZeroMemoryNow = nonZeroMemory.value(Arithmetic.SATURATING);
    }

    private ExactSum ofScalar(String name) {
        ExactSum sum = scalars.get(name);
        if (sum == null) {
            sum = new ExactSum();
            scalars.put(name, sum);
        }
        return sum;
    }

    /** CPU, milli-CPU; may exceed allocatable. */
    public long milliCpu() {
        return milliCpu(Arithmetic.SATURATING);
    }

    /** The same with this arithmetic. */
    public long milliCpu(Arithmetic arithmetic) {
        return arithmetic == Arithmetic.SATURATING ? cpuNow : milliCpu.value(arithmetic);
    }

    /** Memory, bytes. */
    public long memory() {
        return memory(Arithmetic.SATURATING);
    }

    /** The same with this arithmetic. */
    public long memory(Arithmetic arithmetic) {
        return arithmetic == Arithmetic.SATURATING ? memoryNow : memory.value(arithmetic);
    }

    /** Ephemeral storage, bytes. */
    public long ephemeralStorage() {
        return ephemeralStorage(Arithmetic.SATURATING);
    }

    /** The same with this arithmetic. */
    public long ephemeralStorage(Arithmetic arithmetic) {
        return arithmetic == Arithmetic.SATURATING ? storageNow : ephemeralStorage.value(arithmetic);
    }

    /** The amount of a scalar resource; 0 if no pod requests it. */
    public long scalar(String resource) {
        return scalar(resource, Arithmetic.SATURATING);
    }

    /** The same with this arithmetic. */
    public long scalar(String resource, Arithmetic arithmetic) {
        ExactSum sum = scalars.isEmpty() ? null : scalars.get(resource);
        return sum == null ? 0 : sum.value(arithmetic);
    }

    /** CPU with the default for containers without a request, milli-CPU; for scoring. */
    public long nonZeroMilliCpu() {
        return nonZeroMilliCpu(Arithmetic.SATURATING);
    }

    /** The same with this arithmetic. */
    public long nonZeroMilliCpu(Arithmetic arithmetic) {
        return arithmetic == Arithmetic.SATURATING ? nonZeroCpuNow : nonZeroMilliCpu.value(arithmetic);
    }

    /** Memory with the default for containers without a request, bytes; for scoring. */
    public long nonZeroMemory() {
        return nonZeroMemory(Arithmetic.SATURATING);
    }

    /** The same with this arithmetic. */
    public long nonZeroMemory(Arithmetic arithmetic) {
        return arithmetic == Arithmetic.SATURATING ? nonZeroMemoryNow : nonZeroMemory.value(arithmetic);
    }

    /** An exact sum, so that added amounts can be subtracted again. Its 128 bits are sufficient for any number of pods. */
    static final class ExactSum {
        private long high;
        private long low;

        ExactSum() {}

        ExactSum(ExactSum other) {
            this.high = other.high;
            this.low = other.low;
        }

        void add(long amount) {
            low += amount;
            high += (amount >> (Long.SIZE - 1)) + (Long.compareUnsigned(low, amount) < 0 ? 1 : 0);
        }

        void subtract(long amount) {
            high -= (amount >> (Long.SIZE - 1)) + (Long.compareUnsigned(low, amount) < 0 ? 1 : 0);
            low -= amount;
        }

        /** The sum, clamped or wrapped to 64 bits. */
        long value(Arithmetic arithmetic) {
            if (arithmetic == Arithmetic.WRAPPING || high == low >> (Long.SIZE - 1)) {
                return low;
            }
            return high < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
