package io.policyscheduler.engine.cluster.release;

/**
 * The changes of kube-apiserver, kube-controller-manager, and kubelet after 1.17, each with the first release that has it. The
 * embedded cluster and the offline creation of objects follow this table. Changes of kube-scheduler are {@link SchedulerChange},
 * new fields of pods and volumes are {@link NewerField}, and the reasons of kubelets are {@link KubeletRejection}.
 *
 * <p>The messages of {@link #UPDATE_VALIDATION} and {@link #REJECTION_PREFIX} are recorded from 1.17 and 1.34 only. An embedded
 * cluster of a release between them has those of 1.17.
 */
public enum ComponentChange {
    /** kube-apiserver: each namespace has the label {@code kubernetes.io/metadata.name}. */
    NAMESPACE_NAME_LABEL(21),
    /** kube-apiserver: a service has {@code clusterIPs}. */
    CLUSTER_IPS(20),
    /** kube-apiserver: an update of a service without {@code clusterIP} keeps it; before, it was rejected. */
    KEPT_SERVICE_ADDRESS(21),
    /** kube-apiserver: a service has {@code ipFamilyPolicy} and {@code ipFamilies}. */
    IP_FAMILIES(21),
    /** kube-apiserver: a service has {@code internalTrafficPolicy}. */
    INTERNAL_TRAFFIC_POLICY(22),
    /** kube-apiserver: the rolling update of a DaemonSet has {@code maxSurge}. */
    DAEMON_SET_SURGE(22),
    /** kube-apiserver: a Job has {@code completionMode} and {@code suspend}. */
    JOB_COMPLETION_MODE(22),
    /** kube-apiserver: a StatefulSet has {@code persistentVolumeClaimRetentionPolicy}. */
    CLAIM_RETENTION_POLICY(27),
    /** kube-apiserver: a Job has {@code podReplacementPolicy}. */
    POD_REPLACEMENT_POLICY(29),
    /** kube-apiserver: the labels of a Job's pods also have the prefix {@code batch.kubernetes.io}. */
    JOB_LABEL_PREFIX(27),
    /** kube-apiserver: {@code manualSelector} of a Job is false, not absent. */
    MANUAL_SELECTOR_DEFAULT(34),
    /** kube-apiserver: a pod template without a valid {@code restartPolicy} is reported as a missing field. */
    RESTART_POLICY_IS_REQUIRED(20),
    /** kube-apiserver: a claim without a class gets the newest of several default classes; before, it was rejected. */
    NEWEST_DEFAULT_CLASS(26),
    /** kube-apiserver: the rejection of a request above its limit contains the limit. */
    LIMIT_IN_MESSAGE(27),
    /** kube-apiserver: the ports of templates with {@code hostNetwork} get no {@code hostPort}. */
    NO_HOST_PORTS_IN_TEMPLATES(28),
    /** kube-apiserver: a list at any resource version is as fresh as the storage. */
    CONSISTENT_LIST_FROM_CACHE(31),
    /** kube-apiserver: messages of validation print maps as JSON; before, as Go does. */
    MAPS_AS_JSON(33),
    /** kube-apiserver: pods have {@code metadata.generation}. */
    POD_GENERATION(33),
    /** kube-apiserver: the label keys of spread constraints become requirements of their selectors. */
    MERGED_SPREAD_KEYS(34),
    /** kube-apiserver: the messages about immutable volumes and claims name the field, as recorded from 1.20. */
    IMMUTABLE_FIELD_IN_MESSAGE(20),
    /** kube-apiserver: the validation of updates with the messages and exceptions recorded from 1.34. */
    UPDATE_VALIDATION(34),
    /** kube-apiserver: a pod gets the zone and the region of its node as labels. */
    POD_TOPOLOGY_LABELS(35),
    /** kube-apiserver: a bound pod has no {@code status.nominatedNodeName}. */
    NOMINATION_CLEARED_BY_BINDING(35),
    /**
     * kube-apiserver: the allocation of a claim may be changed only with a right to {@code resourceclaims/binding} (gate
     * DRAResourceClaimGranularStatusAuthorization).
     */
    CLAIM_BINDING_RIGHT(36),
    /** kube-controller-manager: a pod that is deleted with its node gets the condition {@code DisruptionTarget}. */
    DISRUPTION_CONDITION(26),
    /** kubelet: pods have the condition {@code PodReadyToStartContainers} and {@code status.hostIPs}. */
    START_CONDITION_AND_HOST_IPS(29),
    /** kubelet: the message of a rejection contains the reason of the predicate. */
    PREDICATE_REASON_IN_MESSAGE(33),
    /** kubelet: a status contains the generation of the pod that it is about. */
    OBSERVED_GENERATION(34),
    /** kubelet: the message of a rejection begins with {@code Pod was rejected}; in 1.17, with {@code Pod}. */
    REJECTION_PREFIX(34);

    private final int since;

    ComponentChange(int since) {
        this.since = since;
    }

    /** Returns whether the components of a release have the change. */
    public boolean in(Release release) {
        return release.atLeast(since);
    }
}
