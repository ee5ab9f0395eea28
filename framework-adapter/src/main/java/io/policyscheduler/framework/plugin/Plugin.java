package io.policyscheduler.framework.plugin;

/**
 * A part of the scheduling framework. Plugins are called on the scheduling thread, one pod at a time; what belongs to one pod
 * goes into the {@link CycleState}.
 */
public interface Plugin {
    /** The plugin's name, e.g. {@code NodeResourcesFit}. */
    String name();
}
