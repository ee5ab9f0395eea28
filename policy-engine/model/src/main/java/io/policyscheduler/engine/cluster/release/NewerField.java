package io.policyscheduler.engine.cluster.release;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The fields of objects that are newer than v1.17 and affect scheduling: one row per field, or group of fields. The releases are
 * the first ones whose API server keeps the field by default; earlier ones drop it.
 */
public enum NewerField {
    /** Topology spreading is part of every cluster since 1.18 (beta). */
    TOPOLOGY_SPREAD(
            "topologySpreadConstraints", "spec.topologySpreadConstraints", 18, 19, Effect.MANDATORY, "EvenPodsSpread"),
    OVERHEAD("overhead", "spec.overhead", 18, 24, Effect.REQUESTS, ""),
    PREEMPTION_POLICY("preemptionPolicy", "spec.preemptionPolicy", 19, 24, Effect.PREEMPTION, ""),
    EPHEMERAL_VOLUMES("ephemeralVolumes", "spec.volumes[].ephemeral", 21, 23, Effect.GROWN, "CheckVolumeBinding"),
    STORAGE_CAPACITY("storageCapacity", "CSIDriver spec.storageCapacity", 21, 24, Effect.GROWN, "CheckVolumeBinding"),
    NAMESPACE_SELECTOR(
            "namespaceSelector",
            "spec.affinity.pod*Affinity.*.namespaceSelector",
            22,
            24,
            Effect.GROWN,
            "MatchInterPodAffinity"),
    NODE_INCLUSION_POLICIES(
            "nodeInclusionPolicies",
            "spec.topologySpreadConstraints[].nodeAffinityPolicy, nodeTaintsPolicy",
            26,
            33,
            Effect.GROWN,
            "EvenPodsSpread"),
    MIN_DOMAINS("minDomains", "spec.topologySpreadConstraints[].minDomains", 27, 30, Effect.GROWN, "EvenPodsSpread"),
    SPREAD_MATCH_LABEL_KEYS(
            "matchLabelKeys",
            "spec.topologySpreadConstraints[].matchLabelKeys",
            27,
            Integer.MAX_VALUE,
            Effect.GROWN,
            "EvenPodsSpread"),
    SCHEDULING_GATES("schedulingGates", "spec.schedulingGates", 27, 30, Effect.WAITS, "SchedulingGates"),
    READ_WRITE_ONCE_POD(
            "readWriteOncePod", "PersistentVolumeClaim spec.accessModes", 27, 29, Effect.GROWN, "NoDiskConflict"),
    SIDECARS("sidecars", "spec.initContainers[].restartPolicy", 29, 33, Effect.REQUESTS, ""),
    AFFINITY_LABEL_KEYS(
            "affinityLabelKeys",
            "spec.affinity.pod*Affinity.*.matchLabelKeys, mismatchLabelKeys",
            31,
            33,
            Effect.GROWN,
            "MatchInterPodAffinity"),
    RESIZE("resize", "status.containerStatuses[].resources", 33, Integer.MAX_VALUE, Effect.REQUESTS, ""),
    POD_RESOURCES("podResources", "spec.resources", 34, Integer.MAX_VALUE, Effect.REQUESTS, ""),
    RESOURCE_CLAIMS("resourceClaims", "spec.resourceClaims", 34, 34, Effect.MANDATORY, "DynamicResources"),
    VOLUME_ATTRIBUTES_CLASS(
            "volumeAttributesClass",
            "PersistentVolumeClaim spec.volumeAttributesClassName",
            34,
            34,
            Effect.GROWN,
            "CheckVolumeBinding"),
    DECLARED_FEATURES(
            "declaredFeatures",
            "Node status.declaredFeatures",
            36,
            Integer.MAX_VALUE,
            Effect.MANDATORY,
            "NodeDeclaredFeatures"),
    POD_LEVEL_RESIZE(
            "podLevelResize",
            "status.resources, status.allocatedResources",
            36,
            Integer.MAX_VALUE,
            Effect.REQUESTS,
            "");

    /** The effect of a field with a policy. */
    public enum Effect {
        /** Counts in the requests of a pod, in every algorithm that reads them. */
        REQUESTS,
        /** A predicate that was added with the field reads it, with every policy. */
        MANDATORY,
        /** The pod is gated until the field is removed. */
        WAITS,
        /** The algorithm that reads objects of this kind reads the field too, if the policy lists that algorithm. */
        GROWN,
        /** Affects preemption. */
        PREEMPTION
    }

    private final String key;
    private final String path;
    private final int served;
    private final int stable;
    private final Effect effect;
    private final String algorithm;

    NewerField(String key, String path, int served, int stable, Effect effect, String algorithm) {
        this.key = key;
        this.path = path;
        this.served = served;
        this.stable = stable;
        this.effect = effect;
        this.algorithm = algorithm;
    }

    /** The field with this key. */
    public static Optional<NewerField> find(String key) {
        return Arrays.stream(values()).filter(field -> field.key.equals(key)).findFirst();
    }

    /** The keys of all fields, in the order of releases. */
    public static List<String> keys() {
        return Arrays.stream(values()).map(NewerField::key).collect(ImmutableList.toImmutableList());
    }

    /** The name for users. */
    public String key() {
        return key;
    }

    /** The path, in a pod unless it contains another kind. */
    public String path() {
        return path;
    }

    /** The feature gate of the API server that enables the field, until the gate is removed. */
    public String featureGate() {
        return switch (this) {
            case TOPOLOGY_SPREAD -> "EvenPodsSpread";
            case OVERHEAD -> "PodOverhead";
            case PREEMPTION_POLICY -> "NonPreemptingPriority";
            case EPHEMERAL_VOLUMES -> "GenericEphemeralVolume";
            case STORAGE_CAPACITY -> "CSIStorageCapacity";
            case NAMESPACE_SELECTOR -> "PodAffinityNamespaceSelector";
            case NODE_INCLUSION_POLICIES -> "NodeInclusionPolicyInPodTopologySpread";
            case MIN_DOMAINS -> "MinDomainsInPodTopologySpread";
            case SPREAD_MATCH_LABEL_KEYS -> "MatchLabelKeysInPodTopologySpread";
            case SCHEDULING_GATES -> "PodSchedulingReadiness";
            case READ_WRITE_ONCE_POD -> "ReadWriteOncePod";
            case SIDECARS -> "SidecarContainers";
            case AFFINITY_LABEL_KEYS -> "MatchLabelKeysInPodAffinity";
            case RESIZE -> "InPlacePodVerticalScaling";
            case POD_RESOURCES -> "PodLevelResources";
            case RESOURCE_CLAIMS -> "DynamicResourceAllocation";
            case VOLUME_ATTRIBUTES_CLASS -> "VolumeAttributesClass";
            case DECLARED_FEATURES -> "NodeDeclaredFeatures";
            case POD_LEVEL_RESIZE -> "InPlacePodLevelResourcesVerticalScaling";
        };
    }

    /** The first release whose API server keeps it by default. */
    public Release served() {
        return new Release(served);
    }

    /** Its effect. */
    public Effect effect() {
        return effect;
    }

    /** The predicate that reads it, by its name in a policy; empty if all algorithms read it. */
    public String algorithm() {
        return algorithm;
    }

    /** For users: {@code since 1.19: topologySpreadConstraints}, or with {@code (beta)} in a cluster where it is beta. */
    public String describe(Release release) {
        return since(release) + ": " + key;
    }

    /** For users: {@code since 1.19}, or {@code since 1.18 (beta)} in a cluster where it is beta. */
    public String since(Release release) {
        boolean beta = !release.atLeast(stable);
        return "since 1." + (beta ? served : stable) + (beta ? " (beta)" : "");
    }
}
