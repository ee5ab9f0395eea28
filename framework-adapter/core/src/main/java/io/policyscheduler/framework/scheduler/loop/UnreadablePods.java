package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.scheduler.api.ClusterChange.UnreadablePod;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles;
import io.policyscheduler.framework.scheduler.binding.PodReports;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Pods that cannot be parsed. A running one closes its node, because its resources are unknown; if it was parsed before, its last
 * known version stays in the cache. A pending one is not scheduled, and an event reports it.
 */
final class UnreadablePods {
    private final SchedulerState state;
    private final PodUpdateFilter podUpdates;
    private final CurrentProfiles profiles;
    private final PodReports reports;
    private final BooleanSupplier leads;
    private final Map<String, UnreadablePod> known = new TreeMap<>();
    private final Map<String, Integer> closing = new HashMap<>();

    /** @param leads false while another process schedules, which reports the pods */
    UnreadablePods(
            SchedulerState state,
            PodUpdateFilter podUpdates,
            CurrentProfiles profiles,
            PodReports reports,
            BooleanSupplier leads) {
        this.state = state;
        this.podUpdates = podUpdates;
        this.profiles = profiles;
        this.reports = reports;
        this.leads = leads;
    }

    /** Handles an unreadable pod. */
    void found(UnreadablePod pod) {
        note(pod);
        PodInfo standIn = standIn(pod);
        if (standIn != null) {
            podUpdates.upserted(standIn);
        } else {
            podUpdates.deleted(pod.namespace(), pod.name(), "");
        }
    }

    /**
     * Handles a complete list.
     *
     * @param readable the pods of the list that were parsed
     * @param unreadable the others
     * @return the pods to apply: known running ones that became unreadable are included in their last known version
     */
    List<PodInfo> listed(List<PodInfo> readable, List<UnreadablePod> unreadable) {
        Set<String> keys = unreadable.stream().map(UnreadablePod::key).collect(Collectors.toSet());
        List.copyOf(known.keySet()).stream().filter(key -> !keys.contains(key)).forEach(this::drop);
        if (unreadable.isEmpty()) {
            return readable;
        }
        List<PodInfo> believed = new ArrayList<>(readable);
        for (UnreadablePod pod : unreadable) {
            note(pod);
            PodInfo standIn = standIn(pod);
            if (standIn != null) {
                believed.add(standIn);
            }
        }
        return believed;
    }

    /** The last known version of a running pod; null if it is pending or unknown. */
    private @Nullable PodInfo standIn(UnreadablePod pod) {
        PodInfo before = state.store().pods().get(pod.key());
        if (before == null || pod.nodeName().isEmpty()) {
            return null;
        }
        boolean isSame = pod.uid().isEmpty() || before.uid().equals(pod.uid());
        return isSame ? before.withNodeName(pod.nodeName()) : null;
    }

    private void note(UnreadablePod pod) {
        UnreadablePod before = known.put(pod.key(), pod);
        if (pod.equals(before)) {
            return;
        }
        if (closes(pod) && closing.merge(pod.nodeName(), 1, Integer::sum) == 1) {
            state.cluster().setClosed(pod.nodeName(), true);
        }
        if (before != null) {
            release(before);
        }
        report(pod);
    }

    /** This process becomes the leader, and emits the events that are missing. */
    void schedulingBegins() {
        known.values().forEach(this::report);
    }

    /** The profiles were replaced, so pods can belong to this scheduler that did not before. */
    void profilesChanged(Profiles before) {
        known.values().stream()
                .filter(pod -> !before.isFor(pod.schedulerName()))
                .forEach(this::report);
    }

    /** Emits an event about a pod that is not scheduled. */
    private void report(UnreadablePod pod) {
        if (pod.nodeName().isEmpty() && leads.getAsBoolean() && profiles.all().isFor(pod.schedulerName())) {
            reports.warn(named(pod), PodReports.FAILED_SCHEDULING, "skipping an unreadable pod: " + pod.reason());
        }
    }

    /** The pod was parsed, or deleted. */
    void drop(String key) {
        UnreadablePod pod = known.isEmpty() ? null : known.remove(key);
        if (pod != null) {
            release(pod);
        }
    }

    /** The same for a deletion, which may be of an earlier pod of the same name. */
    void deleted(String key, String uid) {
        UnreadablePod pod = known.isEmpty() ? null : known.get(key);
        if (pod != null && (uid.isEmpty() || pod.uid().isEmpty() || uid.equals(pod.uid()))) {
            drop(key);
        }
    }

    private void release(UnreadablePod pod) {
        if (closes(pod) && closing.merge(pod.nodeName(), -1, (a, b) -> a + b == 0 ? null : a + b) == null) {
            state.cluster().setClosed(pod.nodeName(), false);
            state.queue().resourcesFreed();
        }
    }

    private static boolean closes(UnreadablePod pod) {
        return pod.closesNode() && !pod.nodeName().isEmpty();
    }

    /** A pod with only a name, for events. */
    private static PodInfo named(UnreadablePod pod) {
        return new PodInfo(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                "",
                Labels.EMPTY,
                Labels.EMPTY,
                null,
                false,
                "",
                PodSpec.EMPTY,
                "",
                "",
                PodInfo.NO_TIME,
                "",
                null,
                false,
                PodInfo.NO_TIME,
                List.of(),
                0);
    }
}
