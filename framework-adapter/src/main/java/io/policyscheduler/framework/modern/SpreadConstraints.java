package io.policyscheduler.framework.modern;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.PodOwners;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the topology spread constraints of a pod: its own, or the defaults of the profile. */
final class SpreadConstraints {
    private static final String SOFT = "ScheduleAnyway";
    private static final List<TopologySpreadConstraint> SYSTEM_DEFAULTS = List.of(
            new TopologySpreadConstraint(3, "kubernetes.io/hostname", SOFT, null),
            new TopologySpreadConstraint(5, Node.ZONE, SOFT, null));

    private final boolean systemDefaults;
    private final boolean emptyCountsAll;
    private final boolean byOwner;
    private final List<TopologySpreadConstraint> defaults;

    /** Reads PodTopologySpreadArgs, which have been validated. */
    SpreadConstraints(JsonNode args, Release release) {
        this.byOwner = SchedulerChange.SPREADING_BY_OWNER.in(release);
        this.emptyCountsAll = !SchedulerChange.EMPTY_SELECTORS_COUNT_NOTHING.in(release);
        this.systemDefaults = args.path("defaultingType").asText("System").equals("System");
        this.defaults = systemDefaults ? SYSTEM_DEFAULTS : read(args.path("defaultConstraints"));
    }

    private static List<TopologySpreadConstraint> read(JsonNode list) {
        List<TopologySpreadConstraint> constraints = new ArrayList<>();
        for (JsonNode item : list) {
            constraints.add(new TopologySpreadConstraint(
                    item.path("maxSkew").asInt(),
                    item.path("topologyKey").asText(),
                    item.path("whenUnsatisfiable").asText(),
                    null,
                    item.path("minDomains").isInt() ? item.path("minDomains").asInt() : null,
                    item.path("nodeAffinityPolicy").asText(""),
                    item.path("nodeTaintsPolicy").asText(""),
                    List.of()));
        }
        return List.copyOf(constraints);
    }

    /** True when nodes that lack a key do not count: only the system's defaults put up with such nodes. */
    boolean requireAllKeys(PodInfo pod) {
        return !pod.spec().spreadConstraints().isEmpty() || !systemDefaults;
    }

    /** Those that forbid nodes; empty when there are none. */
    List<SpreadConstraint> hard(PodInfo pod, ClusterView cluster) {
        return find(pod, cluster, true);
    }

    /** Those that make nodes less welcome; empty when there are none. */
    List<SpreadConstraint> soft(PodInfo pod, ClusterView cluster) {
        return find(pod, cluster, false);
    }

    private List<SpreadConstraint> find(PodInfo pod, ClusterView cluster, boolean hard) {
        boolean own = !pod.spec().spreadConstraints().isEmpty();
        List<TopologySpreadConstraint> wanted = own ? pod.spec().spreadConstraints() : defaults;
        List<SpreadConstraint> found = new ArrayList<>();
        @Nullable LabelSelector ofOwners = null;
        for (TopologySpreadConstraint constraint : wanted) {
            if (hard ? !constraint.isHard() : !constraint.isSoft()) {
                continue;
            }
            if (own) {
                found.add(new SpreadConstraint(constraint, selector(constraint, pod, hard), emptyCountsAll));
                continue;
            }
            if (ofOwners == null) {
                ofOwners = byOwner ? ownersSelector(pod, cluster) : PodOwners.spreadSelector(cluster, pod, false);
            }
            if (ofOwners.isEmpty()) {
                return List.of();
            }
            found.add(new SpreadConstraint(constraint, ofOwners, emptyCountsAll));
        }
        return List.copyOf(found);
    }

    private static @Nullable LabelSelector selector(TopologySpreadConstraint constraint, PodInfo pod, boolean hard) {
        LabelSelector selector = constraint.selector();
        if (selector == null) {
            return null;
        }
        if (selector.error() != null) {
            throw new PluginException("obtaining pod's " + (hard ? "hard" : "soft") + " topology spread constraints: "
                    + selector.error());
        }
        List<LabelRequirement> requirements = new ArrayList<>();
        for (String key : constraint.matchLabelKeys()) {
            String value = pod.labels().get(key);
            if (value != null) {
                requirements.add(exactly(key, value));
            }
        }
        if (requirements.isEmpty()) {
            return selector;
        }
        requirements.addAll(selector.requirements());
        return new LabelSelector(requirements);
    }

    private static LabelRequirement exactly(String key, String value) {
        return new LabelRequirement(key, "In", List.of(value), null);
    }

    /**
     * The pods that services and the owner of {@code pod} keep together with it; empty when there are no such. Mirrors
     * {@code DefaultSelector} of {@code plugins/helper/spread.go}.
     */
    private static LabelSelector ownersSelector(PodInfo pod, ClusterView cluster) {
        Map<String, String> merged = new TreeMap<>();
        PodOwners.services(cluster, pod).forEach(service -> putAll(merged, service.selector()));
        OwnerReference owner = pod.controller();
        WorkloadInfo.Kind kind = owner == null ? null : kind(owner);
        WorkloadInfo workload =
                owner == null || kind == null ? null : cluster.workload(kind, pod.namespace(), owner.name());
        if (workload != null) {
            putAll(merged, workload.mapSelector());
        }
        List<LabelRequirement> requirements = new ArrayList<>();
        merged.forEach((key, value) -> requirements.add(exactly(key, value)));
        LabelSelector more = workload == null ? null : workload.selector();
        if (more != null && more.error() == null) {
            requirements.addAll(more.requirements());
        }
        return new LabelSelector(requirements);
    }

    private static void putAll(Map<String, String> merged, @Nullable Labels labels) {
        if (labels != null) {
            labels.forEach(merged::put);
        }
    }

    /** Null for others, also for those of these names in other groups or versions. */
    private static WorkloadInfo.@Nullable Kind kind(OwnerReference owner) {
        return switch (owner.apiVersion() + " " + owner.kind()) {
            case "v1 ReplicationController" -> WorkloadInfo.Kind.REPLICATION_CONTROLLER;
            case "apps/v1 ReplicaSet" -> WorkloadInfo.Kind.REPLICA_SET;
            case "apps/v1 StatefulSet" -> WorkloadInfo.Kind.STATEFUL_SET;
            default -> null;
        };
    }
}
