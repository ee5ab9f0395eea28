package io.policyscheduler.framework.insight.whatif;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.whatif.PodTemplates.ClaimCopies;
import io.policyscheduler.framework.insight.whatif.Simulation.FitCount;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization.Part;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization.Use;
import io.policyscheduler.framework.modern.ModernProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FitCountTest {
    private static final PodInfo POD =
            pod("web").requests("1", "1Gi").onNode("a").build();
    private static final ClusterSnapshot DUMP = new ClusterSnapshot(
            List.of(
                    node("a").cpu("3").memory("8Gi").pods(10).build(),
                    node("b").cpu("8").memory("2Gi").pods(10).build()),
            List.of(),
            List.of(POD),
            List.of());

    private static FitCount count(ClusterState cluster, int limit) {
        SchedulerSpec modern =
                ProfileSchedulers.of("modern", ModernProfile::defaults, SchedulerSpec.Volumes.NONE, Extenders.NONE);
        return FitCount.place(
                POD, DUMP, cluster, modern.create(cluster, TieBreak.first()), SchedulerSpec.Volumes.NONE, limit);
    }

    @Test
    void copiesArePlacedUntilNoneFits() {
        ClusterState cluster = DUMP.state();
        assertEquals(
                new FitCount(
                        "default/web",
                        4,
                        new TreeMap<>(Map.of("a", 2, "b", 2)),
                        "0/2 nodes are available: 1 Insufficient cpu, 1 Insufficient memory."),
                count(cluster, 100));
        long gibi = 1L << 30;
        assertEquals(
                new Use(new Part(5000, 11_000), new Part(5 * gibi, 10 * gibi), new Part(5, 20)),
                Utilization.of(cluster).total());
        assertEquals(50, Utilization.of(cluster).total().memory().percent());
    }

    @Test
    void eachCopyHasClaimsOfItsOwnAndFreesThemWhenItGoes() {
        ResourceClaimInfo claim = new ResourceClaimInfo(
                "default",
                "web-e-x",
                "c",
                "1",
                false,
                new OwnerReference("v1", "Pod", "web", POD.uid()),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                new DeviceAllocation(List.of(), List.of(), null),
                List.of(ClaimConsumer.pod("web", POD.uid())),
                List.of(),
                false);
        PodInfo original = POD.toBuilder()
                .madeClaims(List.of(new PodClaim.Made("e", "web-e-x")))
                .build();
        ClusterSnapshot snapshot = DUMP.with(DUMP.nodes(), List.of(claim), List.of(original), List.of());
        PodTemplates copies = new PodTemplates(snapshot);
        PodInfo copy = copies.pending(original, "more");
        assertEquals(List.of(new PodClaim.Made("e", "more-e")), copy.madeClaims());
        ResourceClaimInfo own = (ResourceClaimInfo) copies.madeClaims().get(0);
        assertTrue(own.isOwnedBy(copy));
        assertNull(own.allocation());
        assertEquals(List.of(), own.reservedFor());
        Set<String> gone = Set.of(POD.uid());
        assertEquals(List.of(), ClaimCopies.without(snapshot.objects(), gone, Set.of()));
        assertEquals(
                List.of(claim.with(List.of(), null, List.of())), ClaimCopies.without(snapshot.objects(), gone, gone));
    }

    @Test
    void theLimitEndsIt() {
        assertEquals("", count(DUMP.state(), 3).message());
        assertEquals(3, count(DUMP.state(), 3).count());
    }
}
