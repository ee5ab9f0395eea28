package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The services and controllers of its namespace that select a pod. All results are in name order. Mirrors the listers' expansions
 * {@code GetPodServices}, {@code GetPodControllers}, {@code GetPodReplicaSets} and {@code GetPodStatefulSets} of client-go.
 */
public final class PodOwners {
    private PodOwners() {}

    /** Services that select the pod; one with an empty, non-null selector selects every pod. */
    public static List<ServiceInfo> services(ClusterView cluster, PodInfo pod) {
        List<ServiceInfo> found = new ArrayList<>();
        for (ServiceInfo service : cluster.services(pod.namespace())) {
            if (service.selects(pod.labels())) {
                found.add(service);
            }
        }
        return List.copyOf(found);
    }

    /**
     * Controllers of one kind that select the pod. A pod without labels has none. For ReplicaSets and StatefulSets, one invalid
     * selector in the namespace hides all of that kind.
     */
    public static List<WorkloadInfo> controllers(ClusterView cluster, WorkloadInfo.Kind kind, PodInfo pod) {
        if (pod.labels().isEmpty()) {
            return List.of();
        }
        Collection<WorkloadInfo> all = cluster.workloads(kind, pod.namespace());
        List<WorkloadInfo> found = new ArrayList<>();
        for (WorkloadInfo workload : all) {
            if (kind == WorkloadInfo.Kind.REPLICATION_CONTROLLER) {
                Labels selector = workload.mapSelector();
                if (selector != null && !selector.isEmpty() && pod.labels().containsAll(selector)) {
                    found.add(workload);
                }
            } else {
                LabelSelector selector = workload.selector();
                if (selector != null && selector.error() != null) {
                    return List.of();
                }
                if (selector != null && !selector.isEmpty() && selector.matches(pod.labels())) {
                    found.add(workload);
                }
            }
        }
        return List.copyOf(found);
    }

    /**
     * The selector of pods to spread together with {@code pod}: those that all its services and controllers select. Empty if
     * nothing selects the pod. Mirrors {@code getSelector} of {@code priorities/selector_spreading.go}.
     *
     * @param servicesOnly ignores controllers
     */
    public static LabelSelector spreadSelector(ClusterView cluster, PodInfo pod, boolean servicesOnly) {
        Map<String, String> merged = new LinkedHashMap<>();
        for (ServiceInfo service : services(cluster, pod)) {
            putAll(merged, service.selector());
        }
        if (servicesOnly) {
            return LabelSelector.ofValidatedMap(Labels.copyOf(merged));
        }
        for (WorkloadInfo controller : controllers(cluster, WorkloadInfo.Kind.REPLICATION_CONTROLLER, pod)) {
            putAll(merged, controller.mapSelector());
        }
        List<LabelRequirement> requirements = new ArrayList<>(
                LabelSelector.ofValidatedMap(Labels.copyOf(merged)).requirements());
        addRequirements(requirements, controllers(cluster, WorkloadInfo.Kind.REPLICA_SET, pod));
        addRequirements(requirements, controllers(cluster, WorkloadInfo.Kind.STATEFUL_SET, pod));
        return requirements.isEmpty() ? LabelSelector.EVERYTHING : new LabelSelector(requirements);
    }

    /** The selector of the first service that selects the pod, null if there is none. An invalid key or value makes it empty. */
    public static @Nullable LabelSelector firstServiceSelector(ClusterView cluster, PodInfo pod) {
        for (ServiceInfo service : cluster.services(pod.namespace())) {
            Labels selector = service.selector();
            if (selector != null && service.selects(pod.labels())) {
                return LabelSelector.ofValidatedMap(selector);
            }
        }
        return null;
    }

    private static void putAll(Map<String, String> merged, @Nullable Labels selector) {
        if (selector != null) {
            selector.forEach(merged::put);
        }
    }

    private static void addRequirements(List<LabelRequirement> requirements, List<WorkloadInfo> workloads) {
        for (WorkloadInfo workload : workloads) {
            if (workload.selector() != null) {
                requirements.addAll(workload.selector().requirements());
            }
        }
    }
}
