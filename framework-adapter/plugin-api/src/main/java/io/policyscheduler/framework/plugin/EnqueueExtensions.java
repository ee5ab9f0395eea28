package io.policyscheduler.framework.plugin;

import java.util.List;

/**
 * A plugin that may reject pods, and knows which changes may change its mind. One that does not implement this is taken to be helped
 * by every change. Profiles of current releases ask it; those of policies do not. Mirrors {@code EnqueueExtensions} of 1.34.
 */
public interface EnqueueExtensions extends Plugin {
    /** What the plugin asks for; called once, when its profile is put to work. */
    List<EventHint> eventsToRegister();
}
