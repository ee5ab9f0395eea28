package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Hears what an attempt has seen, as soon as it has ended and before its decision is carried out. */
@FunctionalInterface
public interface AttemptListener {
    /** Hears nothing; nothing is collected for it. */
    AttemptListener UNHEARD = (pod, details) -> {};

    /** An attempt has ended. Called on the thread that decides; must be fast. */
    void attempted(PodInfo pod, AttemptDetails details);
}
