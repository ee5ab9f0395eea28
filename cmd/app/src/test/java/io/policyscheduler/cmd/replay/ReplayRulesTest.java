package io.policyscheduler.cmd.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import org.junit.jupiter.api.Test;

class ReplayRulesTest {
    @Test
    void v117IsTakenToTheLetterAndFollowsItself() {
        assertEquals(new ReplayRules(true, FeatureGates.defaults(), null, false), ReplayRules.STRICT);
        assertEquals(ReplayRules.STRICT, ReplayRules.strict(null));
        assertEquals(
                new ReplayRules(true, FeatureGates.defaults(), "DefaultProvider", false),
                ReplayRules.strict("DefaultProvider"));
    }

    @Test
    void aClusterOfAReleaseFollowsTheRecording() {
        Release release = new Release(34);
        assertEquals(
                new ReplayRules(false, FeatureGates.defaults().at(release), "DefaultProvider", true),
                ReplayRules.inClusterOf(release, "DefaultProvider"));
    }
}
