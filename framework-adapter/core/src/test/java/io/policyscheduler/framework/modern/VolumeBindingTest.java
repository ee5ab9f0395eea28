package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.plugin.CycleState;
import java.util.List;
import org.junit.jupiter.api.Test;

class VolumeBindingTest {
    private static final String NODE_CONFLICT = "UU node(s) didn't match PersistentVolume's node affinity";
    private static final String BIND_CONFLICT = "UU node(s) didn't find available persistent volumes to bind";
    private static final String NO_SPACE = "UU node(s) did not have enough free storage";

    private final PluginFixture fixture = new PluginFixture();
    private final VolumeBinding plugin = fixture.plugin(VolumeBinding::new, "{}");

    private void claim(String name, String metadata, String spec, String phase) {
        fixture.add(
                "PersistentVolumeClaim",
                "{metadata: {namespace: 'default', name: '" + name + "', uid: '" + name + "-uid'" + metadata
                        + "}, spec: " + spec + ", status: {phase: '" + phase + "'}}");
    }

    private PodInfo mounting(String... claims) {
        StringBuilder volumes = new StringBuilder();
        for (String claim : claims) {
            volumes.append("{persistentVolumeClaim: {claimName: '")
                    .append(claim)
                    .append("'}},");
        }
        return fixture.pod("p", "{}", "{volumes: [" + volumes + "{name: 'e', emptyDir: {}}]}");
    }

    private void classOf(String name, String provisioner, String more) {
        fixture.add(
                "StorageClass",
                "{metadata: {name: '" + name + "'}, provisioner: '" + provisioner
                        + "', volumeBindingMode: 'WaitForFirstConsumer'" + more + "}");
    }

    private void volume(String name, String spec) {
        fixture.add(
                "PersistentVolume",
                "{metadata: {name: '" + name + "'}, spec: " + spec + ", status: {phase: 'Available'}}");
    }

    private static String onNode(String host) {
        return "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: 'host', operator: 'In',"
                + " values: ['"
                + host + "']}]}]}}";
    }

    private static String size(String amount) {
        return "storageClassName: 's', accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '" + amount
                + "'}}";
    }

    private void nodes() {
        fixture.node("n1", "{host: 'n1', 'topology.ebs.csi.aws.com/zone': 'a'}")
                .node("n2", "{host: 'n2', 'topology.kubernetes.io/zone': 'a'}");
    }

    private static final String BOUND = ", annotations: {'pv.kubernetes.io/bind-completed': 'yes'}";

    @Test
    void claimsThatRejectThePod() {
        assertEquals("skip", fixture.preFilter(plugin, mounting()));
        assertEquals("UU persistentvolumeclaim \"c\" not found", fixture.preFilter(plugin, mounting("c")));
        claim("lost", "", "{volumeName: 'v'}", "Lost");
        assertEquals(
                "UU persistentvolumeclaim \"lost\" bound to non-existent persistentvolume \"v\"",
                fixture.preFilter(plugin, mounting("lost")));
        claim("going", ", deletionTimestamp: '2020-01-01T00:00:00Z'", "{}", "Bound");
        assertEquals(
                "UU persistentvolumeclaim \"going\" is being deleted", fixture.preFilter(plugin, mounting("going")));
        claim("now", "", "{storageClassName: 'gone'}", "Pending");
        String immediate = "UU pod has unbound immediate PersistentVolumeClaims";
        assertEquals(immediate, fixture.preFilter(plugin, mounting("now")));
        // Bound, but the volume controller has not finished.
        classOf("s", "x", "");
        claim("half", "", "{storageClassName: 's', volumeName: 'v'}", "Pending");
        assertEquals(immediate, fixture.preFilter(plugin, mounting("half")));
        fixture.add("StorageClass", "{metadata: {name: 'nomode'}, provisioner: 'x'}");
        claim("nomode", "", "{storageClassName: 'nomode'}", "Pending");
        assertEquals(
                "ERROR VolumeBindingMode not set for StorageClass \"nomode\"",
                fixture.preFilter(plugin, mounting("now", "nomode")));
    }

    @Test
    void ephemeralClaims() {
        PodInfo pod = fixture.pod("p", "{}", "{volumes: [{name: 'v', ephemeral: {volumeClaimTemplate: {}}}]}");
        assertEquals(
                "UU waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-v\"",
                fixture.preFilter(plugin, pod));
        claim("p-v", BOUND, "{volumeName: 'v'}", "Bound");
        assertEquals(
                "UU PVC default/p-v was not created for pod default/p (pod is not owner)",
                fixture.preFilter(plugin, pod));
        claim(
                "p-v",
                BOUND + ", ownerReferences: [{kind: 'Pod', name: 'p', uid: 'p-uid', controller: true}]",
                "{volumeName: 'v'}",
                "Bound");
        assertEquals("ok", fixture.preFilter(plugin, pod));
    }

    @Test
    void boundVolumes() {
        nodes();
        claim("c", BOUND, "{volumeName: 'v'}", "Bound");
        String gone = "UU node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
        assertEquals(List.of(gone, gone), fixture.filter(plugin, mounting("c")));
        volume("v", "{" + onNode("n2") + "}");
        assertEquals(List.of(NODE_CONFLICT, "ok"), fixture.filter(plugin, mounting("c")));
        fixture.newCycle();
        assertEquals(List.of("ERROR not found", "ERROR not found"), fixture.filterOnly(plugin, mounting("c")));
    }

    @Test
    void volumesOfMigratedPlugins() {
        nodes();
        claim("c", BOUND, "{volumeName: 'v'}", "Bound");
        fixture.add(
                "PersistentVolume",
                "{metadata: {name: 'v', labels: {'topology.kubernetes.io/zone': 'a'}}, spec: {awsElasticBlockStore:"
                        + " {volumeID: 'vol-1'}}}");
        assertEquals(List.of("ok", "ok"), fixture.filter(plugin, mounting("c")));
        for (String node : List.of("n1", "n2")) {
            fixture.add(
                    "CSINode",
                    "{metadata: {name: '" + node + "', annotations: {'storage.alpha.kubernetes.io/migrated-plugins':"
                            + "'kubernetes.io/gce-pd,kubernetes.io/aws-ebs'}}, spec: {drivers: []}}");
        }
        // Now the driver's own label is what counts.
        assertEquals(List.of("ok", NODE_CONFLICT), fixture.filter(plugin, mounting("c")));
    }

    @Test
    void existingVolumesForClaimsThatWait() {
        nodes();
        classOf("s", "kubernetes.io/no-provisioner", "");
        claim("small", "", "{" + size("1") + "}", "Pending");
        claim("large", "", "{" + size("10") + "}", "Pending");
        String spec = "{storageClassName: 's', accessModes: ['ReadWriteOnce'], capacity: {storage: '%s'}, %s}";
        assertEquals(List.of(BIND_CONFLICT, BIND_CONFLICT), fixture.filter(plugin, mounting("small")));
        volume("v10", spec.formatted("10", onNode("n1")));
        volume("v20", spec.formatted("20", onNode("n1")));
        volume("v5", spec.formatted("5", onNode("n2")));
        assertEquals(List.of("ok", "ok"), fixture.filter(plugin, mounting("small")));
        assertEquals(List.of("ok", BIND_CONFLICT), fixture.filter(plugin, mounting("large", "small")));
        volume("v20", spec.formatted("20", onNode("n2")));
        // The small claim, served first, takes the only volume of n1.
        assertEquals(List.of(BIND_CONFLICT, "ok"), fixture.filter(plugin, mounting("large", "small")));
        volume("v10", spec.formatted("10", onNode("n1") + ", volumeAttributesClassName: 'fast'"));
        assertEquals(List.of(BIND_CONFLICT, "ok"), fixture.filter(plugin, mounting("small")));
    }

    @Test
    void volumesToBeMade() {
        nodes();
        classOf("s", "x", ", allowedTopologies: [{matchLabelExpressions: [{key: 'host', values: ['n1']}]}]");
        claim("c", "", "{" + size("10") + "}", "Pending");
        assertEquals(List.of("ok", BIND_CONFLICT), fixture.filter(plugin, mounting("c")));
        classOf("s", "x", "");
        assertEquals(List.of("ok", "ok"), fixture.filter(plugin, mounting("c")));
        fixture.add("CSIDriver", "{metadata: {name: 'x'}, spec: {storageCapacity: true}}");
        assertEquals(List.of(NO_SPACE, NO_SPACE), fixture.filter(plugin, mounting("c")));
        String capacity = "{metadata: {namespace: 'n', name: '%s'}, storageClassName: 's', nodeTopology: %s, %s}";
        fixture.add("CSIStorageCapacity", capacity.formatted("a", "{matchLabels: {host: 'n1'}}", "capacity: '10'"))
                .add("CSIStorageCapacity", capacity.formatted("b", "{}", "capacity: '99', maximumVolumeSize: '9'"));
        assertEquals(List.of("ok", NO_SPACE), fixture.filter(plugin, mounting("c")));
        fixture.add(
                "CSIStorageCapacity", "{metadata: {namespace: 'n', name: 'a'}, storageClassName: 's', capacity: '10'}");
        assertEquals(List.of(NO_SPACE, NO_SPACE), fixture.filter(plugin, mounting("c")));
    }

    @Test
    void reservedVolumesAreSpokenFor() {
        nodes();
        classOf("s", "x", "");
        claim("c1", "", "{" + size("10") + "}", "Pending");
        claim("c2", "", "{" + size("99") + "}", "Pending");
        volume("v", "{storageClassName: 's', accessModes: ['ReadWriteOnce'], capacity: {storage: '10'}}");
        PodInfo pod = mounting("c1", "c2");
        assertEquals(List.of("ok", "ok"), fixture.filter(plugin, pod));
        assertEquals("ok", PluginFixture.text(plugin.reserve(fixture.state, pod, "n1")));
        PersistentVolumeInfo taken = fixture.cluster.volume("v");
        ClaimInfo selected = fixture.cluster.claim("default", "c2");
        assertNotNull(taken);
        assertNotNull(selected);
        assertEquals(new PersistentVolumeInfo.ClaimRef("default", "c1", "c1-uid"), taken.claimRef());
        assertEquals(Labels.of(ClaimInfo.SELECTED_NODE, "n1"), selected.annotations());
        CycleState first = fixture.state;
        assertEquals(List.of("ok", BIND_CONFLICT), fixture.filter(plugin, pod));
        plugin.unreserve(first, pod, "n1");
        assertEquals(List.of("ok", "ok"), fixture.filter(plugin, pod));
        PersistentVolumeInfo free = fixture.cluster.volume("v");
        assertNotNull(free);
        assertNull(free.claimRef());
    }

    @Test
    void scoresNothing() {
        nodes();
        assertEquals("skip", fixture.scores(plugin, mounting()));
    }
}
