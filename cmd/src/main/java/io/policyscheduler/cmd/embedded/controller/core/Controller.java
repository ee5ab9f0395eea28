package io.policyscheduler.cmd.embedded.controller.core;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import java.util.List;

/** Brings objects closer to what they ask for. Used by one thread at a time. */
public interface Controller {
    /** The kinds of which it wants to hear; a kind that is not served is left out. */
    List<ResourceType> watches();

    /**
     * Hears of an object that was there at the beginning or has changed since, and only notes what is to be done.
     *
     * @param deleted whether the object is gone; it is shown in its last state then
     */
    void see(ResourceType type, ObjectNode object, boolean deleted);

    /** Does what is due. Returns whether there was anything. */
    boolean work();
}
