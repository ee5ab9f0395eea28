package io.policyscheduler.cmd.world;

import io.policyscheduler.engine.cluster.release.Release;

/** The warning about fields of pods that are newer than this program. */
public final class UnknownPodFields {
    private UnknownPodFields() {}

    /** Returns the warning, with its code. */
    public static String warning(String path) {
        return "W112 pods have the field " + path + ", which no release up to " + Release.NEWEST
                + " has: the field is ignored; if it affects scheduling, use a newer policy-scheduler";
    }
}
