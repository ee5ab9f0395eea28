package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Objects;

/** Tells changes that may make a pod schedulable from mere status updates. Mirrors {@code isPodUpdated}. */
public final class SpecChange {
    private SpecChange() {}

    /** True when anything but the resource version and the status differs, as far as the scheduler keeps it. */
    public static boolean isBetween(PodInfo old, PodInfo newer) {
        return !old.labels().equals(newer.labels())
                || !old.annotations().equals(newer.annotations())
                || !Objects.equals(old.controller(), newer.controller())
                || old.terminating() != newer.terminating()
                || !old.nodeName().equals(newer.nodeName())
                || !old.spec().equals(newer.spec());
    }
}
