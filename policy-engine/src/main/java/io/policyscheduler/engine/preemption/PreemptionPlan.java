package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The node that preemption selects for a pod, with its victims.
 *
 * @param node where room is made, or null
 * @param victims the pods that have to go, in the order found
 * @param lower the pods that lose their nomination to the node
 * @param clearsOwn true when the pod's own nomination is void because no node can be helped
 * @param message why nothing is done, as users of current releases see it; empty otherwise, and always by the rules of 1.17
 * @param error null, or the text of the error that ended the trials; nothing is done then
 */
public record PreemptionPlan(
        @Nullable String node,
        List<PodInfo> victims,
        List<PodInfo> lower,
        boolean clearsOwn,
        String message,
        @Nullable String error) {
    /** There was nothing to go on: an error, or a node that would take the pod by now. */
    public static final PreemptionPlan NOTHING = new PreemptionPlan(null, List.of(), List.of(), false, "", null);

    public PreemptionPlan {
        victims = List.copyOf(victims);
        lower = List.copyOf(lower);
    }

    /** What comes of a decision. */
    public static PreemptionPlan of(PreemptionResult result) {
        String node = result.chosen();
        Victims victims =
                node == null ? null : Objects.requireNonNull(result.candidates().get(node));
        return new PreemptionPlan(
                node,
                victims == null ? List.of() : victims.pods(),
                node == null ? List.of() : result.clearNominations().getOrDefault(node, List.of()),
                result.clearOwn(),
                result.message(),
                result.error());
    }
}
