package io.policyscheduler.cmd.plugins;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.modern.VolumePlan;
import io.policyscheduler.predicates.VolumeBinder;
import io.policyscheduler.predicates.VolumeDecision;

/** Who says which volumes a pod gets on its node: the same as has let it pass there. */
public final class VolumeBinders {
    private VolumeBinders() {}

    /**
     * By the rules of a release.
     *
     * @param checksBinding whether it is checked at all; without that nothing is bound
     */
    public static VolumeBinder binder(FeatureGates gates, boolean checksBinding) {
        if (!gates.honoursNewerFields()) {
            return new VolumeBinder(gates, checksBinding);
        }
        return new VolumeBinder(
                (cluster, pod, node) -> {
                    VolumePlan plan = VolumePlan.of(pod, node, cluster);
                    return new VolumeDecision(
                            true,
                            true,
                            plan.matches().stream()
                                    .map(match -> new VolumeDecision.Match(match.volume(), match.claim()))
                                    .toList(),
                            plan.provisions(),
                            null);
                },
                checksBinding);
    }
}
