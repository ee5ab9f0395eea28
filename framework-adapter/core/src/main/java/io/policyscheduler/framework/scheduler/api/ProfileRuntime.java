package io.policyscheduler.framework.scheduler.api;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.cycle.ScheduleAlgorithm;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ObjectEvent;
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
import io.policyscheduler.framework.profile.ReleaseRules.Waking;
import io.policyscheduler.framework.scheduler.backend.Nominator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    String gatingPlugin(PodInfo pod, String first) {
        if (preemptor.isPreparing(pod)) {
            return DefaultPreemption.NAME;
        }
        if (!first.isEmpty()
                && profile.preEnqueues().stream()
                        .anyMatch(plugin -> plugin.name().equals(first) && gates(plugin, pod))) {
            return first;
        }
        for (PreEnqueuePlugin plugin : profile.preEnqueues()) {
            if (!plugin.name().equals(first) && gates(plugin, pod)) {
                return plugin.name();
            }
        }
        return "";
    }

    private static boolean gates(PreEnqueuePlugin plugin, PodInfo pod) {
        return !PluginFailures.call(plugin, () -> plugin.preEnqueue(pod)).isSuccess();
    }

    /** Whether a plugin that rejected the pod reads such changes, or does not declare what it reads. */
    boolean mayHelpByOtherChange(
            PodInfo pod, Set<String> rejectedBy, ClusterEvent event, @Nullable ClusterObject changed) {
        for (String name : rejectedBy) {
            RequeueHints hinting = events.contains(name) ? null : hints.get(name);
            if (hinting != null && mayHelp(hinting, pod, event, changed)) {
                return true;
            }
            boolean isUnhinted = hinting == null
                    && (event == ClusterEvent.NODE_WAIT_OVER || event == ClusterEvent.NAMESPACE_CHANGE)
                    && !isOfKubernetes(name);
            if (isUnhinted || isMissed(name, pod, event, changed)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an in-tree plugin reads such changes, but kube-scheduler has no event for them or ignores it. */
    private static boolean isMissed(String plugin, PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
        return switch (event) {
            case NAMESPACE_CHANGE -> plugin.equals(PluginNames.INTER_POD_AFFINITY);
            case POD_TERMINATION ->
                plugin.equals(PluginNames.POD_TOPOLOGY_SPREAD)
                        && changed instanceof PodInfo terminating
                        && terminating.namespace().equals(pod.namespace());
            case RESOURCE_SLICE_DELETE -> plugin.equals(PluginNames.DYNAMIC_RESOURCES);
            case STORAGE_LIMIT_CHANGE ->
                plugin.equals(PluginNames.NODE_VOLUME_LIMITS) || plugin.equals(PluginNames.VOLUME_BINDING);
            default -> false;
        };
    }

    /** Whether a plugin is in-tree. Their event registrations are complete, so other changes cannot help. */
    private boolean isOfKubernetes(String name) {
        return profile.plugins().stream()
                .anyMatch(plugin -> plugin.name().equals(name) && plugin instanceof EnqueueExtensions);
    }

    boolean mayEnter(PodInfo pod) {
        for (PreEnqueuePlugin plugin : profile.preEnqueues()) {
            if (gates(plugin, pod)) {
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

    /**
     * The event registrations of a profile's plugins, with their hints. Immutable. Mirrors {@code buildQueueingHintMap} of
     * {@code pkg/scheduler/scheduler.go} of 1.34.
     */
    public static final class QueueingHintMap {
        /** The plugin name under which extenders reject pods. */
        public static final String EXTENDER = "Extender";

        private static final Logger log = LoggerFactory.getLogger(QueueingHintMap.class);

        private static final EventKind NODE_ADD = new EventKind(EventResource.NODE, EventAction.ADD);
        private static final EventKind TAINT = new EventKind(EventResource.NODE, EventAction.UPDATE_NODE_TAINT);
        private static final Set<EventAction> OF_EXTENDERS =
                Set.of(EventAction.ADD, EventAction.UPDATE, EventAction.DELETE);
        private static final Set<EventResource> NOT_OF_EXTENDERS =
                Set.of(EventResource.RESOURCE_SLICE, EventResource.VOLUME_ATTACHMENT);

        private final Map<EventKind, Map<String, List<EventHint.Hint>>> byKind;
        private final Set<String> plugins;

        private QueueingHintMap(Map<EventKind, Map<String, List<EventHint.Hint>>> byKind, Set<String> plugins) {
            this.byKind = byKind;
            this.plugins = plugins;
        }

        /**
         * The map of a profile.
         *
         * @param rejecting the plugins that may reject pods. Plugins with {@link RequeueHints} are not included
         * @param extenders whether there is an extender
         */
        public static QueueingHintMap of(Collection<? extends Plugin> rejecting, boolean extenders) {
            return of(rejecting, extenders, Waking.HINTS);
        }

        /**
         * The same with the rules of a release.
         *
         * @param waking how hints are used
         */
        public static QueueingHintMap of(Collection<? extends Plugin> rejecting, boolean extenders, Waking waking) {
            Map<String, List<EventHint>> registered = new LinkedHashMap<>();
            for (Plugin plugin : rejecting) {
                if (plugin instanceof EnqueueExtensions extensions) {
                    registered.put(plugin.name(), withTaints(waking.of(extensions)));
                } else if (!(plugin instanceof RequeueHints)) {
                    registered.put(plugin.name(), EventHint.everything());
                }
            }
            if (extenders) {
                registered.put(EXTENDER, ofExtenders());
            }
            ImmutableMap.Builder<EventKind, Map<String, List<EventHint.Hint>>> byKind = ImmutableMap.builder();
            for (EventResource resource : EventResource.values()) {
                for (EventAction action : EventAction.values()) {
                    EventKind kind = new EventKind(resource, action);
                    Map<String, List<EventHint.Hint>> asking = asking(registered, kind);
                    if (resource != EventResource.POD && !asking.isEmpty()) {
                        byKind.put(kind, asking);
                    }
                }
            }
            return new QueueingHintMap(byKind.buildOrThrow(), Set.copyOf(registered.keySet()));
        }

        /** A new node may have taints that are removed later, so the removal counts as well. */
        private static List<EventHint> withTaints(List<EventHint> hints) {
            boolean fallsBack = hints.stream().anyMatch(hint -> hint.matches(NODE_ADD))
                    && hints.stream().noneMatch(hint -> hint.matches(TAINT));
            if (!fallsBack) {
                return hints;
            }
            List<EventHint> more = new ArrayList<>(hints);
            more.add(EventHint.of(EventHint.Hint.ALWAYS, TAINT.resource(), TAINT.action()));
            return more;
        }

        private static List<EventHint> ofExtenders() {
            return List.of(EventResource.values()).stream()
                    .filter(resource -> !NOT_OF_EXTENDERS.contains(resource))
                    .map(resource -> new EventHint(
                            resource,
                            resource.isPod() || resource == EventResource.NODE ? EventAction.ALL : OF_EXTENDERS,
                            EventHint.Hint.ALWAYS))
                    .toList();
        }

        private static Map<String, List<EventHint.Hint>> asking(
                Map<String, List<EventHint>> registered, EventKind kind) {
            ImmutableMap.Builder<String, List<EventHint.Hint>> asking = ImmutableMap.builder();
            registered.forEach((plugin, hints) -> {
                List<EventHint.Hint> matching = hints.stream()
                        .filter(hint -> hint.matches(kind))
                        .map(EventHint::hint)
                        .toList();
                if (!matching.isEmpty()) {
                    asking.put(plugin, matching);
                }
            });
            return asking.buildOrThrow();
        }

        /** Whether some plugin is registered for events of this kind. */
        public boolean isOfInterest(EventKind kind) {
            return byKind.containsKey(kind);
        }

        /** Whether this plugin is registered for events of this kind. */
        public boolean registers(String plugin, EventKind kind) {
            return byKind.getOrDefault(kind, Map.of()).containsKey(plugin);
        }

        /** Whether the plugin is in the map, even without registrations. */
        public boolean contains(String plugin) {
            return plugins.contains(plugin);
        }

        /**
         * Whether the event may help a pod.
         *
         * @param rejectedBy plugins that rejected it
         */
        public boolean mayHelp(PodInfo pod, Set<String> rejectedBy, ObjectEvent event) {
            Map<String, List<EventHint.Hint>> asking = byKind.get(event.kind());
            if (asking == null) {
                return false;
            }
            for (String plugin : rejectedBy) {
                for (EventHint.Hint hint : asking.getOrDefault(plugin, List.of())) {
                    if (mayHelp(hint, plugin, pod, event)) {
                        return true;
                    }
                }
            }
            return false;
        }

        private static boolean mayHelp(EventHint.Hint hint, String plugin, PodInfo pod, ObjectEvent event) {
            try {
                return hint.mayHelp(pod, event);
            } catch (RuntimeException | LinkageError e) {
                log.atDebug()
                        .addKeyValue("plugin", plugin)
                        .addKeyValue("pod", pod.key())
                        .setCause(e)
                        .log("whether {} helps cannot be said", event.kind().label());
                return true;
            }
        }
    }
}
