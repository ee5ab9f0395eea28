package io.policyscheduler.framework.plugin;

import com.google.common.collect.Sets;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import java.util.List;
import java.util.Set;

/**
 * A registration: a plugin asks for events, and says of each whether it may help a pod that the plugin has rejected. Mirrors
 * {@code ClusterEventWithHint}.
 *
 * @param resource what they are about
 * @param actions which of them
 * @param hint which of these may help
 */
public record EventHint(EventResource resource, Set<EventAction> actions, Hint hint) {
    /** Whether an event may help. */
    @FunctionalInterface
    public interface Hint {
        /** Every event does. */
        Hint ALWAYS = (pod, event) -> true;

        /** None does; for events that are asked for because they may open a gate. */
        Hint NEVER = (pod, event) -> false;

        /**
         * True when the event may make {@code pod} schedulable as far as this plugin is concerned.
         *
         * @param pod as last seen; it waits, and the plugin has rejected it
         * @throws RuntimeException when it cannot be said, which counts as true
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

    /** What a plugin that says nothing about itself is taken to ask for: everything. */
    public static List<EventHint> everything() {
        return List.of(EventResource.values()).stream()
                .map(resource -> new EventHint(resource, EventAction.ALL, Hint.ALWAYS))
                .toList();
    }

    /** True when events of this kind are asked for; a pod's change of which no more is said by those only that ask for all changes. */
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
