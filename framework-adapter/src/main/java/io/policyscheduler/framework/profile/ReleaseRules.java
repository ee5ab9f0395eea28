package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.ExplainedTrial;
import io.policyscheduler.engine.preemption.PodPreemption;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.Preemption.CandidateReview;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.Waking;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All in which the framework of one release differs from that of another, whatever the plugins: what is done in which order, and
 * the words put around a plugin's message. Mirrors {@code scheduler.go} and {@code framework.go} of 1.17 and of current releases.
 */
public interface ReleaseRules {
    /** Null, or what is wrong with the pod before any node is looked at. */
    @Nullable
    String objection(PodInfo pod, ClusterView cluster);

    /** Begins an attempt: brings the nodes into the order of the release. */
    void startCycle(ClusterState cluster);

    /** True when a plugin may reject a pod before filtering; otherwise such a rejection is an error. */
    boolean letsPreFiltersReject();

    /** True when a node promised to the pod is looked at before all others, and taken if it fits. */
    boolean triesNomineeFirst();

    /** True when the first node that fits is taken where nothing tells nodes apart. */
    boolean stopsAtFirstOfEqualNodes();

    /** True when plugins share what is known of the cluster, so that a what-if without it changes nothing. */
    boolean sharesMetadata();

    /** True when an attempt that ends with an error counts as one in which no node fits. */
    boolean countsErrorsAsUnschedulable();

    /** True when room is made before it is told that the pod fits nowhere, so that what comes of it can be told, too. */
    boolean makesRoomBeforeTelling();

    /**
     * True when a pod that no node took waits for an event that a plugin which rejected it asks for; in 1.17 it waits for any change,
     * and comes back no later than a minute after.
     */
    boolean waitsForEvents();

    /** True when waiting pods are tried again because a pod gives back room that it took in vain. */
    boolean retriesWhenRoomIsGivenBack();

    /** True for a rejection after the decision that counts as unschedulable; in 1.17 it is an error, but for permit. */
    boolean isRejection(Status status);

    /**
     * What preemption would do.
     *
     * @param ofGates the rules of 1.17
     * @param failures what the failed attempt found out about each node
     * @param trials gives a trial of the preemptor on a node
     * @param review has a word on the candidates
     */
    PreemptionResult preempt(
            Preemption ofGates,
            PodInfo pod,
            ClusterView cluster,
            NominatedPods nominated,
            Map<String, NodeFailure> failures,
            Function<NodeInfo, ExplainedTrial> trials,
            CandidateReview review);

    /**
     * Preemption for one pod, taken apart.
     *
     * @param ofGates the rules of 1.17
     */
    PodPreemption preemption(Preemption ofGates, PodInfo pod, ClusterView cluster, NominatedPods nominated);

    /** True when a victim is told why it is evicted, and one that only waits for permission is merely taken back. */
    boolean explainsEvictions();

    /** The preemptor in the event about its victim. */
    String preemptor(PodInfo pod);

    /** True when an extender can say where preemption would not help. */
    boolean letsExtendersRuleOut();

    /** True when the next binder binds a pod if the bind request to an ignorable extender fails. */
    boolean skipsIgnorableBinders();

    /** True when scores see nothing of the pods and images of a node that an extender was sent as a whole and sent back. */
    boolean emptiesNodesOfExtenders();

    /**
     * How users see a rejection of all nodes before the filters.
     *
     * @param nodes number of the nodes
     */
    default String rejectsAll(Status rejection, int nodes) {
        return "0/" + nodes + " nodes are available: " + rejection.message() + ".";
    }

    /** What users see of what the post-filter plugins have found; empty for nothing. */
    String afterwards(String ofPostFilters);

    /** Which events let a waiting pod be tried again. */
    Waking waking();

    /** A pre-filter step that failed, or that may not reject. */
    String preFilter(String plugin, String pod, Status status);

    /** A filter that failed. */
    String filter(String plugin, String pod, Status status);

    /**
     * A what-if that failed.
     *
     * @param step {@code AddPod} or {@code RemovePod}
     */
    String whatIf(String step, String plugin, String error);

    /** A step before scoring that failed. */
    String preScore(String plugin, String pod, Status status);

    /** A score that failed. */
    String score(String plugin, String pod, String message);

    /** Normalising that failed. */
    String normalize(String plugin, String pod, String message);

    /** A score that is out of range. */
    String range(String plugin, String pod, long score);

    /** A reserve that failed or rejected. */
    String reserve(String plugin, String pod, Status status);

    /** A permit that failed or rejected. */
    String permit(String plugin, String pod, Status status);

    /** A rejection while waiting at permit. */
    String rejectedWaiting(String pod, String message);

    /** A preparation of the binding that failed. */
    String preBind(String plugin, String pod, Status status);

    /** A bind plugin that failed; {@code pod} is {@code namespace/name}. */
    String bind(String plugin, String pod, Status status);

    /** A bind that failed, as the event says it. */
    String bindEvent(String message);

    /** No bind plugin took the pod and the profile has no default binder. */
    default String nobodyBinds(String pod) {
        return "no bind plugin of the profile binds pod \"" + pod + "\": all of them skipped it";
    }
}
