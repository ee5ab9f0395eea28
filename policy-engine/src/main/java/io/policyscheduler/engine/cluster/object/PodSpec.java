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
 * @param resourceClaims {@code spec.resourceClaims} in order; empty when none
 * @param podVolumes {@code spec.volumes} of all kinds, in order
 * @param serviceAccount empty when absent
 * @param qosClass Guaranteed, Burstable or BestEffort, as it follows from requests and limits; empty when not known
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
        List<PodClaim> resourceClaims,
        List<PodVolume> podVolumes,
        String serviceAccount,
        String qosClass) {
    public PodSpec {
        tolerations = List.copyOf(tolerations);
        spreadConstraints = List.copyOf(spreadConstraints);
        volumes = List.copyOf(volumes);
        containers = List.copyOf(containers);
        schedulingGates = List.copyOf(schedulingGates);
        resourceClaims = List.copyOf(resourceClaims);
        podVolumes = List.copyOf(podVolumes);
    }

    /** A spec of which nothing is known but what Kubernetes' own algorithms look at. */
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
            List<String> schedulingGates,
            List<PodClaim> resourceClaims) {
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
                resourceClaims,
                PodVolume.of(volumes),
                "",
                "");
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

    /** Starts a copy. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** A spec that differs from its original in what is set. */
    public static final class Builder {
        private String schedulerName;
        private @Nullable Integer priority;
        private String preemptionPolicy;
        private Labels nodeSelector;
        private Affinity affinity;
        private List<Toleration> tolerations;
        private List<TopologySpreadConstraint> spreadConstraints;
        private List<Volume> volumes;
        private List<Container> containers;
        private PodResources resources;
        private List<String> schedulingGates;
        private List<PodClaim> resourceClaims;
        private List<PodVolume> podVolumes;
        private String serviceAccount;
        private String qosClass;

        private Builder(PodSpec original) {
            schedulerName = original.schedulerName;
            priority = original.priority;
            preemptionPolicy = original.preemptionPolicy;
            nodeSelector = original.nodeSelector;
            affinity = original.affinity;
            tolerations = original.tolerations;
            spreadConstraints = original.spreadConstraints;
            volumes = original.volumes;
            containers = original.containers;
            resources = original.resources;
            schedulingGates = original.schedulingGates;
            resourceClaims = original.resourceClaims;
            podVolumes = original.podVolumes;
            serviceAccount = original.serviceAccount;
            qosClass = original.qosClass;
        }

        public Builder nodeSelector(Labels value) {
            nodeSelector = value;
            return this;
        }

        public Builder affinity(Affinity value) {
            affinity = value;
            return this;
        }

        public Builder tolerations(List<Toleration> value) {
            tolerations = value;
            return this;
        }

        public Builder spreadConstraints(List<TopologySpreadConstraint> value) {
            spreadConstraints = value;
            return this;
        }

        public Builder volumes(List<Volume> value) {
            volumes = value;
            return this;
        }

        public PodSpec build() {
            return new PodSpec(
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
                    resourceClaims,
                    podVolumes,
                    serviceAccount,
                    qosClass);
        }
    }
}
