package io.policyscheduler.framework.profile;

import com.google.common.base.Ascii;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.ExplainedTrial;
import io.policyscheduler.engine.preemption.PodPreemption;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.Preemption.CandidateReview;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.Waking;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Kubernetes 1.17. */
final class LegacyRules implements ReleaseRules {
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
    public boolean retriesWhenRoomIsGivenBack() {
        return false;
    }

    @Override
    public boolean explainsEvictions() {
        return false;
    }

    @Override
    public boolean isRejection(Status status) {
        return false;
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
        return ofGates.decide(pod, cluster, nominated, failures, trials::apply, review);
    }

    @Override
    public PodPreemption preemption(Preemption ofGates, PodInfo pod, ClusterView cluster, NominatedPods nominated) {
        return ofGates.of(pod, cluster);
    }

    @Override
    public boolean skipsIgnorableBinders() {
        // v1.17 fails the bind, again and again.
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

    /** 1.17 knows it as PostFilter. */
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
        return "error while running normalize score plugin for pod \"" + pod + "\": normalize score plugin \"" + plugin
                + "\" failed with error " + message;
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
