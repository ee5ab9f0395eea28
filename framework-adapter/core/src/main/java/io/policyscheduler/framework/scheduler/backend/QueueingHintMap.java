package io.policyscheduler.framework.scheduler.backend;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.profile.ReleaseRules.Waking;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event registrations of a profile's plugins, with their hints. Immutable. Mirrors {@code buildQueueingHintMap} of
 * {@code pkg/scheduler/scheduler.go} of 1.34.
 */
public final class QueueingHintMap {
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

    private static Map<String, List<EventHint.Hint>> asking(Map<String, List<EventHint>> registered, EventKind kind) {
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
