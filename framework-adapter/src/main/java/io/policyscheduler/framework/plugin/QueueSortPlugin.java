package io.policyscheduler.framework.plugin;

/** The order in which pods are tried. A scheduler has one, shared by all profiles. */
public interface QueueSortPlugin extends Plugin {
    /**
     * Negative when {@code a} goes first. Must not depend on anything that changes while a pod waits. Equal pods are tried in the
     * order in which they came.
     */
    int compare(QueueItem a, QueueItem b);
}
