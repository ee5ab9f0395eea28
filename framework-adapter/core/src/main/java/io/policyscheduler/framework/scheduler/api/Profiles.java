package io.policyscheduler.framework.scheduler.api;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.QueueSortPlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;
import io.policyscheduler.framework.profile.InTreePlugins.PrioritySort;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.scheduler.backend.QueuePolicy;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The profiles of one scheduler, by scheduler name. Immutable: a reload creates another instance with the next generation. Mirrors
 * {@code profile.Map} of {@code pkg/scheduler/profile}.
 */
public final class Profiles {
    private final long generation;
    private final Map<String, ProfileRuntime> byName;
    private final Map<String, ProfileRuntime> canaries;
    private final List<ProfileRuntime> all;

    private Profiles(long generation, Collection<ProfileRuntime> runtimes) {
        this.generation = generation;
        this.byName = byName(runtimes, false);
        this.canaries = byName(runtimes, true);
        this.all = ImmutableList.copyOf(runtimes);
    }

    private static Map<String, ProfileRuntime> byName(Collection<ProfileRuntime> runtimes, boolean canaries) {
        ImmutableMap.Builder<String, ProfileRuntime> map = ImmutableMap.builder();
        runtimes.stream()
                .filter(runtime -> runtime.isCanary() == canaries)
                .forEach(runtime -> map.put(runtime.schedulerName(), runtime));
        return map.buildOrThrow();
    }

    /**
     * Creates profiles.
     *
     * @param generation incremented by every reload, starting at 1
     * @param runtimes each with a unique scheduler name, except that a canary has the name of the profile that it is to replace
     */
    public static Profiles of(long generation, Collection<ProfileRuntime> runtimes) {
        return new Profiles(generation, runtimes);
    }

    /** No profiles, so no pod belongs to this scheduler. */
    public static Profiles none() {
        return new Profiles(0, List.of());
    }

    /**
     * The profile of the pod: the one with its scheduler name, or the canary of that name; null if the pod belongs to another
     * scheduler.
     */
    public @Nullable ProfileRuntime find(PodInfo pod) {
        ProfileRuntime canary = canary(pod);
        return canary != null && isInShare(pod, canary.share())
                ? canary
                : byName.get(pod.spec().schedulerName());
    }

    /** The other profile of the pod's scheduler name that would decide it with another share; null if there is no canary. */
    public @Nullable ProfileRuntime findOther(PodInfo pod) {
        ProfileRuntime canary = canary(pod);
        return canary == null
                ? null
                : isInShare(pod, canary.share()) ? byName.get(pod.spec().schedulerName()) : canary;
    }

    private @Nullable ProfileRuntime canary(PodInfo pod) {
        return canaries.isEmpty() ? null : canaries.get(pod.spec().schedulerName());
    }

    /**
     * Whether the owner of the pod is in a share of all owners. The owner is the controller, or the pod itself without one. The
     * result depends only on the UID of the owner, so all processes agree, and a larger share contains each smaller one.
     *
     * @param share 0 to 1
     */
    public static boolean isInShare(PodInfo pod, double share) {
        String owner = pod.controller() == null ? pod.uid() : pod.controller().uid();
        int hash = Hashing.murmur3_32_fixed()
                .hashString(owner, StandardCharsets.UTF_8)
                .asInt();
        return Integer.toUnsignedLong(hash) < share * (1L << Integer.SIZE);
    }

    /** Whether a profile has this scheduler name. */
    public boolean isFor(String schedulerName) {
        return byName.containsKey(schedulerName);
    }

    /** The number of this set of profiles, incremented by every reload, starting at 1. */
    public long generation() {
        return generation;
    }

    /** All profiles, in the order of the configuration, including canaries. */
    public Collection<ProfileRuntime> runtimes() {
        return all;
    }

    /** The queue policy: the order of the first profile, because all have the same. */
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
            public String gatingPlugin(PodInfo pod, String first) {
                ProfileRuntime runtime = find(pod);
                return runtime == null ? "" : runtime.gatingPlugin(pod, first);
            }

            @Override
            public boolean isOfInterest(EventKind kind) {
                for (ProfileRuntime runtime : all) {
                    if (runtime.waitsForEvents() && runtime.events().isOfInterest(kind)) {
                        return true;
                    }
                }
                return false;
            }

            @Override
            public boolean registersChanges() {
                return all.stream().anyMatch(ProfileRuntime::registersChanges);
            }

            @Override
            public boolean isRegistered(ClusterEvent event) {
                return all.stream().anyMatch(runtime -> runtime.registers(event));
            }

            @Override
            public boolean mayUngate(QueuedPod entry, EventKind kind) {
                ProfileRuntime runtime = find(entry.pod());
                return runtime == null || runtime.events().registers(entry.gatedBy(), kind);
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
            public boolean mayHelpByOtherChange(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
                ProfileRuntime runtime = find(entry.pod());
                return runtime == null || runtime.mayHelpByOtherChange(entry.pod(), entry.rejectedBy(), event, changed);
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
