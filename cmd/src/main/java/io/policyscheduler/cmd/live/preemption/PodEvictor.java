package io.policyscheduler.cmd.live.preemption;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.write.EventText;
import io.policyscheduler.cmd.kube.write.EventWriter;
import io.policyscheduler.cmd.kube.write.PodReference;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.DefaultPreemption;
import io.policyscheduler.framework.profile.ReleaseRules;

/**
 * Evicts one victim. By the rules of current releases it is told why first, in the condition {@code DisruptionTarget}, and one that
 * only waits for permission is taken back; one that cannot be told stays. 1.17 deletes. Mirrors {@code prepareCandidate} of {@code pkg/scheduler/framework/preemption}. Repeated, it
 * does no further harm: every write carries the victim's uid.
 */
final class PodEvictor {
    private final PodWriter pods;
    private final EventWriter events;
    private final WaitingPods waitingPods;
    private final ReleaseRules rules;
    private final long generation;

    /**
     * @param rules of the profile that decides
     * @param generation of the profiles that decide
     */
    PodEvictor(PodWriter pods, EventWriter events, WaitingPods waitingPods, ReleaseRules rules, long generation) {
        this.pods = pods;
        this.events = events;
        this.waitingPods = waitingPods;
        this.rules = rules;
        this.generation = generation;
    }

    /**
     * What came of it.
     *
     * @param refusal why the server refuses; empty when the victim is gone or going
     * @param wasGone the victim was gone already
     */
    record Outcome(String refusal, boolean wasGone) {
        private static final Outcome EVICTED = new Outcome("", false);
        private static final Outcome WAS_GONE = new Outcome("", true);
    }

    /**
     * Evicts.
     *
     * @throws ApiIoException when it is not known whether the server has done it
     */
    Outcome evict(PodInfo preemptor, String node, PodInfo victim) throws ApiIoException {
        WaitingPods.WaitingPod waiting = waitingPods.get(victim.uid());
        if (!rules.explainsEvictions() || waiting == null) {
            Outcome outcome = delete(preemptor, victim);
            boolean isTold = outcome.refusal().isEmpty() && !(outcome.wasGone() && rules.explainsEvictions());
            if (!isTold) {
                return outcome;
            }
        }
        if (waiting != null) {
            waiting.reject(DefaultPreemption.NAME, "preempted");
        }
        record(preemptor, node, victim);
        return Outcome.EVICTED;
    }

    private Outcome delete(PodInfo preemptor, PodInfo victim) throws ApiIoException {
        if (rules.explainsEvictions() && !victim.preempted()) {
            ApiResponse marked = conclusive(
                    victim,
                    pods.patchDisruptionTarget(
                            victim.namespace(),
                            victim.name(),
                            victim.uid(),
                            preemptor.spec().schedulerName() + ": preempting to accommodate a higher priority pod",
                            victim.generation()));
            if (marked.isNotFound(victim.name())) {
                return Outcome.WAS_GONE;
            }
            if (!marked.success()) {
                return new Outcome("its condition cannot be set: " + marked.message(), false);
            }
        }
        ApiResponse deleted = conclusive(victim, pods.deletePod(victim.namespace(), victim.name(), victim.uid()));
        if (deleted.isNotFound(victim.name())) {
            return Outcome.WAS_GONE;
        }
        return deleted.success() ? Outcome.EVICTED : new Outcome(deleted.message(), false);
    }

    private static ApiResponse conclusive(PodInfo victim, ApiResponse response) throws ApiIoException {
        if (response.isInconclusive(victim.name())) {
            throw new ApiIoException("evicting " + victim.key() + ": " + response, response.code());
        }
        return response;
    }

    private void record(PodInfo preemptor, String node, PodInfo victim) {
        events.record(
                reference(victim),
                new EventText(
                        preemptor.spec().schedulerName(),
                        "Normal",
                        "Preempted",
                        "Preempted by " + rules.preemptor(preemptor) + " on node " + node,
                        generation,
                        reference(preemptor)));
    }

    private static PodReference reference(PodInfo pod) {
        return new PodReference(pod.namespace(), pod.name(), pod.uid(), pod.resourceVersion());
    }
}
