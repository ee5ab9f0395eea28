package io.policyscheduler.cmd.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One change of one stored object.
 *
 * @param type what happened
 * @param resourceVersion the store's version after the change
 * @param object the object after the change; for DELETED its last state with the new version
 * @param previous the object before the change; null for ADDED
 */
public record StoredEvent(
        Type type,
        long resourceVersion,
        ObjectNode object,
        @Nullable ObjectNode previous) {
    /** The kinds of change. */
    public enum Type {
        ADDED,
        MODIFIED,
        DELETED
    }
}
