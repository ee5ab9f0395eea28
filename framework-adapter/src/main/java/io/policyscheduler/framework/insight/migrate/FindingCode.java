package io.policyscheduler.framework.insight.migrate;

/** The kinds of findings; the names are stable. */
public enum FindingCode {
    /** serviceAffinity, which no release after 1.22 has. */
    M001,
    /** NodePreferAvoidPodsPriority, which no release after 1.22 has. */
    M002,
    /** ResourceLimitsPriority, which no release after 1.19 has. */
    M003,
    /** More than one scoring strategy for resources, of which a profile has one. */
    M004,
    /** A rule, which runs behind an extender. */
    M005,
    /** An algorithm that Kubernetes never had. */
    M006,
    /** A weight or number that the configuration cannot hold. */
    M007,
    /** An algorithm kept behind an extender. */
    M008,
    /** An entry that has no effect. */
    M009,
    /** labelsPresence as added node affinity. */
    M010,
    /** labelPreference as added preferred node affinity. */
    M011,
    /** serviceAntiAffinity as default spread constraint. */
    M012,
    /** Spreading over nodes and zones by another formula. */
    M013,
    /** EvenPodsSpread, alpha in 1.17. */
    M014,
    /** Several entries that share one weight. */
    M015,
    /** LeastRequestedPriority or MostRequestedPriority by another formula. */
    M016,
    /** BalancedResourceAllocation by another formula. */
    M017,
    /** A requested-to-capacity ratio by another formula. */
    M018,
    /** InterPodAffinityPriority by another formula. */
    M019,
    /** NodeAffinityPriority, TaintTolerationPriority or ImageLocalityPriority. */
    M020,
    /** Limits of volumes. */
    M021,
    /** Other predicates about volumes. */
    M022,
    /** Resources and host ports as filters. */
    M023,
    /** Labels of which one is wanted and unwanted at once. */
    M024,
    /** Node name, node selector, taints, cordoned nodes, pod affinity. */
    M025,
    /** hardPodAffinitySymmetricWeight. */
    M030,
    /** alwaysCheckAllPredicates. */
    M031,
    /** EqualPriority. */
    M032,
    /** PodFitsPorts. */
    M033,
    /** What every configuration needs and a policy does not say. */
    M040,
    /** Filters that the release runs by itself and the policy does not have. */
    M041,
    /** Filters that the policy does not have and the default profile brings. */
    M042,
    /** No priorities. */
    M043,
    /** No predicates. */
    M044,
    /** Weights of the release instead of those of the policy. */
    M045,
    /** Keys of extenders that are written in another way. */
    M050,
    /** An extender that is not node cache capable. */
    M051,
    /** Resources that only extenders account for. */
    M052,
    /** Flags and settings outside of the policy. */
    M060,
    /** Texts of events and conditions. */
    M061,
    /** Preemption. */
    M062,
    /** What pods may ask for by now. */
    M063,
    /** A release that this program does not know. */
    M064
}
