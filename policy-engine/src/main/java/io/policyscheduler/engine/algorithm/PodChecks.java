package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import org.jspecify.annotations.Nullable;

/** The checks of a pod that run before any filter. Mirrors {@code podPassesBasicChecks} of the 1.17 scheduler. */
public final class PodChecks {
    /** The error of an attempt in a cluster without nodes. */
    public static final String NO_NODES = "no nodes available to schedule pods";

    private PodChecks() {}

    /** Null, or the text of the error: a claim of the pod is missing or being deleted. */
    public static @Nullable String error(PodInfo pod, ClusterView cluster) {
        for (Volume volume : pod.volumes()) {
            if (volume.kind() == Volume.Kind.CLAIM) {
                ClaimInfo claim = cluster.claim(pod.namespace(), volume.id());
                if (claim == null) {
                    return "persistentvolumeclaim \"" + volume.id() + "\" not found";
                }
                if (claim.terminating()) {
                    return "persistentvolumeclaim \"" + volume.id() + "\" is being deleted";
                }
            }
        }
        return null;
    }
}
