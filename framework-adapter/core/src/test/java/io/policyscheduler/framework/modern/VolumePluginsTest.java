package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restrictions, zones and limits of volumes. */
class VolumePluginsTest {
    private static final String OK = "ok";

    private final PluginFixture fixture = new PluginFixture();

    private PodInfo mounting(String... volumes) {
        return fixture.pod("p", "{}", spec(volumes));
    }

    private static String spec(String... volumes) {
        return "{volumes: [" + String.join(", ", volumes) + "]}";
    }

    private static String claim(String name) {
        return "{persistentVolumeClaim: {claimName: '" + name + "'}}";
    }

    private void claims(String name, String more) {
        fixture.add("PersistentVolumeClaim", "{metadata: {namespace: 'default', name: '" + name + "'}, " + more + "}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{gcePersistentDisk: {pdName: 'd'}} | {gcePersistentDisk: {pdName: 'd'}} | true",
                "{gcePersistentDisk: {pdName: 'd'}} | {gcePersistentDisk: {pdName: 'e'}} | false",
                "{gcePersistentDisk: {pdName: 'd', readOnly: true}} | {gcePersistentDisk: {pdName: 'd'}} | true",
                "{gcePersistentDisk: {pdName: 'd', readOnly: true}} | {gcePersistentDisk: {pdName: 'd', readOnly:"
                        + " true}} | false",
                "{awsElasticBlockStore: {volumeID: 'd', readOnly: true}} | {awsElasticBlockStore: {volumeID: 'd',"
                        + " readOnly: true}} | true",
                "{iscsi: {iqn: 'd'}} | {iscsi: {iqn: 'd', readOnly: true}} | true",
                "{iscsi: {iqn: 'd', readOnly: true}} | {iscsi: {iqn: 'd', readOnly: true}} | false",
                "{rbd: {monitors: ['a', 'b'], pool: 'x', image: 'i'}} | {rbd: {monitors: ['b'], pool: 'x', image:"
                        + " 'i'}} | true",
                "{rbd: {monitors: ['a'], pool: 'x', image: 'i'}} | {rbd: {monitors: ['b'], pool: 'x', image: 'i'}} |"
                        + " false",
                "{rbd: {monitors: ['a'], pool: 'x', image: 'i'}} | {rbd: {monitors: ['a'], pool: 'y', image: 'i'}} |"
                        + " false",
                "{cinder: {volumeID: 'd'}} | {cinder: {volumeID: 'd'}} | false",
            })
    void disks(String requested, String mounted, boolean conflict) {
        VolumeRestrictions plugin = fixture.plugin(VolumeRestrictions::new, "{}");
        fixture.node("n1", "{}").placed("a", "{}", "n1", spec(mounted));
        List<String> answers = fixture.filter(plugin, mounting(requested));
        String free = requested.contains("cinder") ? "skip" : OK;
        assertEquals(List.of(conflict ? "U node(s) had no available disk" : free), answers);
    }

    @Test
    void claimsForOnePod() {
        VolumeRestrictions plugin = fixture.plugin(VolumeRestrictions::new, "{}");
        fixture.node("n1", "{}").node("n2", "{}");
        PodInfo pod = mounting(claim("c"));
        assertEquals(List.of("UU persistentvolumeclaim \"c\" not found"), fixture.filter(plugin, pod));
        claims("c", "spec: {accessModes: ['ReadWriteOncePod']}");
        assertEquals(List.of("skip"), fixture.filter(plugin, pod));
        fixture.placed("a", "{}", "n1", spec(claim("c"))).placed("b", "{}", "n2", spec(claim("c")));
        String taken =
                "U node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use"
                        + " by another pod";
        assertEquals(List.of(taken, taken), fixture.filter(plugin, pod));
        // The claim counts once however many use it, so that removing one of them frees it.
        assertNull(plugin.removePod(
                fixture.state,
                pod,
                fixture.pod("a", "{}", spec(claim("c"))),
                fixture.nodes().get(0)));
        assertEquals(List.of(OK, OK), fixture.filterOnly(plugin, pod));
        assertNull(plugin.addPod(
                fixture.state,
                pod,
                fixture.pod("a", "{}", spec(claim("c"))),
                fixture.nodes().get(0)));
        assertEquals(List.of(taken, taken), fixture.filterOnly(plugin, pod));
        fixture.newCycle();
        assertEquals(
                List.of(
                        "ERROR cannot read \"PreFilterVolumeRestrictions\" from cycleState",
                        "ERROR cannot read \"PreFilterVolumeRestrictions\" from cycleState"),
                fixture.filterOnly(plugin, pod));
    }

    private void volume(String name, String labels, String spec) {
        fixture.add(
                "PersistentVolume", "{metadata: {name: '" + name + "', labels: " + labels + "}, spec: " + spec + "}");
    }

    @Test
    void zones() {
        VolumeZone plugin = fixture.plugin(VolumeZone::new, "{}");
        fixture.node("n1", "{'topology.kubernetes.io/zone': 'a'}")
                .node("n2", "{'topology.kubernetes.io/zone': 'b', 'topology.kubernetes.io/region': 'r'}")
                .node("n3", "{}");
        claims("c", "spec: {volumeName: 'v'}");
        PodInfo pod = mounting(claim("c"));
        assertEquals(List.of("UU persistentvolume \"v\" not found"), fixture.filter(plugin, pod));
        volume("v", "{}", "{}");
        assertEquals(List.of("skip"), fixture.filter(plugin, pod));
        String wrong = "UU node(s) had no available volume zone";
        volume("v", "{'failure-domain.beta.kubernetes.io/zone': 'a__c'}", "{}");
        assertEquals(List.of(OK, wrong, OK), fixture.filter(plugin, pod));
        fixture.newCycle();
        assertEquals(List.of(OK, wrong, OK), fixture.filterOnly(plugin, pod));
        volume("v", "{'topology.kubernetes.io/region': 'r'}", "{}");
        assertEquals(List.of(wrong, OK, OK), fixture.filter(plugin, pod));
        volume("v", "{'topology.kubernetes.io/zone': 'a__'}", "{}");
        assertEquals(List.of("skip"), fixture.filter(plugin, pod));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | UU PersistentVolumeClaim had no pv name and storageClass name",
                "{storageClassName: 'none'} | UU storageclass.storage.k8s.io \"none\" not found",
                "{storageClassName: 'nomode'} | UU VolumeBindingMode not set for StorageClass \"nomode\"",
                "{storageClassName: 'now'} | UU PersistentVolume had no name",
                "{storageClassName: 'later'} | skip",
            })
    void zonesOfUnboundClaims(String spec, String expected) {
        VolumeZone plugin = fixture.plugin(VolumeZone::new, "{}");
        classes();
        claims("c", "spec: " + spec);
        assertEquals(expected, fixture.preFilter(plugin, mounting(claim("c"))));
    }

    private void classes() {
        fixture.add("StorageClass", "{metadata: {name: 'nomode'}, provisioner: 'p'}")
                .add("StorageClass", "{metadata: {name: 'now'}, provisioner: 'p', volumeBindingMode: 'Immediate'}")
                .add(
                        "StorageClass",
                        "{metadata: {name: 'later'}, provisioner: 'p', volumeBindingMode: 'WaitForFirstConsumer'}");
    }

    private NodeVolumeLimits limits(String driver, int count) {
        fixture.node("n1", "{}")
                .add(
                        "CSINode",
                        "{metadata: {name: 'n1'}, spec: {drivers: [{name: '" + driver + "', allocatable: {count: "
                                + count + "}}]}}");
        return fixture.plugin(NodeVolumeLimits::new, "{}");
    }

    private void bound(String claim, String handle) {
        claims(claim, "spec: {volumeName: 'pv-" + claim + "'}");
        volume("pv-" + claim, "{}", "{csi: {driver: 'd', volumeHandle: '" + handle + "'}}");
    }

    private static final String TOO_MANY = "U node(s) exceed max volume count";

    @Test
    void volumesOfDrivers() {
        NodeVolumeLimits plugin = limits("d", 2);
        bound("c1", "h1");
        bound("c2", "h2");
        bound("c3", "h3");
        bound("c4", "h1");
        fixture.placed("a", "{}", "n1", spec(claim("c1"), claim("c2")));
        assertEquals(List.of("skip"), fixture.filter(plugin, mounting("{emptyDir: {}}")));
        assertEquals(List.of(TOO_MANY), fixture.filter(plugin, mounting(claim("c3"))));
        // The CSINode has no limit for another driver.
        claims("other", "spec: {volumeName: 'pv-other'}");
        volume("pv-other", "{}", "{csi: {driver: 'e', volumeHandle: 'h'}}");
        assertEquals(List.of(OK), fixture.filter(plugin, mounting(claim("other"))));
        // The same volume behind another claim is there already.
        assertEquals(List.of(OK), fixture.filter(plugin, mounting(claim("c4"))));
        assertEquals(
                List.of("UU looking up PVC default/gone: persistentvolumeclaim \"gone\" not found"),
                fixture.filter(plugin, mounting(claim("gone"))));
    }

    @Test
    void volumesThatAreOnlyAttached() {
        NodeVolumeLimits plugin = limits("d", 1);
        bound("c1", "h1");
        bound("c2", "h2");
        assertEquals(List.of(OK), fixture.filter(plugin, mounting(claim("c2"))));
        fixture.add(
                "VolumeAttachment",
                "{metadata: {name: 'x'}, spec: {attacher: 'd', nodeName: 'n1', source: {persistentVolumeName:"
                        + " 'pv-c1'}}}");
        assertEquals(List.of(TOO_MANY), fixture.filter(plugin, mounting(claim("c2"))));
        // Attached and requested: counted twice while no pod of the node mounts it.
        assertEquals(List.of(TOO_MANY), fixture.filter(plugin, mounting(claim("c1"))));
        NodeVolumeLimits ofPolicies =
                fixture.plugin(handle -> new NodeVolumeLimits(handle, driver -> true, true), "{}");
        assertEquals(List.of(OK), fixture.filter(ofPolicies, mounting(claim("c1"))));
        assertEquals(List.of(TOO_MANY), fixture.filter(ofPolicies, mounting(claim("c2"))));
        assertEquals(List.of(TOO_MANY), fixture.filter(ofPolicies, mounting(claim("c1"), claim("c2"))));
        fixture.placed("a", "{}", "n1", spec(claim("c1")));
        assertEquals(List.of(OK), fixture.filter(plugin, mounting(claim("c1"))));
    }

    @Test
    void volumesThatAreStillToBeMadeAndMigratedOnes() {
        NodeVolumeLimits plugin = limits("ebs.csi.aws.com", 1);
        fixture.add("StorageClass", "{metadata: {name: 's'}, provisioner: 'kubernetes.io/aws-ebs'}");
        claims("c1", "spec: {storageClassName: 's'}");
        claims("c2", "spec: {storageClassName: 's'}");
        claims("free", "spec: {}");
        assertEquals(List.of(OK), fixture.filter(plugin, mounting(claim("c1"), claim("free"))));
        assertEquals(List.of(TOO_MANY), fixture.filter(plugin, mounting(claim("c1"), claim("c2"))));
        fixture.placed("a", "{}", "n1", spec(claim("c1")));
        assertEquals(List.of(OK), fixture.filter(plugin, mounting(claim("c1"))));
        assertEquals(
                List.of(TOO_MANY), fixture.filter(plugin, mounting("{awsElasticBlockStore: {volumeID: 'vol-1'}}")));
    }

    @Test
    void inlineVolumesCountWithoutAHandleAndFailWithAnInvalidOne() {
        NodeVolumeLimits azure = limits("disk.csi.azure.com", 1);
        assertEquals(List.of(OK), fixture.filter(azure, mounting("{azureDisk: {diskName: 'd'}}")));
        fixture.placed("a", "{}", "n1", spec("{azureDisk: {diskName: 'd', diskURI: 'u'}}"));
        assertEquals(List.of(TOO_MANY), fixture.filter(azure, mounting("{azureDisk: {diskName: 'd'}}")));
        String invalid = "ERROR converting an inline volume to CSI: failed to translate Kubernetes ID to EBS Volume ID"
                + " Invalid format for AWS volume (aws://disk)";
        String aws = "{awsElasticBlockStore: {volumeID: 'aws://disk'}}";
        assertEquals(List.of(invalid), fixture.filter(azure, mounting(aws)));
        fixture.placed("b", "{}", "n1", spec(aws));
        assertEquals(List.of(invalid), fixture.filter(azure, mounting("{azureDisk: {diskURI: 'u'}}")));
    }

    @Test
    void ephemeralVolumesOfOthersAreErrors() {
        NodeVolumeLimits plugin = limits("d", 5);
        bound("c1", "h1");
        claims("a-v", "spec: {volumeName: 'pv-c1'}");
        fixture.placed("a", "{}", "n1", "{volumes: [{name: 'v', ephemeral: {}}]}");
        assertEquals(
                List.of("ERROR PVC default/a-v was not created for pod default/a (pod is not owner)"),
                fixture.filter(plugin, mounting(claim("c1"))));
    }
}
