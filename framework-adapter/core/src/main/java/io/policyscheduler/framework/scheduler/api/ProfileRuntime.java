package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.cycle.ScheduleAlgorithm;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultPreemption;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import io.policyscheduler.framework.scheduler.backend.QueueingHintMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running profile: its plugins, and the components that apply its decisions.
 *
 * @param schedulerName the {@code spec.schedulerName} of its pods
 * @param profile the plugins
 * @param algorithm decides with them
 * @param preemptor runs preemption
 * @param binder used if no bind plugin binds
 * @param volumes assumes and binds the volumes of a placed pod
 * @param hints plugins with requeue hints, by name
 * @param events the event registrations of plugins, for pods that wait for events
 * @param share of the owners whose pods it decides: 1 for all, less for a canary next to another profile of the same name
 */
public record ProfileRuntime(
        String schedulerName,
        Profile profile,
        ScheduleAlgorithm algorithm,
        Preemptor preemptor,
        Binder binder,
        VolumeAssumer volumes,
        Map<String, RequeueHints> hints,
        QueueingHintMap events,
        double share) {
    public ProfileRuntime {
        hints = Map.copyOf(hints);
    }

    /** A runtime without extenders, with the hints of the profile's own plugins. */
    public static ProfileRuntime of(
            String schedulerName,
            Profile profile,
            ScheduleAlgorithm algorithm,
            Preemptor preemptor,
            Binder binder,
            VolumeAssumer volumes) {
        return of(schedulerName, profile, algorithm, preemptor, binder, volumes, false);
    }

    /** A runtime with or without extenders, with the hints of the profile's own plugins. */
    public static ProfileRuntime of(
            String schedulerName,
            Profile profile,
            ScheduleAlgorithm algorithm,
            Preemptor preemptor,
            Binder binder,
            VolumeAssumer volumes,
            boolean extenders) {
        Map<String, RequeueHints> hints = new HashMap<>();
        for (FilterPlugin plugin : profile.filters()) {
            if (plugin instanceof RequeueHints hinting) {
                hints.put(plugin.name(), hinting);
            }
        }
        for (PreFilterPlugin plugin : profile.preFilters()) {
            if (plugin instanceof RequeueHints hinting) {
                hints.put(plugin.name(), hinting);
            }
        }
        QueueingHintMap events = QueueingHintMap.of(
                rejecting(profile), extenders, profile.rules().waking());
        return new ProfileRuntime(schedulerName, profile, algorithm, preemptor, binder, volumes, hints, events, 1);
    }

    /** A copy for the pods of a share of the owners. */
    public ProfileRuntime withShare(double value) {
        return new ProfileRuntime(schedulerName, profile, algorithm, preemptor, binder, volumes, hints, events, value);
    }

    /** Whether another profile of the same scheduler name decides the pods outside of its share. */
    public boolean isCanary() {
        return share < 1;
    }

    /** The plugins that can reject or delay a pod. */
    private static List<Plugin> rejecting(Profile profile) {
        return profile.plugins().stream()
                .filter(plugin -> plugin instanceof EnqueueExtensions
                        || plugin instanceof PreEnqueuePlugin
                        || plugin instanceof PreFilterPlugin
                        || plugin instanceof FilterPlugin
                        || plugin instanceof ReservePlugin
                        || plugin instanceof PermitPlugin)
                .toList();
    }

    /** Whether pods wait for events, as in current releases. */
    boolean waitsForEvents() {
        return profile.rules().waitsForEvents();
    }

    /** Whether a plugin has hints about changes, but registers no events. */
    boolean registersChanges() {
        return waitsForEvents() && hints.keySet().stream().anyMatch(name -> !events.contains(name));
    }

    /** Whether pods of this profile wait for any change, and some plugin reads such changes. */
    boolean registers(ClusterEvent event) {
        return !waitsForEvents()
                && hints.values().stream().anyMatch(hinting -> hinting.events().contains(event));
    }

    /** The PreEnqueue plugin that rejects the pod, or empty; calls {@code first} first. */
    String heldBackBy(PodInfo pod, String first) {
        if (preemptor.isPreparing(pod)) {
            return DefaultPreemption.NAME;
        }
        if (!first.isEmpty()
                && profile.preEnqueues().stream()
                        .anyMatch(plugin -> plugin.name().equals(first) && holdsBack(plugin, pod))) {
            return first;
        }
        for (PreEnqueuePlugin plugin : profile.preEnqueues()) {
            if (!plugin.name().equals(first) && holdsBack(plugin, pod)) {
                return plugin.name();
            }
        }
        return "";
    }

    private static boolean holdsBack(PreEnqueuePlugin plugin, PodInfo pod) {
        return !PluginFailures.call(plugin, () -> plugin.preEnqueue(pod)).isSuccess();
    }

    /** Whether a plugin that rejected the pod reads such changes, or does not declare what it reads. */
    boolean mayHelpBesides(PodInfo pod, Set<String> rejectedBy, ClusterEvent event, @Nullable ClusterObject changed) {
        for (String name : rejectedBy) {
            RequeueHints hinting = events.contains(name) ? null : hints.get(name);
            if (hinting != null && mayHelp(hinting, pod, event, changed)) {
                return true;
            }
            boolean isUnhinted = hinting == null
                    && (event == ClusterEvent.NODE_WAIT_OVER || event == ClusterEvent.NAMESPACE_CHANGE)
                    && !isOfKubernetes(name);
            boolean selectsNamespaces =
                    event == ClusterEvent.NAMESPACE_CHANGE && name.equals(PluginNames.INTER_POD_AFFINITY);
            if (isUnhinted || selectsNamespaces) {
                return true;
            }
        }
        return false;
    }

    /** Whether a plugin is in-tree. Their event registrations are complete, so other changes cannot help. */
    private boolean isOfKubernetes(String name) {
        return profile.plugins().stream()
                .anyMatch(plugin -> plugin.name().equals(name) && plugin instanceof EnqueueExtensions);
    }

    boolean mayEnter(PodInfo pod) {
        for (PreEnqueuePlugin plugin : profile.preEnqueues()) {
            if (holdsBack(plugin, pod)) {
                return false;
            }
        }
        return true;
    }

    /** True unless all plugins that rejected the pod report that the change does not help. */
    boolean mayHelp(PodInfo pod, Set<String> rejectedBy, ClusterEvent event, @Nullable ClusterObject changed) {
        if (rejectedBy.isEmpty()) {
            return true;
        }
        for (String name : rejectedBy) {
            RequeueHints hinting = hints.get(name);
            if (hinting == null || mayHelp(hinting, pod, event, changed)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether any pod that gets a node may help this one, regardless of its affinity terms: a plugin that rejected it reads the
     * pods of other nodes, or is unknown.
     */
    boolean waitsForPods(Set<String> rejectedBy) {
        for (String name : rejectedBy) {
            RequeueHints hinting = hints.get(name);
            boolean mayHelp = hinting == null || hinting.events().contains(ClusterEvent.ASSIGNED_POD_ADD);
            if (mayHelp && !name.equals(PluginNames.INTER_POD_AFFINITY)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a plugin that rejected the pod, or may have, declares such events; false for plugins without hints. */
    boolean waitsFor(Set<String> rejectedBy, ClusterEvent event) {
        for (String name : rejectedBy.isEmpty() ? hints.keySet() : rejectedBy) {
            RequeueHints hinting = hints.get(name);
            if (hinting != null && hinting.events().contains(event)) {
                return true;
            }
        }
        return false;
    }

    /** Without a hint, the change counts as helpful. */
    private static boolean mayHelp(
            RequeueHints plugin, PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
        try {
            return plugin.events().contains(event) && plugin.mayHelp(pod, event, changed);
        } catch (RuntimeException | LinkageError e) {
            PluginFailures.status(plugin, e);
            return true;
        }
    }

    /** Runs preemption for an unschedulable pod. Called on the scheduling thread, after the failure has been recorded. */
    @FunctionalInterface
    public interface Preemptor {
        /** Never preempts. */
        Preemptor NONE = (pod, nominated) -> Status.SUCCESS;

        /**
         * Chooses victims, nominates, and starts the writes, which are done elsewhere. A nomination whose write fails is to
         * be dropped by a {@link ClusterChange.PreemptionFailed}.
         *
         * @return success, or by the rules of current releases why nothing is done
         */
        Status preempt(PodInfo pod, Nominator nominated);

        /** True while preemption for the pod is in progress, so that it is not scheduled. */
        default boolean isPreparing(PodInfo pod) {
            return false;
        }

        /** The last victim of the pod is about to be evicted. Also called for pods of other profiles. */
        default void started(PodInfo pod) {}

        /** The eviction of the pod's victims has ended. Also called for pods of other profiles. */
        default void dropped(PodInfo pod) {}
    }

    /** Assumes and binds the volumes of a placed pod. Called on the scheduling thread. */
    @FunctionalInterface
    public interface VolumeAssumer {
        /** Assumes nothing. */
        VolumeAssumer NONE = (pod, node) -> Assumed.NOTHING;

        /** Assumes the volumes that {@code pod} uses on {@code node}. */
        Assumed assume(PodInfo pod, String node);

        /** The pod no longer needs a node; cached data about its volumes can be dropped. */
        default void drop(PodInfo pod) {}

        /** The assumed volumes of one pod. */
        interface Assumed {
            /** Every claim is already bound, or there are none. */
            Assumed NOTHING = new Assumed() {};

            /** The error if the volumes could not be assumed; empty on success. */
            default String error() {
                return "";
            }

            /**
             * Binds the assumed volumes, without blocking.
             *
             * @param done called once, on any thread, with the error or an empty string
             */
            default void bind(Consumer<String> done) {
                done.accept("");
            }

            /** Reverts the assumption. */
            default void undo() {}
        }
    }
}
