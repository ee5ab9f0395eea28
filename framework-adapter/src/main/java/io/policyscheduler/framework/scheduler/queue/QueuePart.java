package io.policyscheduler.framework.scheduler.queue;

/** The parts of the scheduling queue; the label is the value of metric label {@code queue}. */
public enum QueuePart {
    ACTIVE("active"),
    BACKOFF("backoff"),
    UNSCHEDULABLE("unschedulable"),
    /** Held back before the queue. */
    GATED("gated");

    private final String label;

    QueuePart(String label) {
        this.label = label;
    }

    /** The name in metrics. */
    public String label() {
        return label;
    }
}
