package io.policyscheduler.framework.plugin;

import java.util.List;

/**
 * A plugin that can reject pods and registers the events that may make them schedulable. For a plugin without this interface, every
 * change counts. Used by profiles of current releases, not by policies. Mirrors {@code EnqueueExtensions} of 1.34.
 */
public interface EnqueueExtensions extends Plugin {
    /** The registered events; called once, when its profile is created. */
    List<EventHint> eventsToRegister();
}
