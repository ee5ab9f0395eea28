package io.policyscheduler.engine.cluster.resource;

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
 */
public record CurrentRequests(
        ResourceVector filter,
        ResourceVector scoring,
        long scoringMilliCpu,
        long scoringMemory,
        ResourceVector placed,
        long placedMilliCpu,
        long placedMemory) {
    /** The requests of a pod without any of the newer features. */
    public static CurrentRequests of(ResourceVector request, long nonZeroMilliCpu, long nonZeroMemory) {
        return new CurrentRequests(
                request, request, nonZeroMilliCpu, nonZeroMemory, request, nonZeroMilliCpu, nonZeroMemory);
    }
}
