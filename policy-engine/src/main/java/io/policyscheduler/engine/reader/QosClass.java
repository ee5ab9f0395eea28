package io.policyscheduler.engine.reader;

import java.util.List;

/**
 * The quality of service of a pod, which follows from what its containers ask for. Requests that are missing are what the limits say,
 * as when a pod is created. Mirrors {@code ComputePodQOS} of {@code pkg/apis/core/v1/helper/qos/qos.go}.
 */
final class QosClass {
    private boolean guaranteed = true;
    private final long[] requests = {0, 0};
    private final long[] limits = {0, 0};

    private QosClass() {}

    /** That of containers and init containers; lists that the pod has as a whole stand alone. */
    static String of(List<ContainerDraft> containers, List<ContainerDraft> initContainers) {
        QosClass found = new QosClass();
        containers.forEach(container -> found.add(container.requests, container.limits));
        initContainers.forEach(container -> found.add(container.requests, container.limits));
        return found.text();
    }

    /** That of a pod that asks as a whole. */
    static String of(ResourceList podRequests, ResourceList podLimits) {
        QosClass found = new QosClass();
        found.add(podRequests, podLimits);
        return found.text();
    }

    private void add(ResourceList request, ResourceList limit) {
        add(0, request.hasCpu ? request.milliCpu : limit.milliCpu, limit.milliCpu);
        add(1, request.hasMemory ? request.memory : limit.memory, limit.memory);
    }

    private void add(int resource, long request, long limit) {
        requests[resource] += Math.max(0, request);
        limits[resource] += Math.max(0, limit);
        guaranteed &= limit > 0;
    }

    private String text() {
        if (requests[0] == 0 && requests[1] == 0 && limits[0] == 0 && limits[1] == 0) {
            return "BestEffort";
        }
        return guaranteed && requests[0] == limits[0] && requests[1] == limits[1] ? "Guaranteed" : "Burstable";
    }
}
