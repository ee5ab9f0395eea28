package io.policyscheduler.framework.scheduler.queue;

/** Hears of every counted insertion, for {@code scheduler_queue_incoming_pods_total}. */
@FunctionalInterface
public interface QueueListener {
    /** Listens to nothing. */
    QueueListener NONE = (part, event) -> {};

    /**
     * A pod entered {@code part} because of {@code event}; insertions by updates of the pod itself are not reported.
     *
     * @param event its label, of 1.17 or of current releases
     */
    void onIncoming(QueuePart part, String event);
}
