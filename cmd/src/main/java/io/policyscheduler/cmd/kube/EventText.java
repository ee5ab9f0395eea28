package io.policyscheduler.cmd.kube;

/**
 * What an event says.
 *
 * @param component the scheduler's name: event source and reporting component
 * @param type Normal or Warning
 * @param reason one word
 * @param message for users
 * @param generation of the profiles that decided, shown as an annotation; 0 for none
 */
public record EventText(String component, String type, String reason, String message, long generation) {
    EventText withMessage(String other) {
        return new EventText(component, type, reason, other, generation);
    }
}
