package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.modern.ModernProfile;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Claims of a class with WaitForFirstConsumer: the scheduler selects the node, and the volume controller binds. */
class DelayedVolumeBindingTest {
    private final LiveCluster live = new LiveCluster();
    private final FakeVolumeController controller = new FakeVolumeController(live.cluster(), live.api());

    /** The plugins for algorithms of 1.17, and those of current releases. */
    private enum Plugins {
        V1_17("persistentvolumeclaim \"late\" not found", ""),
        MODERN(
                "0/3 nodes are available: persistentvolumeclaim \"late\" not found. not found",
                " no new claims to deallocate, preemption: 0/3 nodes are available:"
                        + " 3 Preemption is not helpful for scheduling.");

        private final String missing;
        private final String postFilter;

        Plugins(String missing, String postFilter) {
            this.missing = missing;
            this.postFilter = postFilter;
        }
    }

    private void start(Plugins plugins) {
        live.addNodes(3, "4");
        if (plugins == Plugins.V1_17) {
            live.startScheduler();
        } else {
            live.startScheduler(List.of(new ProfileSettings(
                    Manifest.SCHEDULER,
                    "modern",
                    "modern",
                    List.of(),
                    ProfileSettings.Source.of((cluster, waitingPods, clock, claims, api) -> ModernProfile.of(cluster)
                            .waitingPods(waitingPods)
                            .clock(clock)
                            .claimWriter(claims)
                            .build()),
                    List.of(),
                    false,
                    FeatureGates.defaults(),
                    true,
                    0,
                    null)));
        }
    }

    @AfterEach
    void close() {
        controller.close();
        live.close();
    }

    @ParameterizedTest
    @EnumSource
    void aVolumeIsProvisionedOnTheChosenNode(Plugins plugins) {
        start(plugins);
        live.cluster().load(FakeVolumeController.storageClass("fast", "example.com/fake"));
        live.cluster().load(FakeVolumeController.claim("data", "fast"));
        live.api().createPod(FakeVolumeController.podWithClaim("p", "data"));
        live.awaitBound("p");
        assertEquals(List.of("data on " + live.nodeOf("p")), controller.provisioned());
        assertFalse(controller.isBroken());
        live.assertSound();
    }

    @ParameterizedTest
    @EnumSource
    void aMissingClaimIsToldAndWaitedFor(Plugins plugins) {
        start(plugins);
        live.cluster().load(FakeVolumeController.storageClass("fast", "example.com/fake"));
        live.api().createPod(FakeVolumeController.podWithClaim("p", "late"));
        assertEquals(
                plugins.missing, live.awaitUnschedulable("p").path("message").asText());
        live.cluster().load(FakeVolumeController.claim("late", "fast"));
        live.awaitBound("p");
        live.assertSound();
    }

    @ParameterizedTest
    @EnumSource
    void existingVolumesAreTakenOnceEach(Plugins plugins) {
        start(plugins);
        live.cluster().load(FakeVolumeController.storageClass("local", "kubernetes.io/no-provisioner"));
        for (int i = 0; i < 2; i++) {
            live.cluster().load(FakeVolumeController.localVolume("disk" + i, "n" + i, "local"));
            live.cluster().load(FakeVolumeController.claim("data" + i, "local"));
            live.api().createPod(FakeVolumeController.podWithClaim("p" + i, "data" + i));
        }
        live.awaitBound("p0");
        live.awaitBound("p1");
        Set<String> used = new TreeSet<>();
        for (int i = 0; i < 2; i++) {
            String volume = live.cluster()
                    .get("persistentvolumeclaims", "default", "data" + i)
                    .orElseThrow()
                    .path("spec")
                    .path("volumeName")
                    .asText();
            used.add(volume);
            assertEquals(volume.replace("disk", "n"), live.nodeOf("p" + i));
        }
        assertEquals(Set.of("disk0", "disk1"), used);
        assertEquals(List.of(), controller.provisioned());

        live.cluster().load(FakeVolumeController.claim("data2", "local"));
        live.awaitSeen();
        live.api().createPod(FakeVolumeController.podWithClaim("p2", "data2"));
        assertEquals(
                "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind."
                        + plugins.postFilter,
                live.awaitUnschedulable("p2").path("message").asText());
        live.cluster().load(FakeVolumeController.localVolume("disk2", "n2", "local"));
        live.awaitBound("p2");
        assertEquals("n2", live.nodeOf("p2"));
        live.assertSound();
    }
}
