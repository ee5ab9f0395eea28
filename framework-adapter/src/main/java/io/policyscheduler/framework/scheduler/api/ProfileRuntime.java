package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.PodDecider;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.profile.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A profile at work: its plugins and what carries out its decisions.
 *
 * @param schedulerName pods that name it are its pods
 * @param profile the plugins
 * @param decider decides with them
 * @param preemptor makes room
 * @param binder used when no bind plugin binds
 * @param volumes speaks for the volumes of a pod whose node has been chosen
 * @param hints plugins that can tell which changes help, by name
 */
public record ProfileRuntime(
        String schedulerName,
        Profile profile,
        PodDecider decider,
        Preemptor preemptor,
        Binder binder,
        VolumeAssumer volumes,
        Map<String, RequeueHints> hints) {
    public ProfileRuntime {
        hints = Map.copyOf(hints);
    }

    /** A runtime with the hints of the profile's own plugins. */
    public static ProfileRuntime of(
            String schedulerName,
            Profile profile,
            PodDecider decider,
            Preemptor preemptor,
            Binder binder,
            VolumeAssumer volumes) {
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
        return new ProfileRuntime(schedulerName, profile, decider, preemptor, binder, volumes, hints);
    }

    boolean mayEnter(PodInfo pod) {
        for (PreEnqueuePlugin plugin : profile.preEnqueues()) {
            if (!PluginFailures.ask(plugin, () -> plugin.preEnqueue(pod)).isSuccess()) {
                return false;
            }
        }
        return true;
    }

    /** True unless all plugins that rejected the pod say that this is not what they wait for. */
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

    /** True when a plugin that rejected the pod, or may have, asks for such events; one that gives no hints does not. */
    boolean waitsFor(Set<String> rejectedBy, ClusterEvent event) {
        for (String name : rejectedBy.isEmpty() ? hints.keySet() : rejectedBy) {
            RequeueHints hinting = hints.get(name);
            if (hinting != null && hinting.events().contains(event)) {
                return true;
            }
        }
        return false;
    }

    /** A plugin that cannot say is better taken to be helped. */
    private static boolean mayHelp(
            RequeueHints plugin, PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
        try {
            return plugin.events().contains(event) && plugin.mayHelp(pod, event, changed);
        } catch (RuntimeException | LinkageError e) {
            PluginFailures.status(plugin, e);
            return true;
        }
    }
}
