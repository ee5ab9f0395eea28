package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@link CheckVolumeBinding} finds out about a pod's claims on one node.
 *
 * @param boundReachable the volumes of bound claims can be used on the node
 * @param unboundSatisfied every other claim can get a volume there
 * @param matches existing volumes picked for unbound claims; empty when none
 * @param provisions claims whose volume must be created for the node; empty when none or when that is impossible
 * @param error null, or the text of an error that ends the attempt; nothing else holds then
 */
public record VolumeDecision(
        boolean boundReachable,
        boolean unboundSatisfied,
        List<Match> matches,
        List<ClaimInfo> provisions,
        @Nullable String error) {
    /** Nothing to decide: every volume is bound and can be used on the node. */
    static final VolumeDecision NOTHING_TO_DO = new VolumeDecision(true, true, List.of(), List.of(), null);

    /** A bound volume cannot be used on the node, and no claim is left to bind. */
    static final VolumeDecision OUT_OF_REACH = new VolumeDecision(false, true, List.of(), List.of(), null);

    /** A volume picked for a claim. */
    public record Match(PersistentVolumeInfo volume, ClaimInfo claim) {}

    public VolumeDecision {
        matches = List.copyOf(matches);
        provisions = List.copyOf(provisions);
    }

    static VolumeDecision error(String text) {
        return new VolumeDecision(false, false, List.of(), List.of(), text);
    }
}
