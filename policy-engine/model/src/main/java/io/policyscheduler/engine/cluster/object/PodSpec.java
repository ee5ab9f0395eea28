package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Map;
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
 * @param imageVolumes {@code spec.volumes[].image.reference} in order
 * @param requiredFeatures the names of {@code Node.status.declaredFeatures} that the pod needs, sorted
 * @param grouped whether {@code spec.schedulingGroup} makes the pod one of a group, which is not supported
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
        String qosClass,
        List<String> imageVolumes,
        List<String> requiredFeatures,
        boolean grouped) {
    public PodSpec {
        imageVolumes = List.copyOf(imageVolumes);
        requiredFeatures = List.copyOf(requiredFeatures);
        tolerations = List.copyOf(tolerations);
        spreadConstraints = List.copyOf(spreadConstraints);
        volumes = List.copyOf(volumes);
        containers = List.copyOf(containers);
        schedulingGates = List.copyOf(schedulingGates);
        resourceClaims = List.copyOf(resourceClaims);
        podVolumes = List.copyOf(podVolumes);
    }

    /** A spec of a pod that belongs to no group. */
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
            List<PodClaim> resourceClaims,
            List<PodVolume> podVolumes,
            String serviceAccount,
            String qosClass,
            List<String> imageVolumes,
            List<String> requiredFeatures) {
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
                podVolumes,
                serviceAccount,
                qosClass,
                imageVolumes,
                requiredFeatures,
                false);
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
                "",
                List.of(),
                List.of());
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
        private List<String> imageVolumes;
        private List<String> requiredFeatures;
        private final boolean grouped;

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
            imageVolumes = original.imageVolumes;
            requiredFeatures = original.requiredFeatures;
            grouped = original.grouped;
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
                    qosClass,
                    imageVolumes,
                    requiredFeatures,
                    grouped);
        }
    }

    /**
     * A pod toleration; empty strings stand for absent fields. Mirrors {@code Toleration.ToleratesTaint} of
     * {@code staging/src/k8s.io/api/core/v1/toleration.go}; {@code tolerationSeconds} plays no part in scheduling.
     */
    public record Toleration(String key, String operator, String value, String effect) {
        /** True when this toleration lets a pod accept {@code taint}. */
        public boolean tolerates(Taint taint) {
            if (!effect.isEmpty() && !effect.equals(taint.effect())) {
                return false;
            }
            if (!key.isEmpty() && !key.equals(taint.key())) {
                return false;
            }
            return switch (operator) {
                case "Exists" -> true;
                case "", "Equal" -> value.equals(taint.value());
                default -> false;
            };
        }

        /** True when some toleration of the list tolerates {@code taint}. */
        public static boolean anyTolerates(Iterable<Toleration> tolerations, Taint taint) {
            for (Toleration toleration : tolerations) {
                if (toleration.tolerates(taint)) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * An entry of a pod's {@code spec.resourceClaims}: which claim the pod wants.
     *
     * @param name unique in the pod
     * @param claimName of a claim that is there by itself; null when absent
     * @param templateName of the template that a claim is made from for this pod alone; null when absent
     */
    public record PodClaim(
            String name,
            @Nullable String claimName,
            @Nullable String templateName) {
        /**
         * An entry of {@code status.resourceClaimStatuses}: which claim was made.
         *
         * @param name of the entry in the spec
         * @param claimName null when no claim is needed
         */
        public record Made(String name, @Nullable String claimName) {}
    }

    /**
     * An entry of {@code spec.volumes}, of any kind. What the placement of volumes looks at is a {@link Volume}.
     *
     * @param name the API server's own volumes for tokens are all {@value #TOKEN}: their names differ from pod to pod, and pods with the
     *     same spec share it
     * @param kind the field that says what it is, such as {@code configMap}; empty when there is none
     * @param claimName of a {@code persistentVolumeClaim}, else empty
     */
    public record PodVolume(String name, String kind, String claimName) {
        /** Name of the volumes that the API server adds to every pod, without what it makes up for each. */
        public static final String TOKEN = "kube-api-access";

        private static final int MADE_UP = 5;

        /** A volume with this name as it stands in a pod. */
        public static PodVolume of(String name, String kind, String claimName) {
            boolean isToken = kind.equals("projected")
                    && name.startsWith(TOKEN + "-")
                    && name.length() == TOKEN.length() + 1 + MADE_UP;
            return new PodVolume(isToken ? TOKEN : name, kind, claimName);
        }

        /** Those of a pod of which no more is known than what placement looks at. */
        static List<PodVolume> of(List<Volume> volumes) {
            return volumes.stream().map(PodVolume::of).toList();
        }

        private static PodVolume of(Volume volume) {
            return switch (volume.kind()) {
                case CLAIM -> new PodVolume("", "persistentVolumeClaim", volume.id());
                case EPHEMERAL -> new PodVolume(volume.id(), "ephemeral", "");
                case GCE_PD -> new PodVolume("", "gcePersistentDisk", "");
                case AWS_EBS -> new PodVolume("", "awsElasticBlockStore", "");
                case ISCSI -> new PodVolume("", "iscsi", "");
                case RBD -> new PodVolume("", "rbd", "");
                case AZURE_DISK -> new PodVolume("", "azureDisk", "");
                case AZURE_FILE -> new PodVolume("", "azureFile", "");
                case CINDER -> new PodVolume("", "cinder", "");
                case PORTWORX -> new PodVolume("", "portworxVolume", "");
                case CSI -> new PodVolume("", "csi", "");
                case OTHER -> new PodVolume("", "", "");
            };
        }
    }

    /**
     * A container of a pod.
     *
     * @param image as written, not normalised
     * @param init true for an init container
     * @param sidecar true for an init container with {@code restartPolicy: Always}, which goes on running; v1.17 knows none
     * @param hostPorts host ports above 0
     * @param ports all ports in order
     * @param requests all requested resources by name, in whole units, if some of them are extended resources; otherwise empty
     */
    public record Container(
            String name,
            String image,
            boolean init,
            boolean sidecar,
            List<HostPort> hostPorts,
            List<ContainerPort> ports,
            Map<String, Long> requests) {
        public Container {
            hostPorts = List.copyOf(hostPorts);
            ports = List.copyOf(ports);
            requests = ImmutableSortedMap.copyOf(requests);
        }

        /** A container without extended resources. */
        public Container(
                String name,
                String image,
                boolean init,
                boolean sidecar,
                List<HostPort> hostPorts,
                List<ContainerPort> ports) {
            this(name, image, init, sidecar, hostPorts, ports, Map.of());
        }

        /** A container of whose ports only the host's are known. */
        public Container(String name, String image, boolean init, boolean sidecar, List<HostPort> hostPorts) {
            this(
                    name,
                    image,
                    init,
                    sidecar,
                    hostPorts,
                    hostPorts.stream()
                            .map(host -> new ContainerPort("", 0, host.port(), host.protocol()))
                            .toList());
        }

        /** A container that is no sidecar, of whose ports only the host's are known. */
        public Container(String name, String image, boolean init, List<HostPort> hostPorts) {
            this(name, image, init, false, hostPorts);
        }

        /** True when it runs as long as the pod does. */
        public boolean runsOn() {
            return !init || sidecar;
        }
    }

    /**
     * One topology spread constraint of a pod.
     *
     * @param maxSkew largest allowed difference, at least 1 in valid objects
     * @param topologyKey node label that groups nodes
     * @param whenUnsatisfiable {@code DoNotSchedule} or {@code ScheduleAnyway}
     * @param selector pods counted; null matches nothing
     * @param minDomains how many domains there should be; null when not said. v1.17 ignores this and what follows
     * @param nodeAffinityPolicy {@code Honor} or {@code Ignore}; empty when not said, which means Honor
     * @param nodeTaintsPolicy likewise; empty means Ignore
     * @param matchLabelKeys labels of the pod that other pods must share to be counted
     */
    public record TopologySpreadConstraint(
            int maxSkew,
            String topologyKey,
            String whenUnsatisfiable,
            @Nullable LabelSelector selector,
            @Nullable Integer minDomains,
            String nodeAffinityPolicy,
            String nodeTaintsPolicy,
            List<String> matchLabelKeys) {
        public TopologySpreadConstraint {
            matchLabelKeys = List.copyOf(matchLabelKeys);
        }

        /** A constraint with what v1.17 knows of. */
        public TopologySpreadConstraint(
                int maxSkew, String topologyKey, String whenUnsatisfiable, @Nullable LabelSelector selector) {
            this(maxSkew, topologyKey, whenUnsatisfiable, selector, null, "", "", List.of());
        }

        /** Returns the constraint with another selector. */
        public TopologySpreadConstraint withSelector(@Nullable LabelSelector other) {
            return new TopologySpreadConstraint(
                    maxSkew,
                    topologyKey,
                    whenUnsatisfiable,
                    other,
                    minDomains,
                    nodeAffinityPolicy,
                    nodeTaintsPolicy,
                    matchLabelKeys);
        }

        /** True for {@code DoNotSchedule}. */
        public boolean isHard() {
            return whenUnsatisfiable.equals("DoNotSchedule");
        }

        /** True for {@code ScheduleAnyway}. */
        public boolean isSoft() {
            return whenUnsatisfiable.equals("ScheduleAnyway");
        }
    }
}
