package io.policyscheduler.engine.cluster.resource;

import java.util.List;

/**
 * What a pod asks for, worked out once when it is read.
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
}
