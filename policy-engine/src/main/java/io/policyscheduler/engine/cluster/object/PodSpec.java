package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a pod that its siblings of the same template share; equal specs are one object after reading, so that two
 * pods with the same spec and labels can share results.
 *
 * @param priority null when absent, which counts as 0
 * @param preemptionPolicy empty when absent
 * @param nodeSelector empty when absent
 * @param volumes in spec order
 * @param containers regular containers in order, then init containers
 * @param schedulingGates names; empty when none
 * @param resourceClaims names of {@code spec.resourceClaims}; empty when none
 */
public record PodSpec(
        String schedulerName,
        @Nullable Integer priority,
        String preemptionPolicy,
        Labels nodeSelector,
        Affinity affinity,
        List<Toleration> tolerations,
        List<TopologySpreadConstraint> spreadConstraints,
        List<Volume> volumes,
        List<Container> containers,
        PodResources resources,
        List<String> schedulingGates,
        List<String> resourceClaims) {
    public PodSpec {
        tolerations = List.copyOf(tolerations);
        spreadConstraints = List.copyOf(spreadConstraints);
        volumes = List.copyOf(volumes);
        containers = List.copyOf(containers);
        schedulingGates = List.copyOf(schedulingGates);
        resourceClaims = List.copyOf(resourceClaims);
    }

    /** A spec without resource claims. */
    public PodSpec(
            String schedulerName,
            @Nullable Integer priority,
            String preemptionPolicy,
            Labels nodeSelector,
            Affinity affinity,
            List<Toleration> tolerations,
            List<TopologySpreadConstraint> spreadConstraints,
            List<Volume> volumes,
            List<Container> containers,
            PodResources resources,
            List<String> schedulingGates) {
        this(
                schedulerName,
                priority,
                preemptionPolicy,
                nodeSelector,
                affinity,
                tolerations,
                spreadConstraints,
                volumes,
                containers,
                resources,
                schedulingGates,
                List.of());
    }
}
