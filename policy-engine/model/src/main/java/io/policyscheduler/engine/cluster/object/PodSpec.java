package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a pod that pods of one template share. Readers intern equal specs, so that pods with the same spec and labels can
 * share results.
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
 * @param qosClass Guaranteed, Burstable or BestEffort, computed from requests and limits; empty if unknown
 * @param imageVolumes {@code spec.volumes[].image.reference} in order
 * @param requiredFeatures the names of {@code Node.status.declaredFeatures} that the pod requires, sorted
 * @param grouped whether the pod has a {@code spec.schedulingGroup}, which is not supported
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
    /** An empty spec, for a pod whose spec is unknown. */
    public static final PodSpec EMPTY = new PodSpec(
            "",
            null,
            "",
            Labels.EMPTY,
            Affinity.NONE,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            new PodResources(ResourceVector.ZERO, 0, 0, 0, 0, 0, 0, List.of()),
            List.of(),
            List.of(),
            List.of(),
            "",
            "",
            List.of(),
            List.of(),
            false);

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

    /** A builder of a copy. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds a copy with changed fields. */
    public static final class Builder {
        private final PodSpec original;
        private Labels nodeSelector;
        private Affinity affinity;
        private List<Toleration> tolerations;
        private List<TopologySpreadConstraint> spreadConstraints;
        private List<Volume> volumes;

        private Builder(PodSpec original) {
            this.original = original;
            nodeSelector = original.nodeSelector;
            affinity = original.affinity;
            tolerations = original.tolerations;
            spreadConstraints = original.spreadConstraints;
            volumes = original.volumes;
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
                    original.schedulerName,
                    original.priority,
                    original.preemptionPolicy,
                    nodeSelector,
                    affinity,
                    tolerations,
                    spreadConstraints,
                    volumes,
                    original.containers,
                    original.resources,
                    original.schedulingGates,
                    original.resourceClaims,
                    original.podVolumes,
                    original.serviceAccount,
                    original.qosClass,
                    original.imageVolumes,
                    original.requiredFeatures,
                    original.grouped);
        }
    }

    /**
     * A toleration of a pod; empty strings mean absent fields. Mirrors {@code Toleration.ToleratesTaint} of
     * {@code staging/src/k8s.io/api/core/v1/toleration.go}; {@code tolerationSeconds} has no effect on scheduling.
     */
    public record Toleration(String key, String operator, String value, String effect) {
        /** Whether this toleration tolerates {@code taint}. */
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
     * An entry of a pod's {@code spec.resourceClaims}.
     *
     * @param name unique in the pod
     * @param claimName name of an existing claim; null when absent
     * @param templateName name of the template for a claim of this pod; null when absent
     */
    public record PodClaim(
            String name,
            @Nullable String claimName,
            @Nullable String templateName) {
        /**
         * An entry of {@code status.resourceClaimStatuses}: the name of a created claim.
         *
         * @param name of the entry in the spec
         * @param claimName null if no claim is needed
         */
        public record Made(String name, @Nullable String claimName) {}
    }

    /**
     * An entry of {@code spec.volumes}, of any kind. {@link Volume} has the fields that affect scheduling.
     *
     * @param name {@value #TOKEN} for the API server's own token volumes: their names differ between pods, and pods with the same
     *     spec share it
     * @param kind the field with the source, such as {@code configMap}; empty if there is none
     * @param claimName of a {@code persistentVolumeClaim}, else empty
     */
    public record PodVolume(String name, String kind, String claimName) {
        /** The name of the volumes that the API server adds to every pod, without the generated suffix. */
        public static final String TOKEN = "kube-api-access";

        private static final int MADE_UP = 5;

        /** A volume with its name in a pod. */
        public static PodVolume of(String name, String kind, String claimName) {
            boolean isToken = kind.equals("projected")
                    && name.startsWith(TOKEN + "-")
                    && name.length() == TOKEN.length() + 1 + MADE_UP;
            return new PodVolume(isToken ? TOKEN : name, kind, claimName);
        }
    }

    /**
     * A container of a pod.
     *
     * @param image as written, not normalized
     * @param init true for an init container
     * @param sidecar true for an init container with {@code restartPolicy: Always}; v1.17 has none
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

        /** A container with host ports only. */
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

        /** A container with host ports only that is not a sidecar. */
        public Container(String name, String image, boolean init, List<HostPort> hostPorts) {
            this(name, image, init, false, hostPorts);
        }

        /** True if it runs as long as the pod does. */
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
     * @param selector of counted pods; null matches nothing
     * @param minDomains the minimum number of domains; null when absent. v1.17 ignores this and the following fields
     * @param nodeAffinityPolicy {@code Honor} or {@code Ignore}; empty means Honor
     * @param nodeTaintsPolicy likewise; empty means Ignore
     * @param matchLabelKeys keys of labels whose values counted pods must share
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

        /** A constraint with the fields of v1.17. */
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
