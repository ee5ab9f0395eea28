package io.policyscheduler.cmd.replay;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * By what the policies of scenarios are carried out.
 *
 * @param strictV117 exactly as v1.17, which the recordings of v1.17 show
 * @param gates gates to which a scenario adds its own, and the release of the clusters
 * @param provider decides in place of what a scenario says; null to go by the scenario
 * @param followsRecording puts each pod where it was recorded to go, if anywhere, before the next is decided
 */
public record ReplayRules(
        boolean strictV117, FeatureGates gates, @Nullable String provider, boolean followsRecording) {
    /** v1.17 to the letter. */
    public static final ReplayRules STRICT = new ReplayRules(true, FeatureGates.defaults(), null, false);

    /** As policies are carried out in a cluster of a release. */
    public static ReplayRules inClusterOf(Release release, @Nullable String provider) {
        return new ReplayRules(false, FeatureGates.defaults().at(release), provider, true);
    }

    /** The release whose plugins decide in {@link ReplayMode#MODERN}. */
    Release modernRelease() {
        return strictV117 ? ReplayMode.MODERN_RECORDINGS : gates.release();
    }

    /** v1.17 to the letter, by a provider. */
    public static ReplayRules strict(@Nullable String provider) {
        return new ReplayRules(true, FeatureGates.defaults(), provider, false);
    }
}
