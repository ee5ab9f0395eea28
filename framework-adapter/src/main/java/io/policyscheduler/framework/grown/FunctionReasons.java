package io.policyscheduler.framework.grown;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reasons of current releases in the words of v1.17, where v1.17 had words for them. */
final class FunctionReasons {
    /** The pod wants other nodes. */
    static final Verdict NODE_SELECTOR = Verdict.unfit(FailureReasons.NODE_SELECTOR);

    private static final Map<String, List<FailureReason>> OLDER = ImmutableMap.<String, List<FailureReason>>builder()
            .put("Too many pods", List.of(FailureReasons.insufficient(ResourceNames.PODS)))
            .put("node(s) didn't match Pod's node affinity/selector", List.of(FailureReasons.NODE_SELECTOR))
            .put("pod affinity terms conflict", List.of(FailureReasons.NODE_SELECTOR))
            .put(
                    "node(s) didn't match PersistentVolume's node affinity",
                    List.of(FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT))
            .put(
                    FailureReasons.POD_AFFINITY_RULES.text(),
                    List.of(FailureReasons.POD_AFFINITY, FailureReasons.POD_AFFINITY_RULES))
            .put(
                    FailureReasons.POD_ANTI_AFFINITY_RULES.text(),
                    List.of(FailureReasons.POD_AFFINITY, FailureReasons.POD_ANTI_AFFINITY_RULES))
            .put(
                    FailureReasons.EXISTING_ANTI_AFFINITY_RULES.text(),
                    List.of(FailureReasons.POD_AFFINITY, FailureReasons.EXISTING_ANTI_AFFINITY_RULES))
            .buildOrThrow();

    private FunctionReasons() {}

    /** The verdict that a plugin's rejection or error stands for. */
    static Verdict verdict(Status status) {
        if (!status.isRejected()) {
            return Verdict.error(status.message());
        }
        boolean resolvable = status.code() != Status.Code.UNSCHEDULABLE_AND_UNRESOLVABLE;
        List<FailureReason> reasons = new ArrayList<>(status.reasons().size());
        for (String text : status.reasons()) {
            List<FailureReason> older = OLDER.get(text);
            if (older == null) {
                reasons.add(new FailureReason(text, resolvable));
            } else if (older.size() > 1) {
                reasons.addAll(older);
            } else {
                reasons.add(new FailureReason(older.get(0).text(), resolvable));
            }
        }
        return Verdict.of(reasons);
    }
}
