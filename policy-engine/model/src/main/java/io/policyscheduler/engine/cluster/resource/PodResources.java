package io.policyscheduler.engine.cluster.resource;

import java.util.List;

/**
 * The requests of a pod, computed once when the pod is read.
 *
 * @param request per resource max(sum of containers, each init container), plus overhead with the gate PodOverhead; milli-CPU and
 *     bytes
 * @param nonZeroMilliCpu the same for CPU with 100 for a container without a request; the amount that counts on the node for
 *     scoring
 * @param nonZeroMemory likewise with 209715200 bytes
 * @param scoringMilliCpu CPU of the incoming pod for scoring: v1.17 adds a CPU overhead rounded up to whole cores, as if they were
 *     milli-CPU
 * @param scoringMemory memory of the incoming pod for scoring
 * @param limitMilliCpu max(sum of containers, init containers) of the limits; 0 when none
 * @param limitMemory likewise, bytes
 * @param current the same by the rules of current releases
 * @param named sorted names of all resources in requests or limits of containers
 */
public record PodResources(
        ResourceVector request,
        long nonZeroMilliCpu,
        long nonZeroMemory,
        long scoringMilliCpu,
        long scoringMemory,
        long limitMilliCpu,
        long limitMemory,
        CurrentRequests current,
        List<String> named) {
    /** CPU counted for a container that requests none, milli-CPU. */
    public static final long DEFAULT_MILLI_CPU = 100;
    /** Memory counted for a container that requests none, bytes. */
    public static final long DEFAULT_MEMORY = 200L * 1024 * 1024;

    public PodResources {
        named = List.copyOf(named);
    }

    /** Resources of a pod without features that are newer than v1.17. */
    public PodResources(
            ResourceVector request,
            long nonZeroMilliCpu,
            long nonZeroMemory,
            long scoringMilliCpu,
            long scoringMemory,
            long limitMilliCpu,
            long limitMemory,
            List<String> named) {
        this(
                request,
                nonZeroMilliCpu,
                nonZeroMemory,
                scoringMilliCpu,
                scoringMemory,
                limitMilliCpu,
                limitMemory,
                CurrentRequests.of(request, nonZeroMilliCpu, nonZeroMemory),
                named);
    }

    /**
     * A port of a container.
     *
     * @param name empty when absent
     * @param containerPort 0 when absent
     * @param hostPort 0 when absent
     * @param protocol TCP when absent
     */
    public record ContainerPort(String name, int containerPort, int hostPort, String protocol) {}

    /**
     * The requests of a pod with the rules of current releases: sidecars, pod-level resources and in-place resizing count, and
     * exact amounts are added up before rounding. Mirrors {@code staging/src/k8s.io/component-helpers/resource/helpers.go}.
     *
     * @param filter the requirement for nodes, without the resize status
     * @param scoring the same without pod-level resources, for NodeResourcesFit
     * @param scoringMilliCpu CPU of {@code scoring} with 100 for a container without a request
     * @param scoringMemory memory of {@code scoring} with 209715200 bytes for a container without a request
     * @param placed the amount that counts on the node, including the resize status
     * @param placedMilliCpu CPU of {@code placed} with the default
     * @param placedMemory memory of {@code placed} with the default
     * @param overheadMilliCpu the part of {@code scoringMilliCpu} that is the overhead of the pod; only in releases before 1.27
     * @param overheadMemory likewise for {@code scoringMemory}
     */
    public record CurrentRequests(
            ResourceVector filter,
            ResourceVector scoring,
            long scoringMilliCpu,
            long scoringMemory,
            ResourceVector placed,
            long placedMilliCpu,
            long placedMemory,
            long overheadMilliCpu,
            long overheadMemory) {
        /** Requests without separate overhead. */
        public CurrentRequests(
                ResourceVector filter,
                ResourceVector scoring,
                long scoringMilliCpu,
                long scoringMemory,
                ResourceVector placed,
                long placedMilliCpu,
                long placedMemory) {
            this(filter, scoring, scoringMilliCpu, scoringMemory, placed, placedMilliCpu, placedMemory, 0, 0);
        }

        /** The requests of a pod without any of the newer features. */
        public static CurrentRequests of(ResourceVector request, long nonZeroMilliCpu, long nonZeroMemory) {
            return new CurrentRequests(
                    request, request, nonZeroMilliCpu, nonZeroMemory, request, nonZeroMilliCpu, nonZeroMemory);
        }
    }

    /**
     * Computes the QoS class of a pod: of the requests and limits of all its containers, or of those of the pod itself if it has pod-level
     * resources. Mirrors {@code ComputePodQOS} of {@code pkg/apis/core/v1/helper/qos/qos.go}. Not thread-safe.
     */
    public static final class QosClass {
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
}
