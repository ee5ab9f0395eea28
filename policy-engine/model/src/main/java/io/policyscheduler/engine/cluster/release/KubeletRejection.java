package io.policyscheduler.engine.cluster.release;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A reason that a kubelet writes into {@code status.reason} when it rejects or evicts a pod, with the releases that use it. A
 * controller replaces such a pod, and the successor fails in the same way if the scheduler selects the same node again. Mirrors
 * {@code pkg/kubelet/lifecycle}, {@code pkg/kubelet/eviction}, {@code pkg/kubelet/nodeshutdown}, {@code pkg/kubelet/sysctl},
 * {@code pkg/kubelet/cm}, and {@code admissionRejectionReasons} of {@code pkg/kubelet/kubelet.go}.
 *
 * @param reason value of {@code status.reason}; {@link #OUT_OF} includes all reasons that begin with it
 * @param since first minor release, not before 17
 * @param until last minor release; {@link Integer#MAX_VALUE} for the newest
 */
public record KubeletRejection(String reason, int since, int until) {
    /** The prefix of reasons for a resource that the node lacks; the name of the resource follows. */
    public static final String OUT_OF = "OutOf";

    private static final int NEWEST = Integer.MAX_VALUE;

    /** All reasons, those of the predicates first. */
    public static final List<KubeletRejection> ALL = List.of(
            new KubeletRejection(OUT_OF, 17, NEWEST),
            new KubeletRejection("HostName", 17, 17),
            new KubeletRejection("PodFitsHostPorts", 17, 17),
            new KubeletRejection("MatchNodeSelector", 17, 17),
            new KubeletRejection("NodeAffinity", 18, NEWEST),
            new KubeletRejection("NodeName", 18, NEWEST),
            new KubeletRejection("NodePorts", 18, NEWEST),
            new KubeletRejection("TaintToleration", 22, NEWEST),
            new KubeletRejection("UnknownReason", 17, NEWEST),
            new KubeletRejection("UnexpectedPredicateFailureType", 17, NEWEST),
            new KubeletRejection("UnexpectedAdmissionError", 17, NEWEST),
            new KubeletRejection("InvalidNodeInfo", 17, NEWEST),
            new KubeletRejection("Evicted", 17, NEWEST),
            new KubeletRejection("Preempting", 17, NEWEST),
            new KubeletRejection("AppArmor", 17, NEWEST),
            new KubeletRejection("NoNewPrivs", 17, 23),
            new KubeletRejection("ProcMount", 17, 23),
            new KubeletRejection("SysctlForbidden", 17, NEWEST),
            new KubeletRejection("SysctlUnsupported", 17, 23),
            new KubeletRejection("TopologyAffinityError", 17, NEWEST),
            new KubeletRejection("SMTAlignmentError", 22, NEWEST),
            new KubeletRejection("Shutdown", 20, 21),
            new KubeletRejection("NodeShutdown", 20, NEWEST),
            new KubeletRejection("Terminated", 22, NEWEST),
            new KubeletRejection("PodOSSelectorNodeLabelDoesNotMatch", 20, NEWEST),
            new KubeletRejection("PodOSNotSupported", 23, NEWEST),
            new KubeletRejection("InitContainerRestartPolicyForbidden", 28, NEWEST),
            new KubeletRejection("SupplementalGroupsPolicyNotSupported", 33, NEWEST),
            new KubeletRejection("PodLevelResourcesNotSupported", 33, NEWEST),
            new KubeletRejection("VolumeAttachmentLimitExceeded", 34, NEWEST),
            new KubeletRejection("PodFeatureUnsupported", 35, NEWEST));

    private static final Map<String, KubeletRejection> BY_REASON =
            ALL.stream().collect(Collectors.toUnmodifiableMap(KubeletRejection::reason, Function.identity()));

    /** Reasons that do not depend on the node. */
    private static final Set<String> UNRELATED_TO_NODE = Set.of("DeadlineExceeded");

    /** The reasons of the kubelets of one release. */
    public static List<KubeletRejection> of(Release release) {
        return ALL.stream().filter(row -> row.isIn(release)).toList();
    }

    /** Returns whether the kubelets of a release have the check that rejects pods with this reason. */
    public static boolean isUsedBy(Release release, String reason) {
        KubeletRejection row = BY_REASON.get(reason);
        return row != null && row.isIn(release);
    }

    private boolean isIn(Release release) {
        return since <= release.minor() && release.minor() <= until;
    }

    /**
     * Returns whether the next pod of the same controller is likely to fail on the node of a failed pod. Reasons that are not in
     * the table count as rejections if no container ran: other kubelets, such as those of virtual nodes, have other reasons.
     *
     * @param reason {@code status.reason}; empty when absent
     * @param started whether a container of the pod has run
     */
    public static boolean is(String reason, boolean started) {
        if (reason.isEmpty() || UNRELATED_TO_NODE.contains(reason)) {
            return false;
        }
        return !started || reason.startsWith(OUT_OF) || BY_REASON.containsKey(reason);
    }

    /**
     * Returns the reason for a predicate or plugin that rejects a pod, used by the kubelets of {@code release}.
     *
     * @param names the names of one check, the oldest first, such as {@code MatchNodeSelector} and {@code NodeAffinity}
     * @throws IllegalArgumentException if the kubelets of the release do not have the check
     */
    public static String named(Release release, String... names) {
        return of(release).stream()
                .map(KubeletRejection::reason)
                .filter(Arrays.asList(names)::contains)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no kubelet of " + release + " has the check " + String.join(", ", names)));
    }
}
