package io.policyscheduler.framework.profile;

import com.google.common.base.Ascii;
import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The differences of the framework between releases, apart from plugins: the order of steps, and the texts around a plugin's
 * message. Mirrors {@code scheduler.go} and {@code framework.go} of 1.17 and of current releases.
 */
public interface ReleaseRules {
    /** Null, or the error of a pod that fails before any node is evaluated. */
    @Nullable
    String objection(PodInfo pod, ClusterView cluster);

    /** Starts an attempt: sorts the nodes in the order of the release. */
    void startCycle(ClusterState cluster);

    /** Whether PreFilter may reject a pod; otherwise such a rejection is an error. */
    boolean letsPreFiltersReject();

    /** Whether the attempt fails if a plugin returns the name of a missing node from PreFilter. */
    default boolean requiresNamedNodes() {
        return false;
    }

    /** Whether nodes that PreFilter excludes count in the message of a pod without a feasible node. */
    default boolean countsExcludedNodes() {
        return true;
    }

    /** Whether the nominated node is evaluated before all others, and selected if it is feasible. */
    boolean triesNomineeFirst();

    /** Whether the first feasible node is selected if there are no scores. */
    boolean stopsAtFirstOfEqualNodes();

    /** Whether plugins share metadata, so that a trial without it changes nothing. */
    boolean sharesMetadata();

    /** Whether an attempt with an error counts as unschedulable. */
    boolean countsErrorsAsUnschedulable();

    /** Whether preemption runs before the condition of the pod is written, so that its message contains the result. */
    boolean makesRoomBeforeTelling();

    /**
     * Whether an unschedulable pod waits for an event that a plugin which rejected it is registered for; in 1.17 it waits for any
     * change, for at most one minute.
     */
    boolean waitsForEvents();

    /** Whether a rejection after the decision counts as unschedulable; in 1.17 it is an error, except at permit. */
    boolean isRejection(Status status);

    /**
     * Returns the rules of preemption.
     *
     * @param ofGates the rules of 1.17
     */
    Preemption preemption(Preemption ofGates);

    /** The reason of the condition DisruptionTarget that a victim gets before it is deleted; empty for no condition. */
    String evictionReason();

    /** Whether a victim that waits on Permit is only rejected, not deleted. */
    boolean rejectsWaitingVictims();

    /**
     * Whether the binding of a victim in PreBind is cancelled instead of deleting the victim, and a victim at Permit is retried after
     * its backoff.
     */
    default boolean cancelsBindingVictims() {
        return false;
    }

    /** Whether no event is emitted for a victim that was already deleted. */
    boolean ignoresGoneVictims();

    /** The preemptor in the event about its victim. */
    String preemptor(PodInfo pod);

    /** The end of the event about a victim that was only rejected; empty for none. */
    default String evictedInMemory() {
        return "";
    }

    /** Whether a pod that is not bound immediately gets its node in {@code status.nominatedNodeName}. */
    default boolean nominatesBindingPods() {
        return false;
    }

    /** Whether preemption tries nodes that plugins exclude before the filters. */
    default boolean triesExcludedNodes() {
        return false;
    }

    /** Whether an extender can report nodes where preemption would not help. */
    boolean letsExtendersRuleOut();

    /** Whether the next binder binds a pod if the bind request to an ignorable extender fails. */
    boolean skipsIgnorableBinders();

    /** Whether scores ignore the pods and images of a node that was sent to an extender as a whole object. */
    boolean emptiesNodesOfExtenders();

    /**
     * The message for a rejection of all nodes by PreFilter.
     *
     * @param nodes number of the nodes
     */
    default String rejectsAll(Status rejection, int nodes) {
        return "0/" + nodes + " nodes are available: " + rejection.message() + ".";
    }

    /** The part of the message that comes from post-filter plugins; empty for none. */
    String afterwards(String ofPostFilters);

    /** The events that requeue a waiting pod. */
    Waking waking();

    /** The message of a PreFilter that failed, or that may not reject. */
    String preFilter(String plugin, String pod, Status status);

    /** The message of a failed filter. */
    String filter(String plugin, String pod, Status status);

    /**
     * The message of a failed trial.
     *
     * @param step {@code AddPod} or {@code RemovePod}
     */
    String whatIf(String step, String plugin, String error);

    /** The message of a failed PreScore. */
    String preScore(String plugin, String pod, Status status);

    /** The message of a failed score. */
    String score(String plugin, String pod, String message);

    /** The message of a failed NormalizeScore. */
    String normalize(String plugin, String pod, String message);

    /** The message of a score out of range. */
    String range(String plugin, String pod, long score);

    /** The message of a Reserve that failed or rejected. */
    String reserve(String plugin, String pod, Status status);

    /** The message of a Permit that failed or rejected. */
    String permit(String plugin, String pod, Status status);

    /** The message of a rejection while waiting at Permit. */
    String rejectedWaiting(String pod, String message);

    /** The message of a failed PreBind. */
    String preBind(String plugin, String pod, Status status);

    /** The message of a failed bind plugin; {@code pod} is {@code namespace/name}. */
    String bind(String plugin, String pod, Status status);

    /** The message of the event about a failed bind. */
    String bindEvent(String message);

    /** The message if no bind plugin binds the pod and the profile has no default binder. */
    default String nobodyBinds(String pod) {
        return "no bind plugin of the profile binds pod \"" + pod + "\": all of them skipped it";
    }

    /** Kubernetes 1.17. */
    static final class V1_17 implements ReleaseRules {
        private static final V1_17 INSTANCE = new V1_17();

        @Override
        public @Nullable String objection(PodInfo pod, ClusterView cluster) {
            return PodChecks.error(pod, cluster);
        }

        @Override
        public boolean sharesMetadata() {
            return true;
        }

        @Override
        public boolean countsErrorsAsUnschedulable() {
            return true;
        }

        @Override
        public void startCycle(ClusterState cluster) {
            cluster.startCycle();
        }

        @Override
        public boolean letsPreFiltersReject() {
            return false;
        }

        @Override
        public boolean triesNomineeFirst() {
            return false;
        }

        @Override
        public boolean stopsAtFirstOfEqualNodes() {
            return false;
        }

        @Override
        public boolean makesRoomBeforeTelling() {
            return false;
        }

        @Override
        public boolean waitsForEvents() {
            return false;
        }

        @Override
        public String evictionReason() {
            return "";
        }

        @Override
        public boolean rejectsWaitingVictims() {
            return false;
        }

        @Override
        public boolean ignoresGoneVictims() {
            return false;
        }

        @Override
        public boolean isRejection(Status status) {
            return false;
        }

        @Override
        public Preemption preemption(Preemption ofGates) {
            return ofGates;
        }

        @Override
        public boolean skipsIgnorableBinders() {
            // v1.17 fails the bind again and again.
            return true;
        }

        @Override
        public boolean letsExtendersRuleOut() {
            return false;
        }

        @Override
        public boolean emptiesNodesOfExtenders() {
            return false;
        }

        @Override
        public String afterwards(String ofPostFilters) {
            return ofPostFilters;
        }

        @Override
        public Waking waking() {
            return Waking.ANY;
        }

        @Override
        public String preemptor(PodInfo pod) {
            return pod.key();
        }

        private static String running(String point, String plugin, String pod, Status status) {
            return "error while running \"" + plugin + "\" " + Ascii.toLowerCase(point) + " plugin for pod \"" + pod
                    + "\": " + status.message();
        }

        @Override
        public String preFilter(String plugin, String pod, Status status) {
            return status.isRejected()
                    ? "rejected by \"" + plugin + "\" at prefilter: " + status.message()
                    : running("PreFilter", plugin, pod, status);
        }

        @Override
        public String filter(String plugin, String pod, Status status) {
            return running("Filter", plugin, pod, status);
        }

        @Override
        public String whatIf(String step, String plugin, String error) {
            return error;
        }

        /** In 1.17 this extension point is called PostFilter. */
        @Override
        public String preScore(String plugin, String pod, Status status) {
            return running("PostFilter", plugin, pod, status);
        }

        @Override
        public String score(String plugin, String pod, String message) {
            return "error while running score plugin for pod \"" + pod + "\": " + message;
        }

        @Override
        public String normalize(String plugin, String pod, String message) {
            return "error while running normalize score plugin for pod \"" + pod + "\": normalize score plugin \""
                    + plugin + "\" failed with error " + message;
        }

        @Override
        public String range(String plugin, String pod, long score) {
            return "error while applying score defaultWeights for pod \"" + pod + "\": score plugin \"" + plugin + "\""
                    + " returns an invalid score " + score + ", it should in the range of ["
                    + ScorePlugin.MIN_SCORE + ", " + ScorePlugin.MAX_SCORE + "] after normalizing";
        }

        @Override
        public String reserve(String plugin, String pod, Status status) {
            return running("Reserve", plugin, pod, status);
        }

        @Override
        public String permit(String plugin, String pod, Status status) {
            return status.isRejected()
                    ? "rejected by \"" + plugin + "\" at permit: " + status.message()
                    : running("Permit", plugin, pod, status);
        }

        @Override
        public String rejectedWaiting(String pod, String message) {
            return "pod \"" + pod + "\" rejected while waiting at permit: " + message;
        }

        @Override
        public String preBind(String plugin, String pod, Status status) {
            return running("PreBind", plugin, pod, status);
        }

        @Override
        public String bind(String plugin, String pod, Status status) {
            return "Bind failure, code: 1: bind plugin \"" + plugin + "\" failed to bind pod \"" + pod + "\": "
                    + status.message();
        }

        @Override
        public String bindEvent(String message) {
            return "Binding rejected: " + message;
        }
    }

    /** Releases after 1.17. {@link SchedulerChange} has the differences between them. */
    static final class Later implements ReleaseRules {
        private final boolean tellsOfRoom;
        private final boolean endsTwice;
        private final boolean rejectsInOneSentence;
        private final Preemption preemption;
        private final boolean rejectsWaitingVictims;
        private final boolean cancelsBindingVictims;
        private final boolean triesExcludedNodes;
        private final boolean nominatesBindingPods;
        private final String evictedInMemory;
        private final String evictionReason;
        private final boolean namesPreemptor;
        private final boolean hasUidOfPreemptor;
        private final boolean letsExtendersRuleOut;
        private final boolean skipsIgnorableBinders;
        private final boolean emptiesNodesOfExtenders;
        private final boolean checksClaims;
        private final boolean requiresNamedNodes;
        private final boolean countsExcludedNodes;
        private final boolean letsPreFiltersReject;
        private final boolean namesPods;
        private final boolean namesPodsOfFilters;
        private final Waking waking;

        Later(Release release) {
            this.checksClaims = !SchedulerChange.CLAIM_ERRORS_REJECT.in(release);
            this.requiresNamedNodes = !SchedulerChange.NAMED_NODES_MAY_BE_MISSING.in(release);
            this.countsExcludedNodes = SchedulerChange.EXCLUDED_NODES_ARE_COUNTED.in(release);
            this.letsPreFiltersReject = SchedulerChange.CLAIMS_BEFORE_NODES.in(release);
            this.namesPods = !SchedulerChange.ERROR_TEXTS.in(release);
            this.namesPodsOfFilters = !SchedulerChange.FILTER_ERROR_TEXT.in(release);
            this.tellsOfRoom = SchedulerChange.ROOM_IS_TOLD.in(release);
            this.rejectsInOneSentence = SchedulerChange.MORE_SENTENCES.in(release);
            this.endsTwice = rejectsInOneSentence && !SchedulerChange.ONE_FULL_STOP.in(release);
            this.preemption = Preemption.current(release);
            this.rejectsWaitingVictims = SchedulerChange.WAITING_VICTIMS_ARE_REJECTED.in(release);
            this.cancelsBindingVictims = SchedulerChange.BINDING_VICTIMS_ARE_CANCELLED.in(release);
            this.triesExcludedNodes = !SchedulerChange.EXCLUDED_NODES_ARE_NOT_TRIED.in(release);
            this.nominatesBindingPods = SchedulerChange.NOMINATED_WHILE_BINDING.in(release);
            this.evictedInMemory = SchedulerChange.EVICTED_IN_MEMORY.in(release) ? " (in kube-scheduler memory)." : "";
            this.namesPreemptor = !SchedulerChange.PREEMPTOR_IS_NOT_NAMED.in(release);
            this.hasUidOfPreemptor = SchedulerChange.UID_OF_PREEMPTOR.in(release);
            this.evictionReason = !SchedulerChange.VICTIMS_HAVE_CONDITIONS.in(release)
                    ? ""
                    : SchedulerChange.REASON_OF_VICTIMS.in(release)
                            ? "PreemptionByScheduler"
                            : "PreemptionByKubeScheduler";
            this.skipsIgnorableBinders = SchedulerChange.IGNORABLE_BINDERS.in(release);
            this.letsExtendersRuleOut = SchedulerChange.EXTENDERS_RULE_OUT.in(release);
            this.emptiesNodesOfExtenders = SchedulerChange.EXTENDERS_SEE_IDLE_NODES.in(release);
            this.waking = SchedulerChange.HINTS.in(release)
                    ? Waking.HINTS
                    : SchedulerChange.EVENTS_OF_PLUGINS.in(release) ? Waking.KINDS : Waking.ANY;
        }

        /** Since 1.20, plugins check the claims of a pod. */
        @Override
        public @Nullable String objection(PodInfo pod, ClusterView cluster) {
            return checksClaims ? PodChecks.error(pod, cluster) : null;
        }

        @Override
        public boolean requiresNamedNodes() {
            return requiresNamedNodes;
        }

        @Override
        public boolean countsExcludedNodes() {
            return countsExcludedNodes;
        }

        @Override
        public void startCycle(ClusterState cluster) {
            cluster.startCurrentCycle();
        }

        @Override
        public boolean letsPreFiltersReject() {
            return letsPreFiltersReject;
        }

        @Override
        public boolean triesNomineeFirst() {
            return true;
        }

        @Override
        public boolean stopsAtFirstOfEqualNodes() {
            return true;
        }

        @Override
        public boolean makesRoomBeforeTelling() {
            return true;
        }

        @Override
        public boolean waitsForEvents() {
            return true;
        }

        @Override
        public String evictionReason() {
            return evictionReason;
        }

        @Override
        public boolean rejectsWaitingVictims() {
            return rejectsWaitingVictims;
        }

        @Override
        public boolean cancelsBindingVictims() {
            return cancelsBindingVictims;
        }

        @Override
        public boolean ignoresGoneVictims() {
            return true;
        }

        @Override
        public boolean triesExcludedNodes() {
            return triesExcludedNodes;
        }

        @Override
        public String evictedInMemory() {
            return evictedInMemory;
        }

        @Override
        public boolean nominatesBindingPods() {
            return nominatesBindingPods;
        }

        @Override
        public boolean sharesMetadata() {
            return false;
        }

        @Override
        public boolean countsErrorsAsUnschedulable() {
            return false;
        }

        @Override
        public boolean isRejection(Status status) {
            return status.isRejected();
        }

        @Override
        public boolean skipsIgnorableBinders() {
            return skipsIgnorableBinders;
        }

        @Override
        public boolean letsExtendersRuleOut() {
            return letsExtendersRuleOut;
        }

        @Override
        public boolean emptiesNodesOfExtenders() {
            return emptiesNodesOfExtenders;
        }

        @Override
        public String rejectsAll(Status rejection, int nodes) {
            if (rejectsInOneSentence) {
                return ReleaseRules.super.rejectsAll(rejection, nodes);
            }
            Map<String, Integer> counts = new HashMap<>();
            rejection.reasons().forEach(reason -> counts.merge(reason, nodes, Integer::sum));
            return FitErrorText.of(nodes, counts);
        }

        @Override
        public String afterwards(String ofPostFilters) {
            if (!tellsOfRoom || ofPostFilters.isEmpty()) {
                return "";
            }
            return endsTwice ? ofPostFilters + "." : ofPostFilters;
        }

        @Override
        public Waking waking() {
            return waking;
        }

        @Override
        public Preemption preemption(Preemption ofGates) {
            return preemption;
        }

        @Override
        public String preemptor(PodInfo pod) {
            if (namesPreemptor) {
                return pod.key();
            }
            return hasUidOfPreemptor ? "pod " + pod.uid() : "a pod";
        }

        private static String running(String point, String plugin, Status status) {
            return "running " + point + " plugin \"" + plugin + "\": " + status.message();
        }

        /** A rejection after the decision is formatted as if the cluster had one node. */
        private static String lateRejection(String message) {
            return "0/1 nodes are available: 1 " + message + ".";
        }

        private static String late(String point, String plugin, Status status) {
            return status.isRejected() ? lateRejection(status.message()) : running(point, plugin, status);
        }

        @Override
        public String preFilter(String plugin, String pod, Status status) {
            if (!letsPreFiltersReject) {
                return V1_17.INSTANCE.preFilter(plugin, pod, status);
            }
            return namesPods
                    ? "prefilter plugin \"" + plugin + "\" failed for pod \"" + pod + "\": " + status.message()
                    : running("PreFilter", plugin, status);
        }

        @Override
        public String filter(String plugin, String pod, Status status) {
            return "running \"" + plugin + "\" filter plugin"
                    + (namesPodsOfFilters ? " for pod \"" + pod + "\": " : ": ") + status.message();
        }

        @Override
        public String whatIf(String step, String plugin, String error) {
            return "running " + step + " on PreFilter plugin \"" + plugin + "\": " + error;
        }

        @Override
        public String preScore(String plugin, String pod, Status status) {
            return namesPods ? V1_17.running("PreScore", plugin, pod, status) : running("PreScore", plugin, status);
        }

        @Override
        public String score(String plugin, String pod, String message) {
            return namesPods
                    ? V1_17.INSTANCE.score(plugin, pod, message)
                    : "running Score plugins: plugin \"" + plugin + "\" failed with: " + message;
        }

        @Override
        public String normalize(String plugin, String pod, String message) {
            return namesPods
                    ? V1_17.INSTANCE.normalize(plugin, pod, message)
                    : "running Normalize on Score plugins: plugin \"" + plugin + "\" failed with: " + message;
        }

        @Override
        public String range(String plugin, String pod, long score) {
            if (namesPods) {
                return V1_17.INSTANCE.range(plugin, pod, score);
            }
            return "applying score defaultWeights on Score plugins: plugin \"" + plugin + "\""
                    + " returns an invalid score " + score + ", it should in the range of ["
                    + ScorePlugin.MIN_SCORE + ", " + ScorePlugin.MAX_SCORE + "] after normalizing";
        }

        @Override
        public String reserve(String plugin, String pod, Status status) {
            return late("Reserve", plugin, status);
        }

        @Override
        public String permit(String plugin, String pod, Status status) {
            return late("Permit", plugin, status);
        }

        @Override
        public String rejectedWaiting(String pod, String message) {
            return lateRejection(message);
        }

        @Override
        public String preBind(String plugin, String pod, Status status) {
            return late("PreBind", plugin, status);
        }

        @Override
        public String bind(String plugin, String pod, Status status) {
            return running("Bind", plugin, status);
        }

        @Override
        public String bindEvent(String message) {
            return message;
        }
    }

    /** The events that requeue a pod which waits for events. */
    public enum Waking {
        /** Any event, as long as plugins did not register events. */
        ANY,
        /**
         * Events of the kinds that a plugin which rejected the pod is registered for, without its hints: in releases where hints
         * are off.
         */
        KINDS,
        /** Events for which the hint of such a plugin returns Queue. */
        HINTS;

        /** The effective registrations of a plugin. */
        public List<EventHint> of(EnqueueExtensions plugin) {
            return switch (this) {
                case ANY -> EventHint.everything();
                case KINDS ->
                    plugin.eventsToRegister().stream().map(Waking::withoutHint).toList();
                case HINTS -> plugin.eventsToRegister();
            };
        }

        /** Registrations that only feature gates require never help, so they are dropped even without hints. */
        private static EventHint withoutHint(EventHint hint) {
            return hint.hint().equals(EventHint.Hint.NEVER)
                    ? hint
                    : new EventHint(hint.resource(), hint.actions(), EventHint.Hint.ALWAYS);
        }
    }
}
