package io.policyscheduler.engine.cluster.resource;

/**
 * Computes the QoS class of a pod: of the requests and limits of all its containers, or of those of the pod itself if it has pod-level
 * resources. Mirrors {@code ComputePodQOS} of {@code pkg/apis/core/v1/helper/qos/qos.go}. Not thread-safe.
 */
public final class QosClass {
    private boolean guaranteed = true;
    private final long[] requests = {0, 0};
    private final long[] limits = {0, 0};

    /**
     * Adds a container, or the pod-level resources. An absent amount is 0.
     *
     * @param cpuRequest in thousandths of a CPU, as {@code cpuLimit}
     * @param memoryRequest in bytes, as {@code memoryLimit}
     */
    public void add(long cpuRequest, long cpuLimit, long memoryRequest, long memoryLimit) {
        add(0, cpuRequest, cpuLimit);
        add(1, memoryRequest, memoryLimit);
    }

    private void add(int resource, long request, long limit) {
        requests[resource] += Math.max(0, request);
        limits[resource] += Math.max(0, limit);
        guaranteed &= limit > 0;
    }

    /** Returns {@code Guaranteed}, {@code Burstable}, or {@code BestEffort}. */
    public String text() {
        if (requests[0] == 0 && requests[1] == 0 && limits[0] == 0 && limits[1] == 0) {
            return "BestEffort";
        }
        return guaranteed && requests[0] == limits[0] && requests[1] == limits[1] ? "Guaranteed" : "Burstable";
    }
}
