package io.policyscheduler.framework.scheduler.api;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.QueueSortPlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;
import io.policyscheduler.framework.profile.PluginFailures;
import io.policyscheduler.framework.profile.PrioritySort;
import io.policyscheduler.framework.scheduler.queue.QueuePolicy;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The profiles of one scheduler, by scheduler name. Immutable: a reload brings another one, with the next generation. Mirrors
 * {@code profile.Map} of {@code pkg/scheduler/profile}.
 */
public final class Profiles {
    private final long generation;
    private final Map<String, ProfileRuntime> byName;

    private Profiles(long generation, Collection<ProfileRuntime> runtimes) {
        ImmutableMap.Builder<String, ProfileRuntime> map = ImmutableMap.builder();
        runtimes.forEach(runtime -> map.put(runtime.schedulerName(), runtime));
        this.generation = generation;
        this.byName = map.buildOrThrow();
    }

    /**
     * These profiles.
     *
     * @param generation counted up by every reload, 1 at first
     * @param runtimes each with a scheduler name of its own
     */
    public static Profiles of(long generation, Collection<ProfileRuntime> runtimes) {
        return new Profiles(generation, runtimes);
    }

    /** No profile: no pod is ours. */
    public static Profiles none() {
        return new Profiles(0, List.of());
    }

    /** The profile that the pod names; null when it is not ours. */
    public @Nullable ProfileRuntime find(PodInfo pod) {
        return byName.get(pod.spec().schedulerName());
    }

    /** True when pods that name this scheduler are ours. */
    public boolean isFor(String schedulerName) {
        return byName.containsKey(schedulerName);
    }

    /** How often profiles have been replaced, 1 at first. */
    public long generation() {
        return generation;
    }

    /** All profiles, in the order of the configuration. */
    public Collection<ProfileRuntime> runtimes() {
        return byName.values();
    }

    /** The order of the queue: that of the first profile, because all share one. */
    public QueuePolicy queuePolicy(boolean requeueHints) {
        return new QueuePolicy() {
            private final QueueSortPlugin order = byName.isEmpty()
                    ? new PrioritySort()
                    : byName.values().iterator().next().profile().queueSort();

            @Override
            public int compare(QueueItem a, QueueItem b) {
                try {
                    return order.compare(a, b);
                } catch (RuntimeException | LinkageError e) {
                    PluginFailures.status(order, e);
                    return QueuePolicy.BY_PRIORITY.compare(a, b);
                }
            }

            @Override
            public boolean mayEnter(PodInfo pod) {
                ProfileRuntime runtime = find(pod);
                return runtime == null || runtime.mayEnter(pod);
            }

            @Override
            public boolean waitsForEvents(PodInfo pod) {
                ProfileRuntime runtime = find(pod);
                return runtime != null && runtime.waitsForEvents();
            }

            @Override
            public String heldBackBy(PodInfo pod, String first) {
                ProfileRuntime runtime = find(pod);
                return runtime == null ? "" : runtime.heldBackBy(pod, first);
            }

            @Override
            public boolean isOfInterest(EventKind kind) {
                for (ProfileRuntime runtime : byName.values()) {
                    if (runtime.waitsForEvents() && runtime.events().isOfInterest(kind)) {
                        return true;
                    }
                }
                return false;
            }

            @Override
            public boolean asksForChanges() {
                return byName.values().stream().anyMatch(ProfileRuntime::asksForChanges);
            }

            @Override
            public boolean isAskedFor(ClusterEvent event) {
                return byName.values().stream().anyMatch(runtime -> runtime.asksFor(event));
            }

            @Override
            public boolean mayOpen(QueuedPod entry, EventKind kind) {
                ProfileRuntime runtime = find(entry.pod());
                return runtime == null || runtime.events().asksFor(entry.gatedBy(), kind);
            }

            @Override
            public boolean waitsForPods(QueuedPod entry) {
                ProfileRuntime runtime = find(entry.pod());
                return runtime != null && runtime.waitsForPods(entry.rejectedBy());
            }

            @Override
            public boolean mayHelp(QueuedPod entry, ObjectEvent event) {
                ProfileRuntime runtime = find(entry.pod());
                return runtime == null || runtime.events().mayHelp(entry.pod(), entry.rejectedBy(), event);
            }

            @Override
            public boolean mayHelpBesides(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
                ProfileRuntime runtime = find(entry.pod());
                return runtime == null || runtime.mayHelpBesides(entry.pod(), entry.rejectedBy(), event, changed);
            }

            @Override
            public boolean mayHelp(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
                if (ClusterEvent.ONLY_WHERE_ASKED_FOR.contains(event)) {
                    ProfileRuntime waiting = find(entry.pod());
                    return waiting != null && waiting.waitsFor(entry.rejectedBy(), event);
                }
                if (!requeueHints || event == ClusterEvent.PROFILE_CHANGE) {
                    return true;
                }
                ProfileRuntime runtime = find(entry.pod());
                return runtime == null || runtime.mayHelp(entry.pod(), entry.rejectedBy(), event, changed);
            }
        };
    }
}
