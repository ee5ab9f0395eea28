package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.preemption.ExplainedTrial;
import io.policyscheduler.engine.preemption.ModernPreemption;
import io.policyscheduler.engine.preemption.PodPreemption;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.Preemption.CandidateReview;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.Waking;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Releases after 1.17; what has changed between them is asked of {@link SchedulerChange}. */
final class ModernRules implements ReleaseRules {
    private final boolean tellsOfRoom;
    private final boolean endsTwice;
    private final boolean rejectsInOneSentence;
    private final boolean waitsForPreempted;
    private final boolean letsExtendersRuleOut;
    private final boolean skipsIgnorableBinders;
    private final boolean emptiesNodesOfExtenders;
    private final Waking waking;

    ModernRules(Release release) {
        this.tellsOfRoom = SchedulerChange.ROOM_IS_TOLD.in(release);
        this.rejectsInOneSentence = SchedulerChange.MORE_SENTENCES.in(release);
        this.endsTwice = rejectsInOneSentence && !SchedulerChange.ONE_FULL_STOP.in(release);
        this.waitsForPreempted = SchedulerChange.VICTIMS_ON_THEIR_WAY.in(release);
        this.skipsIgnorableBinders = SchedulerChange.IGNORABLE_BINDERS.in(release);
        this.letsExtendersRuleOut = SchedulerChange.EXTENDERS_RULE_OUT.in(release);
        this.emptiesNodesOfExtenders = SchedulerChange.EXTENDERS_SEE_IDLE_NODES.in(release);
        this.waking = SchedulerChange.HINTS.in(release)
                ? Waking.HINTS
                : SchedulerChange.EVENTS_OF_PLUGINS.in(release) ? Waking.KINDS : Waking.ANY;
    }

    /** It is left to plugins to look at a pod's claims. */
    @Override
    public @Nullable String objection(PodInfo pod, ClusterView cluster) {
        return null;
    }

    @Override
    public void startCycle(ClusterState cluster) {
        cluster.startCurrentCycle();
    }

    @Override
    public boolean letsPreFiltersReject() {
        return true;
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
    public boolean retriesWhenRoomIsGivenBack() {
        return true;
    }

    @Override
    public boolean explainsEvictions() {
        return true;
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
    public PreemptionResult preempt(
            Preemption ofGates,
            PodInfo pod,
            ClusterView cluster,
            NominatedPods nominated,
            Map<String, NodeFailure> failures,
            Function<NodeInfo, ExplainedTrial> trials,
            CandidateReview review) {
        return new ModernPreemption(pod, cluster, nominated, failures, waitsForPreempted).decide(trials, review);
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
    public PodPreemption preemption(Preemption ofGates, PodInfo pod, ClusterView cluster, NominatedPods nominated) {
        return new ModernPreemption(pod, cluster, nominated, Map.of(), waitsForPreempted);
    }

    @Override
    public String preemptor(PodInfo pod) {
        return "pod " + pod.uid();
    }

    private static String running(String point, String plugin, Status status) {
        return "running " + point + " plugin \"" + plugin + "\": " + status.message();
    }

    /** A rejection after the decision reads like one of the only node. */
    private static String lateRejection(String message) {
        return "0/1 nodes are available: 1 " + message + ".";
    }

    private static String late(String point, String plugin, Status status) {
        return status.isRejected() ? lateRejection(status.message()) : running(point, plugin, status);
    }

    @Override
    public String preFilter(String plugin, String pod, Status status) {
        return running("PreFilter", plugin, status);
    }

    @Override
    public String filter(String plugin, String pod, Status status) {
        return "running \"" + plugin + "\" filter plugin: " + status.message();
    }

    @Override
    public String whatIf(String step, String plugin, String error) {
        return "running " + step + " on PreFilter plugin \"" + plugin + "\": " + error;
    }

    @Override
    public String preScore(String plugin, String pod, Status status) {
        return running("PreScore", plugin, status);
    }

    @Override
    public String score(String plugin, String pod, String message) {
        return "running Score plugins: plugin \"" + plugin + "\" failed with: " + message;
    }

    @Override
    public String normalize(String plugin, String pod, String message) {
        return "running Normalize on Score plugins: plugin \"" + plugin + "\" failed with: " + message;
    }

    @Override
    public String range(String plugin, String pod, long score) {
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
