package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.ApiResponse;
import io.policyscheduler.cmd.kube.EventText;
import io.policyscheduler.cmd.kube.EventWriter;
import io.policyscheduler.cmd.kube.PodReference;
import io.policyscheduler.cmd.kube.PodWriter;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.WaitingPods;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts one victim. Today's profiles say why first, in the condition {@code DisruptionTarget}, and take back a victim that only
 * waits for permission; 1.17 deletes. Mirrors {@code prepareCandidate} of {@code pkg/scheduler/framework/preemption}. Repeated, it
 * does no further harm: every write carries the victim's uid.
 */
final class PodEvictor {
    private static final Logger LOG = LoggerFactory.getLogger(PodEvictor.class);

    private final PodWriter pods;
    private final EventWriter events;
    private final WaitingPods waitingPods;
    private final boolean current;
    private final long generation;

    /**
     * @param current by the rules of current releases
     * @param generation of the profiles that decide
     */
    PodEvictor(PodWriter pods, EventWriter events, WaitingPods waitingPods, boolean current, long generation) {
        this.pods = pods;
        this.events = events;
        this.waitingPods = waitingPods;
        this.current = current;
        this.generation = generation;
    }

    /**
     * Evicts.
     *
     * @return why the server refuses; empty when the victim is gone or going
     * @throws ApiIoException when it is not known whether the server has done it
     */
    String evict(PodInfo preemptor, String node, PodInfo victim) throws ApiIoException {
        WaitingPods.WaitingPod waiting = waitingPods.get(victim.uid());
        if (!current || waiting == null) {
            String refusal = delete(preemptor, victim);
            if (!refusal.isEmpty()) {
                return refusal;
            }
        }
        if (waiting != null) {
            waiting.reject("preempted");
        }
        record(preemptor, node, victim);
        return "";
    }

    private String delete(PodInfo preemptor, PodInfo victim) throws ApiIoException {
        if (current && !victim.preempted()) {
            ApiResponse marked = conclusive(
                    victim,
                    pods.patchDisruptionTarget(
                            victim.namespace(),
                            victim.name(),
                            victim.uid(),
                            preemptor.spec().schedulerName() + ": preempting to accommodate a higher priority pod"));
            if (marked.isNotFound(victim.name())) {
                return "";
            }
            if (!marked.success()) {
                // Without the right to say so it must go all the same.
                LOG.warn("W105 victim {} of {} not marked: {}", victim.key(), preemptor.key(), marked.message());
            }
        }
        ApiResponse deleted = conclusive(victim, pods.deletePod(victim.namespace(), victim.name(), victim.uid()));
        return deleted.success() || deleted.isNotFound(victim.name()) ? "" : deleted.message();
    }

    private static ApiResponse conclusive(PodInfo victim, ApiResponse response) throws ApiIoException {
        if (response.isInconclusive(victim.name())) {
            throw new ApiIoException("evicting " + victim.key() + ": " + response, response.code());
        }
        return response;
    }

    private void record(PodInfo preemptor, String node, PodInfo victim) {
        String by = current ? "pod " + preemptor.uid() : preemptor.key();
        events.record(
                reference(victim),
                new EventText(
                        preemptor.spec().schedulerName(),
                        "Normal",
                        "Preempted",
                        "Preempted by " + by + " on node " + node,
                        generation,
                        reference(preemptor)));
    }

    private static PodReference reference(PodInfo pod) {
        return new PodReference(pod.namespace(), pod.name(), pod.uid(), pod.resourceVersion());
    }
}
