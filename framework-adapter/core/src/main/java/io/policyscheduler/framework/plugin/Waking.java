package io.policyscheduler.framework.plugin;

import java.util.List;

/** Which events let a pod be tried again that waits for events. */
public enum Waking {
    /** Any, whatever plugins ask for: as long as they asked for none. */
    ANY,
    /** Those of kinds that a plugin which rejected the pod asks for, whatever its hints say: where hints are off. */
    KINDS,
    /** Those of which such a plugin says that they may help. */
    HINTS;

    /** What counts of the registrations of a plugin. */
    public List<EventHint> of(EnqueueExtensions plugin) {
        return switch (this) {
            case ANY -> EventHint.everything();
            case KINDS ->
                plugin.eventsToRegister().stream().map(Waking::withoutHint).toList();
            case HINTS -> plugin.eventsToRegister();
        };
    }

    /** What never helps is asked for because of gates, of which hints know nothing. */
    private static EventHint withoutHint(EventHint hint) {
        return hint.hint().equals(EventHint.Hint.NEVER)
                ? hint
                : new EventHint(hint.resource(), hint.actions(), EventHint.Hint.ALWAYS);
    }
}
