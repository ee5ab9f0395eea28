package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import io.policyscheduler.engine.placement.InTreeVolumes.Translation;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each row was observed with kube-scheduler 1.34.1. */
class InTreeVolumesTest {
    private static final InTreeVolumes IN_TREE = InTreeVolumes.of(Release.NEWEST);
    private static final String GCE = "gcePersistentDisk: {pdName: 'd'}";

    private final PluginFixture fixture = new PluginFixture();

    private PersistentVolumeInfo volume(String labels, String spec) {
        return (PersistentVolumeInfo) fixture.read(
                "PersistentVolume", "{metadata: {name: 'v', labels: " + labels + "}, spec: {" + spec + "}}");
    }

    private static String translated(PersistentVolumeInfo volume) {
        Plugin plugin = Objects.requireNonNull(IN_TREE.ofSource(volume.source()));
        return plugin.driver() + " " + IN_TREE.handle(plugin, volume) + " " + nodes(plugin, volume);
    }

    private static String nodes(Plugin plugin, PersistentVolumeInfo volume) {
        Translation translation = IN_TREE.translate(plugin, volume);
        if (translation.error() != null) {
            return "could not translate pv: " + translation.error();
        }
        List<NodeSelectorTerm> terms = translation.requiredTerms();
        return terms == null
                ? "everywhere"
                : terms.stream()
                        .flatMap(term -> term.expressions().stream())
                        .map(expression -> expression.key() + expression.values())
                        .collect(Collectors.joining(" and "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''              | ''                            | zones/UNSPECIFIED",
                "europe-west1-b  | ''                            | zones/europe-west1-b",
                "''              | europe-west1-b                | zones/europe-west1-b",
                "europe-west1-b  | europe-west1-c                | zones/europe-west1-c",
                "europe-west1-b__europe-west1-c | ''             | regions/europe-west1",
                "a__b            | x                             | zones/x",
            })
    void handlesOfGoogleDisks(String zone, String older, String place) {
        PersistentVolumeInfo volume = volume(
                "{'topology.kubernetes.io/zone': '" + zone + "', 'failure-domain.beta.kubernetes.io/zone': '" + older
                        + "'}",
                GCE);
        assertEquals("projects/UNSPECIFIED/" + place + "/disks/d", IN_TREE.handle(Plugin.GCE_PD, volume));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a__b | zone in unexpected format, expected: {locale}-{region}-{zone}, got: a",
                "a-b-c-d__a-b-c-e | zone in unexpected format, expected: {locale}-{region}-{zone}, got: a-b-c-d",
                "europe-west1-b__europe-west2-c"
                        + " | multiple or no regions gotten from zones, got: map[europe-west1:{} europe-west2:{}]",
            })
    void disksInSeveralZonesNeedARegion(String zones, String problem) {
        assertEquals(
                "pd.csi.storage.gke.io null could not translate pv: failed to get region from zones: " + problem,
                translated(volume("{'topology.kubernetes.io/zone': '" + zones + "'}", GCE)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "oops | oops",
                "vol-1 | vol-1",
                "aws://us-east-1/vol-12345 | vol-12345",
                "aws:///vol-0f | vol-0f",
            })
    void handlesOfAmazonDisks(String id, String handle) {
        assertEquals(
                "ebs.csi.aws.com " + handle + " everywhere",
                translated(volume("{}", "awsElasticBlockStore: {volumeID: '" + id + "'}")));
    }

    @ParameterizedTest
    @CsvSource({"aws://us-east-1/oops", "aws://oops", "aws://z/vol-0f/x"})
    void namesThatNoAmazonDiskHas(String id) {
        assertEquals(
                "ebs.csi.aws.com null could not translate pv: failed to translate Kubernetes ID to EBS Volume ID"
                        + " Invalid format for AWS volume (" + id + ")",
                translated(volume("{}", "awsElasticBlockStore: {volumeID: '" + id + "'}")));
    }

    @Test
    void zonesBecomeTheDriversOwn() {
        String zoned = "{'topology.kubernetes.io/zone': 'a'}";
        assertEquals(
                "ebs.csi.aws.com vol-1 topology.ebs.csi.aws.com/zone[a]",
                translated(volume(zoned, "awsElasticBlockStore: {volumeID: 'vol-1'}")));
        assertEquals(
                "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/a/disks/d topology.gke.io/zone[a]",
                translated(volume(zoned, GCE)));
        assertEquals(
                "cinder.csi.openstack.org 1 topology.cinder.csi.openstack.org/zone[a]",
                translated(volume(zoned, "cinder: {volumeID: '1'}")));
        assertEquals(
                "disk.csi.azure.com /uri everywhere",
                translated(volume(zoned, "azureDisk: {diskName: 'n', diskURI: '/uri'}")));
    }

    @Test
    void affinityToZonesIsRenamedAndDecidesBeforeLabels() {
        String inB = ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: ["
                + "{key: 'failure-domain.beta.kubernetes.io/zone', operator: 'In', values: ['b']},"
                + "{key: 'failure-domain.beta.kubernetes.io/region', operator: 'In', values: ['r']}]}]}}";
        assertEquals(
                "ebs.csi.aws.com vol-1 topology.ebs.csi.aws.com/zone[b] and topology.kubernetes.io/region[r]",
                translated(volume(
                        "{'topology.kubernetes.io/zone': 'a'}", "awsElasticBlockStore: {volumeID: 'vol-1'}" + inB)));
    }
}
