package io.policyscheduler.framework.profile;

import com.google.common.base.Ascii;
import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The differences of the framework between releases, apart from plugins: the order of steps, and the texts around a plugin's
 * message. Mirrors {@code scheduler.go} and {@code framework.go} of 1.17 and of current releases.
 */
public final class ReleaseRules {
    /** Null for the rules of 1.17. */
    private final @Nullable Release current;

    private final @Nullable Preemption preemption;

    private ReleaseRules(@Nullable Release current) {
        this.current = current;
        this.preemption = current == null ? null : Preemption.current(current);
    }

    /** The rules of 1.17, for policies and algorithm providers. */
    static ReleaseRules legacy() {
        return new ReleaseRules(null);
    }

    /** The rules of a release after 1.17; {@link SchedulerChange} has the differences between these. */
    static ReleaseRules of(Release release) {
        return new ReleaseRules(release);
    }

    private boolean isLegacy() {
        return current == null;
    }

    /** Whether these are the rules of a release after 1.17 that has the change. */
    private boolean has(SchedulerChange change) {
        return current != null && change.in(current);
    }

    /** Null, or the error of a pod that fails before any node is evaluated; since 1.20, plugins check the claims of a pod. */
    public @Nullable String objection(PodInfo pod, ClusterView cluster) {
        return has(SchedulerChange.CLAIM_ERRORS_REJECT) ? null : PodChecks.error(pod, cluster);
    }

    /**
     * Starts an attempt: sorts the nodes in the order of the release.
     *
     * @param exactlyV117 whether the order of 1.17 may omit nodes, as in 1.17
     */
    public void startCycle(ClusterState cluster, boolean exactlyV117) {
        if (isLegacy() && exactlyV117) {
            cluster.startCycle();
        } else if (isLegacy()) {
            cluster.startCompleteCycle();
        } else {
            cluster.startCurrentCycle();
        }
    }

    /** Whether PreFilter may reject a pod; otherwise such a rejection is an error. */
    public boolean letsPreFiltersReject() {
        return has(SchedulerChange.CLAIMS_BEFORE_NODES);
    }

    /** Whether the attempt fails if a plugin returns the name of a missing node from PreFilter. */
    public boolean requiresNamedNodes() {
        return !isLegacy() && !has(SchedulerChange.MISSING_NAMED_NODES);
    }

    /** Whether nodes that PreFilter excludes count in the message of a pod without a feasible node. */
    public boolean countsExcludedNodes() {
        return isLegacy() || has(SchedulerChange.EXCLUDED_NODES_ARE_COUNTED);
    }

    /** Whether the nominated node is evaluated before all others, and selected if it is feasible. */
    public boolean triesNomineeFirst() {
        return !isLegacy();
    }

    /** Whether the first feasible node is selected if there are no scores. */
    public boolean stopsAtFirstOfEqualNodes() {
        return !isLegacy();
    }

    /** Whether plugins share metadata, so that a trial without it changes nothing. */
    public boolean sharesMetadata() {
        return isLegacy();
    }

    /** Whether an attempt with an error counts as unschedulable. */
    public boolean countsErrorsAsUnschedulable() {
        return isLegacy();
    }

    /** Whether preemption runs before the condition of the pod is written, so that its message contains the result. */
    public boolean preemptsBeforeCondition() {
        return !isLegacy();
    }

    /**
     * Whether an unschedulable pod waits for an event that a plugin which rejected it is registered for; in 1.17 it waits for any
     * change, for at most one minute.
     */
    public boolean waitsForEvents() {
        return !isLegacy();
    }

    /** Whether a rejection after the decision counts as unschedulable; in 1.17 it is an error, except at permit. */
    public boolean isRejection(Status status) {
        return !isLegacy() && status.isRejected();
    }

    /**
     * Returns the rules of preemption.
     *
     * @param ofGates the rules of 1.17
     */
    public Preemption preemption(Preemption ofGates) {
        return preemption == null ? ofGates : preemption;
    }

    /** The reason of the condition DisruptionTarget that a victim gets before it is deleted; empty for no condition. */
    public String evictionReason() {
        if (!has(SchedulerChange.VICTIMS_HAVE_CONDITIONS)) {
            return "";
        }
        return has(SchedulerChange.REASON_OF_VICTIMS) ? "PreemptionByScheduler" : "PreemptionByKubeScheduler";
    }

    /** Whether a victim that waits on Permit is only rejected, not deleted. */
    public boolean rejectsWaitingVictims() {
        return has(SchedulerChange.WAITING_VICTIMS_ARE_REJECTED);
    }

    /**
     * Whether the binding of a victim in PreBind is cancelled instead of deleting the victim, and a victim at Permit is retried after
     * its backoff.
     */
    public boolean cancelsBindingVictims() {
        return has(SchedulerChange.BINDING_VICTIMS_ARE_CANCELLED);
    }

    /** Whether VolumeBinding and DynamicResources run PreBind at the same time. */
    public boolean runsPreBindInParallel() {
        return has(SchedulerChange.PRE_BIND_IN_PARALLEL);
    }

    /** Whether no event is emitted for a victim that was already deleted. */
    public boolean ignoresDeletedVictims() {
        return !isLegacy();
    }

    /** The preemptor in the event about its victim. */
    public String preemptor(PodInfo pod) {
        if (!has(SchedulerChange.EVENT_WITHOUT_PREEMPTOR)) {
            return pod.key();
        }
        return has(SchedulerChange.EVENT_WITH_PREEMPTOR_UID) ? "pod " + pod.uid() : "a pod";
    }

    /** The end of the event about a victim that was only rejected; empty for none. */
    public String evictedInMemory() {
        return has(SchedulerChange.EVICTED_IN_MEMORY) ? " (in kube-scheduler memory)." : "";
    }

    /** Whether a pod that is not bound immediately gets its node in {@code status.nominatedNodeName}. */
    public boolean nominatesBindingPods() {
        return has(SchedulerChange.NOMINATED_WHILE_BINDING);
    }

    /** Whether a pod that is deleted while it is being bound releases its node immediately. */
    public boolean releasesDeletedPods() {
        return has(SchedulerChange.DELETED_WHILE_BINDING);
    }

    /** Whether the next best node of a pod is tried first for an equal pod that follows. */
    public boolean batches() {
        return has(SchedulerChange.OPPORTUNISTIC_BATCHING);
    }

    /** Whether preemption tries nodes that plugins exclude before the filters. */
    public boolean triesExcludedNodes() {
        return !isLegacy() && !has(SchedulerChange.EXCLUDED_NODES_ARE_NOT_TRIED);
    }

    /** Whether an extender can report nodes where preemption would not help. */
    public boolean letsExtendersRuleOut() {
        return has(SchedulerChange.UNRESOLVABLE_NODES_OF_EXTENDERS);
    }

    /**
     * Whether the next binder binds a pod if the bind request to an ignorable extender fails; 1.17 itself fails the bind again and
     * again.
     */
    public boolean skipsIgnorableBinders() {
        return isLegacy() || has(SchedulerChange.IGNORABLE_BINDERS);
    }

    /** Whether scores ignore the pods and images of a node that was sent to an extender as a whole object. */
    public boolean emptiesNodesOfExtenders() {
        return has(SchedulerChange.SCORES_AFTER_EXTENDERS);
    }

    /**
     * The message for a rejection of all nodes by PreFilter.
     *
     * @param nodes number of the nodes
     */
    public String rejectsAll(Status rejection, int nodes) {
        if (isLegacy() || has(SchedulerChange.PRE_FILTER_SENTENCE)) {
            return "0/" + nodes + " nodes are available: " + rejection.message() + ".";
        }
        Map<String, Integer> counts = new HashMap<>();
        rejection.reasons().forEach(reason -> counts.merge(reason, nodes, Integer::sum));
        return FitErrorText.of(nodes, counts);
    }

    /** The part of the message that comes from post-filter plugins; empty for none. */
    public String afterwards(String ofPostFilters) {
        if (isLegacy() || ofPostFilters.isEmpty()) {
            return ofPostFilters;
        }
        if (!has(SchedulerChange.PREEMPTION_IN_MESSAGES)) {
            return "";
        }
        boolean endsTwice = has(SchedulerChange.PRE_FILTER_SENTENCE) && !has(SchedulerChange.ONE_PERIOD);
        return endsTwice ? ofPostFilters + "." : ofPostFilters;
    }

    /** The events that requeue a waiting pod. */
    public Waking waking() {
        if (has(SchedulerChange.QUEUEING_HINTS)) {
            return Waking.HINTS;
        }
        return has(SchedulerChange.REGISTERED_EVENTS) ? Waking.KINDS : Waking.ANY;
    }

    /** Whether error messages of plugins have the texts of 1.17. */
    private boolean namesPods() {
        return !has(SchedulerChange.ERROR_TEXTS);
    }

    private static String whileRunning(String point, String plugin, String pod, Status status) {
        return "error while running \"" + plugin + "\" " + Ascii.toLowerCase(point) + " plugin for pod \"" + pod
                + "\": " + status.message();
    }

    private static String running(String point, String plugin, Status status) {
        return "running " + point + " plugin \"" + plugin + "\": " + status.message();
    }

    /** A rejection after the decision is formatted as if the cluster had one node. */
    private static String lateRejection(String message) {
        return "0/1 nodes are available: 1 " + message + ".";
    }

    private String late(String point, String plugin, String pod, Status status) {
        if (isLegacy()) {
            return whileRunning(point, plugin, pod, status);
        }
        return status.isRejected() ? lateRejection(status.message()) : running(point, plugin, status);
    }

    /** The message of a PreFilter that failed, or that may not reject. */
    public String preFilter(String plugin, String pod, Status status) {
        if (!letsPreFiltersReject()) {
            return status.isRejected()
                    ? "rejected by \"" + plugin + "\" at prefilter: " + status.message()
                    : whileRunning("PreFilter", plugin, pod, status);
        }
        return namesPods()
                ? "prefilter plugin \"" + plugin + "\" failed for pod \"" + pod + "\": " + status.message()
                : running("PreFilter", plugin, status);
    }

    /** The message of a failed filter. */
    public String filter(String plugin, String pod, Status status) {
        if (isLegacy()) {
            return whileRunning("Filter", plugin, pod, status);
        }
        String of = has(SchedulerChange.FILTER_ERROR_TEXT) ? "" : " for pod \"" + pod + "\"";
        return "running \"" + plugin + "\" filter plugin" + of + ": " + status.message();
    }

    /**
     * The message of a failed trial.
     *
     * @param step {@code AddPod} or {@code RemovePod}
     */
    public String whatIf(String step, String plugin, String error) {
        return isLegacy() ? error : "running " + step + " on PreFilter plugin \"" + plugin + "\": " + error;
    }

    /** The message of a failed PreScore; in 1.17, this extension point is called PostFilter. */
    public String preScore(String plugin, String pod, Status status) {
        return namesPods()
                ? whileRunning(isLegacy() ? "PostFilter" : "PreScore", plugin, pod, status)
                : running("PreScore", plugin, status);
    }

    /** The message of a failed score. */
    public String score(String plugin, String pod, String message) {
        return namesPods()
                ? "error while running score plugin for pod \"" + pod + "\": " + message
                : "running Score plugins: plugin \"" + plugin + "\" failed with: " + message;
    }

    /** The message of a failed NormalizeScore. */
    public String normalize(String plugin, String pod, String message) {
        return namesPods()
                ? "error while running normalize score plugin for pod \"" + pod + "\": normalize score plugin \""
                        + plugin + "\" failed with error " + message
                : "running Normalize on Score plugins: plugin \"" + plugin + "\" failed with: " + message;
    }

    /** The message of a score out of range. */
    public String range(String plugin, String pod, long score) {
        String step = namesPods()
                ? "error while applying score defaultWeights for pod \"" + pod + "\": score plugin \""
                : "applying score defaultWeights on Score plugins: plugin \"";
        return step + plugin + "\" returns an invalid score " + score + ", it should in the range of ["
                + ScorePlugin.MIN_SCORE + ", " + ScorePlugin.MAX_SCORE + "] after normalizing";
    }

    /** The message of a Reserve that failed or rejected. */
    public String reserve(String plugin, String pod, Status status) {
        return late("Reserve", plugin, pod, status);
    }

    /** The message of a Permit that failed or rejected. */
    public String permit(String plugin, String pod, Status status) {
        return isLegacy() && status.isRejected()
                ? "rejected by \"" + plugin + "\" at permit: " + status.message()
                : late("Permit", plugin, pod, status);
    }

    /** The message of a rejection while waiting at Permit. */
    public String rejectedWaiting(String pod, String message) {
        return isLegacy() ? "pod \"" + pod + "\" rejected while waiting at permit: " + message : lateRejection(message);
    }

    /** The message of a failed PreBind. */
    public String preBind(String plugin, String pod, Status status) {
        return late("PreBind", plugin, pod, status);
    }

    /** The message of a failed bind plugin; {@code pod} is {@code namespace/name}. */
    public String bind(String plugin, String pod, Status status) {
        return isLegacy()
                ? "Bind failure, code: 1: bind plugin \"" + plugin + "\" failed to bind pod \"" + pod + "\": "
                        + status.message()
                : running("Bind", plugin, status);
    }

    /** The message of the event about a failed bind. */
    public String bindEvent(String message) {
        return isLegacy() ? "Binding rejected: " + message : message;
    }

    /** The message if no bind plugin binds the pod and the profile has no default binder. */
    public String nobodyBinds(String pod) {
        return "no bind plugin of the profile binds pod \"" + pod + "\": all of them skipped it";
    }

    /** The events that requeue a pod which waits for events. */
    public enum Waking {
        /** Any event, as long as plugins did not register events. */
        ANY,
        /**
         * Events of the kinds that a plugin which rejected the pod is registered for, without its hints: in releases where hints
         * are off. Also updates of the metadata or the spec of the pod itself: mirrors {@code isPodUpdated} of
         * {@code pkg/scheduler/internal/queue/scheduling_queue.go} of 1.31.
         */
        KINDS,
        /** Events for which the hint of such a plugin returns Queue. */
        HINTS;

        /** The effective registrations of a plugin. */
        public List<EventHint> of(EnqueueExtensions plugin) {
            return switch (this) {
                case ANY -> EventHint.everything();
                case KINDS ->
                    Stream.concat(
                                    plugin.eventsToRegister().stream().map(Waking::withoutHint),
                                    Stream.of(new EventHint(
                                            EventResource.UNSCHEDULED_POD, EventAction.ALL, Waking::isItsUpdate)))
                            .toList();
                case HINTS -> plugin.eventsToRegister();
            };
        }

        private static boolean isItsUpdate(PodInfo pod, ObjectEvent event) {
            return event.isAbout(pod)
                    && event.old() instanceof PodInfo old
                    && event.now() instanceof PodInfo now
                    && !(old.labels().equals(now.labels())
                            && old.annotations().equals(now.annotations())
                            && old.terminating() == now.terminating()
                            && old.spec().equals(now.spec()));
        }

        /**
         * Registrations that only feature gates require never help, so they are dropped even without hints. The queue selects the
         * pods that a general update of another pod helps, even without hints.
         */
        private static EventHint withoutHint(EventHint hint) {
            boolean isUpdateOfPods = hint.resource().isPod() && hint.actions().contains(EventAction.UPDATE);
            return hint.hint().equals(EventHint.Hint.NEVER) || isUpdateOfPods
                    ? hint
                    : new EventHint(hint.resource(), hint.actions(), EventHint.Hint.ALWAYS);
        }
    }
}
