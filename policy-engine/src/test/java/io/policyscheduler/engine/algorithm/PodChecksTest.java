package io.policyscheduler.engine.algorithm;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodChecksTest {
    private final ClusterState cluster =
            cluster(claim("default", "ok", false), claim("default", "going", true), claim("other", "foreign", false));

    private static ClaimInfo claim(String namespace, String name, boolean terminating) {
        return new ClaimInfo(
                namespace, name, "u", "1", Labels.EMPTY, terminating, "", null, List.of(), null, "", 0, "", "", "");
    }

    @Test
    void aPodWithoutClaimsPasses() {
        assertNull(PodChecks.error(pod("p").build(), cluster));
        assertNull(PodChecks.error(
                pod("p").volume(new Volume(Volume.Kind.AWS_EBS, "missing", "", false, List.of()))
                        .build(),
                cluster));
    }

    @Test
    void claimsMustBeThereAndStay() {
        assertNull(PodChecks.error(pod("p").claim("ok").claim("ok").build(), cluster));
        assertEquals(
                "persistentvolumeclaim \"none\" not found",
                PodChecks.error(pod("p").claim("ok").claim("none").build(), cluster));
        assertEquals(
                "persistentvolumeclaim \"foreign\" not found",
                PodChecks.error(pod("p").claim("foreign").build(), cluster));
        assertNull(PodChecks.error(pod("p").namespace("other").claim("foreign").build(), cluster));
        assertEquals(
                "persistentvolumeclaim \"going\" is being deleted",
                PodChecks.error(pod("p").claim("going").build(), cluster));
    }

    @Test
    void theFirstVolumeWins() {
        assertEquals(
                "persistentvolumeclaim \"going\" is being deleted",
                PodChecks.error(pod("p").claim("going").claim("none").build(), cluster));
        assertEquals(
                "persistentvolumeclaim \"none\" not found",
                PodChecks.error(pod("p").claim("none").claim("going").build(), cluster));
    }
}
