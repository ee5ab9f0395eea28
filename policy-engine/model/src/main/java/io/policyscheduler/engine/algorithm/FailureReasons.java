package io.policyscheduler.engine.algorithm;

/**
 * The reasons of v1.17 predicates. Mirrors {@code pkg/scheduler/algorithm/predicates/error.go} and
 * {@code unresolvablePredicateFailureErrors} of {@code predicates.go}.
 */
public final class FailureReasons {
    /** HostName. */
    public static final FailureReason HOST_NAME =
            FailureReason.unresolvable("node(s) didn't match the requested hostname");
    /** PodFitsHostPorts. */
    public static final FailureReason HOST_PORTS =
            FailureReason.resolvable("node(s) didn't have free ports for the requested pod ports");
    /** MatchNodeSelector. */
    public static final FailureReason NODE_SELECTOR = FailureReason.unresolvable("node(s) didn't match node selector");
    /** CheckNodeUnschedulable. */
    public static final FailureReason UNSCHEDULABLE = FailureReason.unresolvable("node(s) were unschedulable");
    /** PodToleratesNodeTaints. */
    public static final FailureReason TAINTS =
            FailureReason.unresolvable("node(s) had taints that the pod didn't tolerate");
    /** CheckNodeLabelPresence. */
    public static final FailureReason LABEL_PRESENCE =
            FailureReason.unresolvable("node(s) didn't have the requested labels");
    /** CheckServiceAffinity. */
    public static final FailureReason SERVICE_AFFINITY =
            FailureReason.resolvable("node(s) didn't match service affinity");
    /** NoDiskConflict. */
    public static final FailureReason DISK_CONFLICT = FailureReason.resolvable("node(s) had no available disk");
    /** The five volume-count predicates. */
    public static final FailureReason MAX_VOLUME_COUNT = FailureReason.resolvable("node(s) exceed max volume count");
    /** CheckVolumeBinding, a bound volume. */
    public static final FailureReason VOLUME_NODE_AFFINITY_CONFLICT =
            FailureReason.unresolvable("node(s) had volume node affinity conflict");
    /** CheckVolumeBinding, an unbound claim. */
    public static final FailureReason VOLUME_BINDING_NO_MATCH =
            FailureReason.unresolvable("node(s) didn't find available persistent volumes to bind");
    /** NoVolumeZoneConflict. */
    public static final FailureReason VOLUME_ZONE_CONFLICT =
            FailureReason.unresolvable("node(s) had no available volume zone");
    /** EvenPodsSpread. */
    public static final FailureReason TOPOLOGY_SPREAD =
            FailureReason.resolvable("node(s) didn't match pod topology spread constraints");
    /** MatchInterPodAffinity, always followed by one of the three reasons below. */
    public static final FailureReason POD_AFFINITY =
            FailureReason.resolvable("node(s) didn't match pod affinity/anti-affinity");
    /** MatchInterPodAffinity, the pod's own required affinity. */
    public static final FailureReason POD_AFFINITY_RULES =
            FailureReason.unresolvable("node(s) didn't match pod affinity rules");
    /** MatchInterPodAffinity, the pod's own required anti-affinity. */
    public static final FailureReason POD_ANTI_AFFINITY_RULES =
            FailureReason.resolvable("node(s) didn't match pod anti-affinity rules");
    /** MatchInterPodAffinity, required anti-affinity of running pods. */
    public static final FailureReason EXISTING_ANTI_AFFINITY_RULES =
            FailureReason.resolvable("node(s) didn't satisfy existing pods anti-affinity rules");

    /** The prefix of the reasons of PodFitsResources; the name of the resource follows. */
    static final String INSUFFICIENT = "Insufficient ";

    private static final FailureReason PODS = FailureReason.resolvable(INSUFFICIENT + "pods");
    private static final FailureReason CPU = FailureReason.resolvable(INSUFFICIENT + "cpu");
    private static final FailureReason MEMORY = FailureReason.resolvable(INSUFFICIENT + "memory");
    private static final FailureReason EPHEMERAL_STORAGE = FailureReason.resolvable(INSUFFICIENT + "ephemeral-storage");

    private FailureReasons() {}

    /** PodFitsResources: not enough of {@code resource}. */
    public static FailureReason insufficient(String resource) {
        return switch (resource) {
            case "pods" -> PODS;
            case "cpu" -> CPU;
            case "memory" -> MEMORY;
            case "ephemeral-storage" -> EPHEMERAL_STORAGE;
            default -> FailureReason.resolvable(INSUFFICIENT + resource);
        };
    }
}
