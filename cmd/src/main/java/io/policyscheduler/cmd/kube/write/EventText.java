package io.policyscheduler.cmd.kube.write;

import org.jspecify.annotations.Nullable;

/**
 * What an event says.
 *
 * @param component the scheduler's name: event source and reporting component
 * @param type Normal or Warning
 * @param reason one word
 * @param message for users
 * @param generation of the profiles that decided, shown as an annotation; 0 for none
 * @param related another pod that has to do with it; null for none
 */
public record EventText(
        String component,
        String type,
        String reason,
        String message,
        long generation,
        @Nullable PodReference related) {
    /** About one pod alone. */
    public EventText(String component, String type, String reason, String message, long generation) {
        this(component, type, reason, message, generation, null);
    }

    /** What the scheduler did, which the reason tells. */
    String action() {
        return switch (reason) {
            case "Scheduled" -> "Binding";
            case "Preempted" -> "Preempting";
            default -> "Scheduling";
        };
    }

    EventText withMessage(String other) {
        return new EventText(component, type, reason, other, generation, related);
    }
}
