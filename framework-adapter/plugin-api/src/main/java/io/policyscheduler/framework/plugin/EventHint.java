package io.policyscheduler.framework.plugin;

import com.google.common.collect.Sets;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import java.util.List;
import java.util.Set;

/**
 * A registration: the events that may help a pod which the plugin has rejected, and a hint that selects among them. Mirrors
 * {@code ClusterEventWithHint}.
 *
 * @param resource of the events
 * @param actions of the events
 * @param hint selects the events that may help
 */
public record EventHint(EventResource resource, Set<EventAction> actions, Hint hint) {
    /** Whether an event may help. */
    @FunctionalInterface
    public interface Hint {
        /** Every event may help. */
        Hint ALWAYS = (pod, event) -> true;

        /** No event helps; for events that are registered because they may end the gating of a pod. */
        Hint NEVER = (pod, event) -> false;

        /**
         * True if the event may make {@code pod} schedulable with respect to this plugin.
         *
         * @param pod the last observed version of the pod, which the plugin has rejected
         * @throws RuntimeException if unknown, which counts as true
         */
        boolean mayHelp(PodInfo pod, ObjectEvent event);
    }

    public EventHint {
        actions = Sets.immutableEnumSet(actions);
    }

    /** A registration. */
    public static EventHint of(Hint hint, EventResource resource, EventAction first, EventAction... more) {
        return new EventHint(resource, Sets.immutableEnumSet(first, more), hint);
    }

    /** The registrations of a plugin without {@link EnqueueExtensions}: all events. */
    public static List<EventHint> everything() {
        return List.of(EventResource.values()).stream()
                .map(resource -> new EventHint(resource, EventAction.ALL, Hint.ALWAYS))
                .toList();
    }

    /** True if events of this kind are registered. A general pod update matches only registrations of all updates. */
    public boolean matches(EventKind kind) {
        boolean about = kind.resource() == resource
                || (resource == EventResource.POD && kind.resource().isPod());
        if (!about) {
            return false;
        }
        return kind.resource().isPod() && kind.action() == EventAction.UPDATE
                ? actions.containsAll(EventAction.POD_UPDATES)
                : actions.contains(kind.action());
    }
}
