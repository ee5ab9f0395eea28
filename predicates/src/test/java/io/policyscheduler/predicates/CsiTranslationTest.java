package io.policyscheduler.predicates;

import static io.policyscheduler.predicates.StorageFixtures.in;
import static io.policyscheduler.predicates.StorageFixtures.persistent;
import static io.policyscheduler.predicates.StorageFixtures.volume;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import io.policyscheduler.engine.placement.InTreeVolumes.Translation;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsiTranslationTest {
    private static final InTreeVolumes IN_TREE = InTreeVolumes.v117(FeatureGates.defaults());
    private static final String AWS_ZONE = "topology.ebs.csi.aws.com/zone";

    @ParameterizedTest
    @CsvSource({
        "vol-1, vol-1",
        "anything/goes, anything/goes",
        "aws://us-east-1a/vol-123, vol-123",
        "aws:///vol-123, vol-123",
        "aws:////vol-123//, vol-123",
        "aws://z/vol-1?x#y, vol-1",
    })
    void translatesEbsIds(String id, String handle) {
        assertEquals(new Translation(handle, null, null), IN_TREE.translate(Plugin.AWS_EBS, ebs(id).build()));
    }

    @ParameterizedTest
    @CsvSource({"aws://vol-1", "aws://z/disk-1", "aws://z/vol-1/x", "aws://", "aws:///", "aws://z//"})
    void refusesOtherEbsUrls(String id) {
        assertEquals(
                failed("failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (" + id + ")"),
                IN_TREE.translate(Plugin.AWS_EBS, ebs(id).build()));
    }

    @ParameterizedTest
    @CsvSource({
        "us-east1-b, us-east1-b",
        "odd, odd",
        "us-east1-b__us-east1-c, us-east1",
    })
    void namesTheZoneOfGceDisks(String label, String place) {
        PersistentVolumeInfo disk = gce().label(Node.LEGACY_ZONE, label)
                .affinity(in("topology.gke.io/zone", "kept"))
                .build();
        assertEquals(
                new Translation("projects/UNSPECIFIED/zones/" + place + "/disks/pd", disk.requiredTerms(), null),
                IN_TREE.translate(Plugin.GCE_PD, disk));
    }

    @Test
    void gceDiskWithoutZoneIsUnspecified() {
        assertEquals(
                new Translation("projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd", null, null),
                IN_TREE.translate(Plugin.GCE_PD, gce().build()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a-b__a-b-c|zone in unexpected format, expected: {locale}-{region}-{zone}, got: a-b",
                "a-b-c__|zone in unexpected format, expected: {locale}-{region}-{zone}, got: ",
                "x-y-c__a-b-c|multiple or no regions gotten from zones, got: map[a-b:{} x-y:{}]",
            })
    void refusesGceZonesWithoutCommonRegion(String label, String error) {
        assertEquals(
                failed("failed to get region from zones: " + (error.endsWith("got:") ? error + " " : error)),
                IN_TREE.translate(
                        Plugin.GCE_PD, gce().label(Node.LEGACY_ZONE, label).build()));
    }

    @Test
    void azureAndCinderKeepTheirIds() {
        Volume azure = new Volume(Volume.Kind.AZURE_DISK, "disk", "/subscriptions/x/disk", false, List.of());
        PersistentVolumeInfo disk = persistent("v")
                .source(azure)
                .label(Node.LEGACY_ZONE, "z")
                .affinity(in(Node.LEGACY_ZONE, "z"))
                .build();
        assertEquals(
                new Translation("/subscriptions/x/disk", List.of(in(Node.LEGACY_ZONE, "z")), null),
                IN_TREE.translate(Plugin.AZURE_DISK, disk));
        assertEquals(
                new Translation("c", List.of(in("topology.cinder.csi.openstack.org/zone", "z")), null),
                IN_TREE.translate(
                        Plugin.CINDER,
                        persistent("v")
                                .source(volume(Volume.Kind.CINDER, "c"))
                                .label(Node.LEGACY_ZONE, "z")
                                .build()));
        assertThrows(
                IllegalArgumentException.class,
                () -> IN_TREE.translate(Plugin.AZURE_FILE, persistent("v").build()));
    }

    @Test
    void topologyOfTheDriverIsKept() {
        NodeSelectorTerm[] terms = {in(Node.LEGACY_ZONE, "a"), in(AWS_ZONE, "b")};
        assertEquals(
                List.of(terms),
                topology(ebs("vol-1").label(Node.LEGACY_ZONE, "c").affinity(terms)));
    }

    @Test
    void legacyZonesAreRenamed() {
        NodeSelectorTerm mixed = new NodeSelectorTerm(
                List.of(
                        LabelRequirement.ofNodeSelector("disk", "Exists", List.of()),
                        LabelRequirement.ofNodeSelector(Node.LEGACY_ZONE, "NotIn", List.of("a"))),
                List.of());
        NodeSelectorTerm renamed = new NodeSelectorTerm(
                List.of(
                        LabelRequirement.ofNodeSelector("disk", "Exists", List.of()),
                        LabelRequirement.ofNodeSelector(AWS_ZONE, "NotIn", List.of("a"))),
                List.of());
        assertEquals(
                List.of(renamed, in(AWS_ZONE, "b")),
                topology(ebs("vol-1").label(Node.LEGACY_ZONE, "c").affinity(mixed, in(Node.LEGACY_ZONE, "b"))));
    }

    @Test
    void zoneLabelReplacesAnyOtherAffinity() {
        assertEquals(
                List.of(in(AWS_ZONE, "a", "b")),
                topology(ebs("vol-1").label(Node.LEGACY_ZONE, "b __a____b").affinity(in("disk", "ssd"))));
        assertEquals(List.of(in("disk", "ssd")), topology(ebs("vol-1").affinity(in("disk", "ssd"))));
        // A requirement without values names no zone.
        NodeSelectorTerm exists = new NodeSelectorTerm(
                List.of(LabelRequirement.ofNodeSelector(AWS_ZONE, "Exists", List.of())), List.of());
        assertEquals(
                List.of(in(AWS_ZONE, "a")),
                topology(ebs("vol-1").label(Node.LEGACY_ZONE, "a").affinity(exists)));
    }

    @ParameterizedTest
    @CsvSource({"''", "__", "' __ '"})
    void zoneLabelWithoutZonesIsAnError(String label) {
        assertEquals(
                failed("failed to translate topology: there are no valid zones to add to pv"),
                IN_TREE.translate(
                        Plugin.AWS_EBS,
                        ebs("vol-1").label(Node.LEGACY_ZONE, label).build()));
    }

    private static @Nullable List<NodeSelectorTerm> topology(StorageFixtures.VolumeBuilder volume) {
        return IN_TREE.translate(Plugin.AWS_EBS, volume.build()).requiredTerms();
    }

    private static Translation failed(String error) {
        return new Translation("", null, error);
    }

    private static StorageFixtures.VolumeBuilder ebs(String id) {
        return persistent("v").source(volume(Volume.Kind.AWS_EBS, id));
    }

    private static StorageFixtures.VolumeBuilder gce() {
        return persistent("v").source(volume(Volume.Kind.GCE_PD, "pd"));
    }
}
