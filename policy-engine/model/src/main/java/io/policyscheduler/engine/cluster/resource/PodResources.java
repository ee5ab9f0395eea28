package io.policyscheduler.engine.cluster.resource;

import java.util.List;

/**
 * The requests of a pod, computed once when the pod is read.
 *
 * @param request per resource max(sum of containers, each init container), plus overhead where the gate PodOverhead is on;
 *     milli-CPU and bytes
 * @param nonZeroMilliCpu the same for CPU with 100 for a container that names none; what the pod adds to its node for scoring
 * @param nonZeroMemory likewise with 209715200 bytes
 * @param scoringMilliCpu CPU of the pod while it is being scored: v1.17 adds a CPU overhead rounded up to whole cores, as if
 *     they were milli-CPU
 * @param scoringMemory memory of the pod while it is being scored
 * @param limitMilliCpu max(sum of containers, init containers) of the limits; 0 when none
 * @param limitMemory likewise, bytes
 * @param current the same by the rules of current releases
 * @param named sorted names of all resources that some container mentions in requests or limits
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

    /** Resources of a pod that uses none of the features that came after v1.17. */
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
     * A port that a container names.
     *
     * @param name empty when absent
     * @param containerPort 0 when absent
     * @param hostPort 0 when the container asks for none
     * @param protocol TCP when absent
     */
    public record ContainerPort(String name, int containerPort, int hostPort, String protocol) {}

    /**
     * What a pod asks for by the rules of current releases: sidecars, pod-level resources and in-place resizing count, and exact
     * amounts are added up before they are rounded. Mirrors {@code staging/src/k8s.io/component-helpers/resource/helpers.go}.
     *
     * @param filter what must be free on a node: without what the status says of a resize
     * @param scoring the same without pod-level resources; what NodeResourcesFit scores with
     * @param scoringMilliCpu CPU of {@code scoring} with 100 for a container that names none
     * @param scoringMemory memory of {@code scoring} with 209715200 bytes for a container that names none
     * @param placed what the pod takes of its node, with what the status says of a resize
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
        /** Requests in which the overhead is not kept apart. */
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
}
