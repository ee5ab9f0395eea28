package io.policyscheduler.cmd.world;

import io.policyscheduler.engine.cluster.release.Release;

/** What users are told of fields of pods that came after everything this program knows. */
public final class UnknownPodFields {
    private UnknownPodFields() {}

    /** One line with its code. */
    public static String warning(String path) {
        return "W112 pods have the field " + path + ", which no release up to " + Release.NEWEST
                + " has: it counts for nothing here; if it says where a pod may run, a newer policy-scheduler is needed";
    }
}
