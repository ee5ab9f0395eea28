package io.policyscheduler.cmd.live.preemption;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.engine.cluster.object.PodInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes into pods which node they are promised, for as long as they wait for one. */
final class Nominations {
    private static final Logger LOG = LoggerFactory.getLogger(Nominations.class);
    private static final int CONFLICT = 409;
    /** Our own condition is often written at the same time. */
    private static final int ATTEMPTS = 3;

    private final PodWriter pods;

    Nominations(PodWriter pods) {
        this.pods = pods;
    }

    /**
     * Writes a promise, or removes it.
     *
     * @param node null to remove it
     * @return why not; empty when it is written
     */
    String write(PodInfo pod, @Nullable String node) throws ApiIoException {
        String refusal = "";
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            String version = pods.unboundVersion(pod.namespace(), pod.name(), pod.uid());
            if (version.isEmpty()) {
                return "the pod no longer waits for a node";
            }
            ApiResponse response = pods.patchNominatedNode(pod.namespace(), pod.name(), pod.uid(), version, node);
            if (response.success()) {
                return "";
            }
            refusal = response.message();
            if (response.code() != CONFLICT) {
                return refusal;
            }
        }
        return refusal;
    }

    /** Takes a promise back, if there is one; a failure is only told. */
    void clear(PodInfo pod) {
        if (pod.nominatedNodeName().isEmpty()) {
            return;
        }
        try {
            String refusal = write(pod, null);
            if (!refusal.isEmpty()) {
                LOG.atDebug().addKeyValue("pod", pod.key()).log("nomination not cleared: {}", refusal);
            }
        } catch (ApiIoException e) {
            LOG.atWarn().addKeyValue("pod", pod.key()).log("W104 nomination not cleared: {}", e.getMessage());
        }
    }
}
