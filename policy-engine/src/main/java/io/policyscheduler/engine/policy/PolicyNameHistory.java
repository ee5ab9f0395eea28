package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName.HistoricTable;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Every predicate and priority name of the releases 1.0 to 1.22. Mirrors {@code algorithmprovider/defaults} of each release and its
 * compatibility test, and from 1.18 on {@code plugins/legacy_registry.go}.
 */
public final class PolicyNameHistory {
    private static final int LAST = HistoricTable.LAST;
    private static final int LAST_WITH_CONDITIONS = 16;
    private static final List<String> TAINTS = ImmutableList.of("PodToleratesNodeTaints");
    private static final String SPREAD_GATE = "only releases up to 1.17 required the gate EvenPodsSpread";

    private static final ImmutableMap<String, HistoricName> PREDICATES = new HistoricTable(Kind.PREDICATE)
            .same("PodFitsResources", 0)
            .renamed("PodFitsPorts", 0, LAST, "PodFitsHostPorts")
            .same("HostName", 0)
            .same("MatchNodeSelector", 0)
            .same("NoDiskConflict", 0)
            .same("PodFitsHostPorts", 1)
            .same("GeneralPredicates", 3)
            .same("NoVolumeZoneConflict", 2)
            .same("MaxEBSVolumeCount", 2)
            .same("MaxGCEPDVolumeCount", 2)
            .same("PodToleratesNodeTaints", 3)
            .same("MatchInterPodAffinity", 3)
            .covered(
                    "CheckNodeMemoryPressure",
                    3,
                    LAST_WITH_CONDITIONS,
                    TAINTS,
                    "since 1.12, the condition is a taint that pods of every QoS class must tolerate")
            .covered("CheckNodeDiskPressure", 4, LAST_WITH_CONDITIONS, TAINTS, "since 1.12, the condition is a taint")
            .same("MaxAzureDiskVolumeCount", 7)
            .renamed("NoVolumeNodeConflict", 7, 9, "CheckVolumeBinding")
            .covered(
                    "CheckNodeCondition",
                    8,
                    LAST_WITH_CONDITIONS,
                    ImmutableList.of("PodToleratesNodeTaints", "CheckNodeUnschedulable"),
                    "the conditions are taints since 1.12")
            .same("CheckVolumeBinding", 9)
            .covered("CheckNodePIDPressure", 10, LAST_WITH_CONDITIONS, TAINTS, "since 1.12, the condition is a taint")
            .same("CheckNodeUnschedulable", 10)
            .same("MaxCSIVolumeCountPred", 12)
            .same("MaxCinderVolumeCount", 14)
            .ungated("EvenPodsSpread", 16, LAST, SPREAD_GATE)
            .nothing("CheckNodeLabelPresence", 18, LAST, "without labelsPresence there are no labels to check")
            .nothing("CheckServiceAffinity", 18, LAST, "without serviceAffinity there are no labels to compare")
            .build();

    private static final ImmutableMap<String, HistoricName> PRIORITIES = new HistoricTable(Kind.PRIORITY)
            .same("LeastRequestedPriority", 0)
            .same("BalancedResourceAllocation", 0)
            .renamed("ServiceSpreadingPriority", 0, LAST, "SelectorSpreadPriority")
            .nothing("EqualPriority", 0, LAST, "it gives every node the same score")
            .same("SelectorSpreadPriority", 1)
            .same("NodeAffinityPriority", 2)
            .same("ImageLocalityPriority", 2)
            .same("TaintTolerationPriority", 3)
            .same("InterPodAffinityPriority", 3)
            .same("NodePreferAvoidPodsPriority", 4)
            .same("MostRequestedPriority", 4)
            .ungated("ResourceLimitsPriority", 9, 18, "releases required the gate ResourceLimitsPriorityFunction")
            .same("RequestedToCapacityRatioPriority", 11, 17)
            .ungated("EvenPodsSpreadPriority", 16, LAST, SPREAD_GATE)
            .build();

    private PolicyNameHistory() {}

    /** The meaning of a predicate without argument; empty for names that no release had. Case-sensitive. */
    public static Optional<HistoricName> predicate(String name) {
        return Optional.ofNullable(PREDICATES.get(name));
    }

    /** The meaning of a priority without argument; empty for names that no release had. Case-sensitive. */
    public static Optional<HistoricName> priority(String name) {
        return Optional.ofNullable(PRIORITIES.get(name));
    }

    /** All predicates and then all priorities, each in release order. */
    public static List<HistoricName> all() {
        return ImmutableList.<HistoricName>builder()
                .addAll(PREDICATES.values())
                .addAll(PRIORITIES.values())
                .build();
    }

    /**
     * Every field and argument of policies of the releases 1.0 to 1.22. Mirrors {@code scheduler/api/types.go} and
     * {@code scheduler/api/v1/types.go} of each release, and from 1.17 on {@code k8s.io/kube-scheduler/config/v1}. In files without
     * apiVersion, releases up to 1.16 accepted the names of the Go fields, of which two differ.
     */
    public static final class HistoricFields {
        private static final ImmutableMap<String, HistoricName> FIELDS = new HistoricTable(Kind.FIELD)
                .same("kind", 0)
                .same("apiVersion", 0)
                .nothing("version", 0, 16, "documents of OpenShift have it instead of apiVersion; no release read it")
                .nothing("metadata", 0, 16, "no release read it")
                .same("predicates", 0)
                .same("predicates[].name", 0)
                .same("predicates[].argument", 0)
                .same("priorities", 0)
                .same("priorities[].name", 0)
                .same("priorities[].weight", 0)
                .same("priorities[].argument", 0)
                .same("extenders", 2)
                .renamed("extenderConfigs", 2, 16, "extenders")
                .same("extenders[].urlPrefix", 2)
                .nothing("extenders[].apiVersion", 2, 16, "extenders have only one version")
                .same("extenders[].filterVerb", 2)
                .same("extenders[].prioritizeVerb", 2)
                .same("extenders[].weight", 2)
                .same("extenders[].enableHttps", 2)
                .same("extenders[].tlsConfig", 2)
                .same("extenders[].tlsConfig.certFile", 2)
                .same("extenders[].tlsConfig.keyFile", 2)
                .same("extenders[].tlsConfig.caFile", 2)
                .same("extenders[].tlsConfig.certData", 2)
                .same("extenders[].tlsConfig.keyData", 2)
                .same("extenders[].tlsConfig.caData", 2)
                .same("extenders[].tlsConfig.insecure", 5)
                .same("extenders[].tlsConfig.serverName", 5)
                .same("extenders[].httpTimeout", 2)
                .same("extenders[].nodeCacheCapable", 6)
                .same("extenders[].bindVerb", 7)
                .same("hardPodAffinitySymmetricWeight", 7)
                .same("extenders[].managedResources", 9)
                .same("extenders[].managedResources[].name", 9)
                .same("extenders[].managedResources[].ignoredByScheduler", 9)
                .same("alwaysCheckAllPredicates", 10)
                .same("extenders[].ignorable", 10)
                .same("extenders[].preemptVerb", 11)
                .build();

        private static final ImmutableMap<String, HistoricName> ARGUMENTS = new HistoricTable(Kind.ARGUMENT)
                .same("predicates[].argument.serviceAffinity", 0)
                .same("predicates[].argument.serviceAffinity.labels", 0)
                .same("predicates[].argument.labelsPresence", 0)
                .same("predicates[].argument.labelsPresence.labels", 0)
                .same("predicates[].argument.labelsPresence.presence", 0)
                .same("priorities[].argument.serviceAntiAffinity", 0)
                .same("priorities[].argument.serviceAntiAffinity.label", 0)
                .same("priorities[].argument.labelPreference", 0)
                .same("priorities[].argument.labelPreference.label", 0)
                .same("priorities[].argument.labelPreference.presence", 0)
                .same("priorities[].argument.requestedToCapacityRatioArguments", 11)
                .same("priorities[].argument.requestedToCapacityRatioArguments.shape", 11)
                .renamed("priorities[].argument.requestedToCapacityRatioArguments.utilizationShape", 11, 16, "shape")
                .same("priorities[].argument.requestedToCapacityRatioArguments.shape[].utilization", 11)
                .same("priorities[].argument.requestedToCapacityRatioArguments.shape[].score", 11)
                .same("priorities[].argument.requestedToCapacityRatioArguments.resources", 16)
                .same("priorities[].argument.requestedToCapacityRatioArguments.resources[].name", 16)
                .same("priorities[].argument.requestedToCapacityRatioArguments.resources[].weight", 16)
                .build();

        private static final ImmutableMap<String, HistoricName> BY_LOWER_CASE = byLowerCase();

        private HistoricFields() {}

        private static ImmutableMap<String, HistoricName> byLowerCase() {
            ImmutableMap.Builder<String, HistoricName> fields = ImmutableMap.builder();
            all().forEach(field -> fields.put(field.name().toLowerCase(Locale.ROOT), field));
            return fields.buildOrThrow();
        }

        /** The history of a path such as {@code extenders[].urlPrefix}, case-insensitive; empty if no release had it. */
        public static Optional<HistoricName> find(String path) {
            return Optional.ofNullable(BY_LOWER_CASE.get(path.toLowerCase(Locale.ROOT)));
        }

        /** All fields and then all members of arguments. */
        public static List<HistoricName> all() {
            return ImmutableList.<HistoricName>builder()
                    .addAll(FIELDS.values())
                    .addAll(ARGUMENTS.values())
                    .build();
        }
    }

    /**
     * A name in policies of some release, and its current meaning.
     *
     * @param kind the location of the name
     * @param name as in files; of arguments and fields the path, {@code extenders[].httpTimeout}
     * @param first the first release that accepted it
     * @param last the last release that accepted it, at most 1.22, which was the last with policies
     * @param meaning its current status
     * @param successors the current names; its own if nothing has changed, empty if it has no effect any more
     * @param remark a note for users; empty if the names are sufficient
     */
    public record HistoricName(
            Kind kind,
            String name,
            Release first,
            Release last,
            Meaning meaning,
            List<String> successors,
            String remark) {

        /** The location of a name. */
        public enum Kind {
            PREDICATE,
            PRIORITY,
            /** A member of {@code argument}. */
            ARGUMENT,
            FIELD
        }

        /** The current status of a name. */
        public enum Meaning {
            /** Unchanged. */
            SAME,
            /** Renamed. */
            RENAMED,
            /** Covered by mandatory algorithms. */
            COVERED,
            /** Required a feature gate in releases; here it does not. */
            UNGATED,
            /** Accepted without effect. */
            NOTHING
        }

        public HistoricName {
            successors = ImmutableList.copyOf(successors);
        }

        /** {@code 1.3 to 1.16}, or {@code 1.17 only}. */
        public String releases() {
            return first.equals(last) ? first + " only" : first + " to " + last;
        }

        /** True if a policy with this name needs no warning. */
        public boolean isSame() {
            return meaning == Meaning.SAME;
        }

        /** One line for users: the name, its releases, and its current status. */
        public String describe() {
            String now = String.join(" and ", successors);
            String text = switch (meaning) {
                case SAME -> "is unchanged";
                case RENAMED -> "is now " + now;
                case COVERED -> "is part of " + now + ", which every policy runs";
                case UNGATED -> "runs here without a feature gate";
                case NOTHING -> "has no effect and is ignored";
            };
            return name + " (" + releases() + ") " + text + (remark.isEmpty() ? "" : ": " + remark);
        }

        /** Builds rows of one kind; releases are minor numbers. */
        static final class HistoricTable {
            /** The last release that supports policies. */
            static final int LAST = 22;

            private final Kind kind;
            private final ImmutableMap.Builder<String, HistoricName> rows = ImmutableMap.builder();

            HistoricTable(Kind kind) {
                this.kind = kind;
            }

            HistoricTable same(String name, int first) {
                return same(name, first, LAST);
            }

            HistoricTable same(String name, int first, int last) {
                return row(name, first, last, Meaning.SAME, List.of(name), "");
            }

            HistoricTable renamed(String name, int first, int last, String successors) {
                return row(name, first, last, Meaning.RENAMED, List.of(successors), "");
            }

            HistoricTable covered(String name, int first, int last, List<String> successors, String remark) {
                return row(name, first, last, Meaning.COVERED, successors, remark);
            }

            HistoricTable ungated(String name, int first, int last, String remark) {
                return row(name, first, last, Meaning.UNGATED, List.of(name), remark);
            }

            HistoricTable nothing(String name, int first, int last, String remark) {
                return row(name, first, last, Meaning.NOTHING, List.of(), remark);
            }

            ImmutableMap<String, HistoricName> build() {
                return rows.buildOrThrow();
            }

            private HistoricTable row(
                    String name, int first, int last, Meaning meaning, List<String> successors, String remark) {
                rows.put(
                        name,
                        new HistoricName(
                                kind, name, new Release(first), new Release(last), meaning, successors, remark));
                return this;
            }
        }
    }
}
