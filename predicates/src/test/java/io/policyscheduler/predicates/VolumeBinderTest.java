package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.predicates.StorageFixtures.claim;
import static io.policyscheduler.predicates.StorageFixtures.delayed;
import static io.policyscheduler.predicates.StorageFixtures.in;
import static io.policyscheduler.predicates.StorageFixtures.persistent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.PodVolumeClaims.Binding;
import io.policyscheduler.engine.placement.PodVolumeClaims.PodVolumes;
import io.policyscheduler.engine.placement.PodVolumeClaims.Reach;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.predicates.VolumeBinder.AssumedBindings;
import java.util.List;
import org.junit.jupiter.api.Test;

class VolumeBinderTest {
    private final VolumeBinder binder = new VolumeBinder(FeatureGates.defaults(), true);
    private final PersistentVolumeInfo volume =
            persistent("v").storageClass("local").annotation("kept", "x").build();
    private final ClaimInfo toMatch = claim("match").storageClass("local").build();
    private final ClaimInfo toProvision =
            claim("provision").storageClass("prov").annotation("kept", "y").build();
    private final ClusterState cluster = cluster(
            node("n1").label("zone", "z1").build(),
            node("n2").label("zone", "z2").build(),
            delayed("local", "kubernetes.io/no-provisioner"),
            delayed("prov", "example.com/p"),
            volume,
            toMatch,
            toProvision);

    private final PersistentVolumeInfo assumedVolume = persistent("v")
            .storageClass("local")
            .annotation("kept", "x")
            .annotation("pv.kubernetes.io/bound-by-controller", "yes")
            .claimRef("default", "match", "match-uid")
            .build();
    private final ClaimInfo assumedClaim = claim("provision")
            .storageClass("prov")
            .annotation("kept", "y")
            .annotation("volume.kubernetes.io/selected-node", "n1")
            .build();

    @Test
    void recordsMatchesAndProvisions() {
        AssumedBindings bindings = assume(pod("p").claim("provision").claim("match"));

        assertEquals(
                new AssumedBindings(
                        false, List.of(new PodVolumes.Match(assumedVolume, toMatch)), List.of(assumedClaim)),
                bindings);
        assertEquals(assumedVolume, cluster.volume("v"));
        assertEquals(assumedClaim, cluster.claim("default", "provision"));
        assertEquals(toMatch, cluster.claim("default", "match"));
    }

    @Test
    void undoneIsAsBefore() {
        assume(pod("p").claim("provision").claim("match")).undo(cluster);

        assertEquals(volume, cluster.volume("v"));
        assertEquals(toProvision, cluster.claim("default", "provision"));
    }

    @Test
    void undoesOnlyWhatWasNotSent() {
        assume(pod("p").claim("provision").claim("match")).undo(cluster, 1, 0);

        assertEquals(assumedVolume, cluster.volume("v"));
        assertEquals(toProvision, cluster.claim("default", "provision"));
    }

    @Test
    void volumeKeptForTheClaimByNameGetsItsUidOnly() {
        cluster.putObject(persistent("v")
                .storageClass("local")
                .claimRef("default", "match", "")
                .build());

        PersistentVolumeInfo bound = persistent("v")
                .storageClass("local")
                .claimRef("default", "match", "match-uid")
                .build();
        assertEquals(
                new AssumedBindings(false, List.of(new PodVolumes.Match(bound, toMatch)), List.of()),
                assume(pod("p").claim("match")));
        assertEquals(bound, cluster.volume("v"));
    }

    @Test
    void volumeKeptForTheClaimAlreadyIsNotChanged() {
        PersistentVolumeInfo kept = persistent("v")
                .storageClass("local")
                .claimRef("default", "match", "match-uid")
                .build();
        cluster.putObject(kept);

        assertEquals(
                new AssumedBindings(false, List.of(new PodVolumes.Match(kept, toMatch)), List.of()),
                assume(pod("p").claim("match")));
        assertSame(kept, cluster.volume("v"));
    }

    @Test
    void secondPodSharesWhatWasAssumedForTheFirst() {
        assume(pod("p").claim("match").claim("provision"));

        AssumedBindings second = assume(pod("q").claim("match").claim("provision"));
        assertEquals(
                new AssumedBindings(
                        false, List.of(new PodVolumes.Match(assumedVolume, toMatch)), List.of(assumedClaim)),
                second);
        assertEquals(
                new PodVolumes(Reach.ALL, Binding.NO_VOLUME, List.of(), List.of(), null),
                binder.decide(
                        cluster, pod("q").claim("match").claim("provision").build(), info(cluster, "n2")));
    }

    @Test
    void smallestRequestChoosesFirst() {
        cluster.putObject(claim("big").storageClass("local").size("2Gi").build());
        cluster.putObject(persistent("w").storageClass("local").capacity("2Gi").build());

        PodVolumes decision =
                binder.decide(cluster, pod("p").claim("big").claim("match").build(), info(cluster, "n1"));
        assertEquals(
                List.of("match=w", "big=v"),
                decision.matches().stream()
                        .map(m -> m.claim().name() + "=" + m.volume().name())
                        .toList());
    }

    @Test
    void claimNamedTwiceAsksTwice() {
        PodVolumes decision =
                binder.decide(cluster, pod("p").claim("match").claim("match").build(), info(cluster, "n1"));

        assertEquals(
                new PodVolumes(
                        Reach.ALL, Binding.NO_VOLUME, List.of(new PodVolumes.Match(volume, toMatch)), List.of(), null),
                decision);
    }

    @Test
    void boundPodsNeedNothing() {
        cluster.putObject(claim("bound").boundTo("v").build());

        assertEquals(new AssumedBindings(true, List.of(), List.of()), assume(pod("p").claim("bound")));
        assertEquals(new AssumedBindings(true, List.of(), List.of()), assume(pod("p")));
        PodBuilder inline = pod("p").volume(StorageFixtures.volume(Volume.Kind.AWS_EBS, "inline"));
        assertEquals(new AssumedBindings(true, List.of(), List.of()), assume(inline.claim("bound")));
    }

    @Test
    void claimThatCannotBeReadIsNotBound() {
        assertEquals(new AssumedBindings(false, List.of(), List.of()), assume(pod("p").claim("gone")));
    }

    @Test
    void withoutTheCheckNothingIsFound() {
        AssumedBindings bindings = new VolumeBinder(FeatureGates.defaults(), false)
                .assume(cluster, pod("p").claim("match").build(), info(cluster, "n1"));

        assertEquals(new AssumedBindings(false, List.of(), List.of()), bindings);
        assertEquals(volume, cluster.volume("v"));
    }

    @Test
    void boundVolumeElsewhereIsOutOfReach() {
        cluster.putObject(claim("bound").boundTo("far").build());
        cluster.putObject(persistent("far").affinity(in("zone", "z2")).build());

        assertEquals(
                new PodVolumes(Reach.CONFLICT, Binding.POSSIBLE, List.of(), List.of(), null),
                binder.decide(cluster, pod("p").claim("bound").build(), info(cluster, "n1")));
    }

    private AssumedBindings assume(PodBuilder pod) {
        return binder.assume(cluster, pod.build(), info(cluster, "n1"));
    }
}
