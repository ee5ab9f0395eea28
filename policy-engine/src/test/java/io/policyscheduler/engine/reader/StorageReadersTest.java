package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StorageReadersTest {
    @Test
    void claim() throws IOException {
        String text = """
            {'metadata': {'name': 'data', 'namespace': 'shop', 'uid': 'u', 'resourceVersion': '7',
               'annotations': {'pv.kubernetes.io/bind-completed': 'yes'}, 'deletionTimestamp': '2020-01-01T00:00:00Z'},
             'spec': {'volumeName': 'pv-1', 'storageClassName': '', 'accessModes': ['ReadWriteOnce', 'ReadOnlyMany'],
               'selector': {'matchLabels': {'disk': 'fast'}}, 'volumeMode': 'Block',
               'resources': {'requests': {'storage': '1.5Gi', 'x': 1}, 'limits': {'storage': '9Gi'}}, 'dataSource': {}},
             'status': {'phase': 'Bound', 'capacity': {'storage': '2Gi'}}}
            """;
        assertEquals(
                new ClaimInfo(
                        "shop",
                        "data",
                        "u",
                        "7",
                        Labels.of("pv.kubernetes.io/bind-completed", "yes"),
                        true,
                        "pv-1",
                        "",
                        List.of("ReadWriteOnce", "ReadOnlyMany"),
                        LabelSelector.of(Labels.of("disk", "fast"), List.of()),
                        "Block",
                        1_610_612_736L,
                        "Bound",
                        "",
                        ""),
                Reading.read(ClaimInfo.class, "PersistentVolumeClaim", text));
    }

    @Test
    void emptyClaim() throws IOException {
        ClaimInfo empty =
                new ClaimInfo("", "", "", "", Labels.EMPTY, false, "", null, List.of(), null, "", 0, "", "", "");
        for (String text : List.of(
                "{}",
                "{'spec': {'storageClassName': null, 'selector': null, 'resources': {'requests': null}}, 'status': {}}",
                "{'spec': {'resources': {'requests': {'storage': null}}}, 'status': null}")) {
            assertEquals(empty, Reading.read(ClaimInfo.class, "PersistentVolumeClaim", text), text);
        }
        assertEquals(
                LabelSelector.EVERYTHING,
                Reading.read(ClaimInfo.class, "PersistentVolumeClaim", "{'spec': {'selector': {}}}")
                        .selector());
    }

    @Test
    void volume() throws IOException {
        String text = """
            {'metadata': {'name': 'pv-1', 'uid': 'u', 'resourceVersion': '7', 'labels': {'zone': 'a'},
               'annotations': {'pv.kubernetes.io/bound-by-controller': 'yes'}},
             'spec': {'capacity': {'storage': '10Gi'}, 'storageClassName': 'fast', 'accessModes': ['ReadWriteOnce'],
               'volumeMode': 'Filesystem', 'persistentVolumeReclaimPolicy': 'Delete',
               'claimRef': {'kind': 'PersistentVolumeClaim', 'namespace': 'shop', 'name': 'data', 'uid': 'c-uid'},
               'csi': {'driver': 'ebs.csi.aws.com', 'volumeHandle': 'vol-1', 'fsType': 'ext4', 'readOnly': true},
               'nodeAffinity': {'required': {'nodeSelectorTerms': [
                 {'matchExpressions': [{'key': 'zone', 'operator': 'In', 'values': ['a']}]}]}}},
             'status': {'phase': 'Bound'}}
            """;
        assertEquals(
                new PersistentVolumeInfo(
                        "pv-1",
                        "u",
                        "7",
                        Labels.of("zone", "a"),
                        Labels.of("pv.kubernetes.io/bound-by-controller", "yes"),
                        false,
                        "fast",
                        List.of(new NodeSelectorTerm(
                                List.of(LabelRequirement.ofNodeSelector("zone", "In", List.of("a"))), List.of())),
                        new PersistentVolumeInfo.ClaimRef("shop", "data", "c-uid"),
                        List.of("ReadWriteOnce"),
                        "Filesystem",
                        10L << 30,
                        new Volume(Volume.Kind.CSI, "vol-1", "ebs.csi.aws.com", true, List.of()),
                        "Bound",
                        ""),
                Reading.read(PersistentVolumeInfo.class, "PersistentVolume", text));
    }

    @Test
    void emptyVolume() throws IOException {
        PersistentVolumeInfo empty = Reading.read(
                PersistentVolumeInfo.class,
                "PersistentVolume",
                "{'spec': {'nfs': {'server': 's'}, 'claimRef': null, 'nodeAffinity': null}}");
        assertEquals(
                new PersistentVolumeInfo(
                        "",
                        "",
                        "",
                        Labels.EMPTY,
                        Labels.EMPTY,
                        false,
                        "",
                        null,
                        null,
                        List.of(),
                        "",
                        0,
                        new Volume(Volume.Kind.OTHER, "", "", false, List.of()),
                        "",
                        ""),
                empty);
        assertEquals(
                List.of(),
                Reading.read(
                                PersistentVolumeInfo.class,
                                "PersistentVolume",
                                "{'spec': {'nodeAffinity': {'required': {}}}}")
                        .requiredTerms());
        assertNull(Reading.read(PersistentVolumeInfo.class, "PersistentVolume", "{'spec': {'nodeAffinity': {}}}")
                .requiredTerms());
    }

    @Test
    void storageClass() throws IOException {
        String text = """
            {'metadata': {'name': 'fast'}, 'provisioner': 'ebs.csi.aws.com', 'parameters': {'type': 'gp3'},
             'volumeBindingMode': 'WaitForFirstConsumer', 'reclaimPolicy': 'Delete',
             'allowedTopologies': [{'matchLabelExpressions': [{'key': 'zone', 'values': ['a', 'b']}]}, {}]}
            """;
        assertEquals(
                new StorageClassInfo(
                        "fast",
                        "ebs.csi.aws.com",
                        "WaitForFirstConsumer",
                        List.of(List.of(LabelRequirement.ofNodeSelector("zone", "In", List.of("a", "b"))), List.of())),
                Reading.read(StorageClassInfo.class, "StorageClass", text));
        assertEquals(
                new StorageClassInfo("s", "", null, List.of()),
                Reading.read(
                        StorageClassInfo.class,
                        "StorageClass",
                        "{'metadata': {'name': 's'}, 'volumeBindingMode': null, 'allowedTopologies': null}"));
    }

    @Test
    void csiNode() throws IOException {
        String text = """
            {'metadata': {'name': 'n1', 'annotations': {'storage.alpha.kubernetes.io/migrated-plugins': 'x'}},
             'spec': {'drivers': [{'name': 'a', 'nodeID': 'i', 'allocatable': {'count': 0}, 'topologyKeys': ['zone']},
               {'name': 'b', 'allocatable': {}}, {'name': 'c', 'allocatable': null}]}}
            """;
        assertEquals(
                new CsiNodeInfo(
                        "n1",
                        Labels.of("storage.alpha.kubernetes.io/migrated-plugins", "x"),
                        List.of(
                                new CsiNodeInfo.Driver("a", 0),
                                new CsiNodeInfo.Driver("b", null),
                                new CsiNodeInfo.Driver("c", null))),
                Reading.read(CsiNodeInfo.class, "CSINode", text));
        assertEquals(
                new CsiNodeInfo("", Labels.EMPTY, List.of()),
                Reading.read(CsiNodeInfo.class, "CSINode", "{'spec': {'drivers': null}, 'status': {}}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PersistentVolumeClaim | {'spec': {'volumeName': 1}} | spec.volumeName: expected a string, found 1",
                "PersistentVolumeClaim | {'spec': {'resources': {'requests': {'storage': 'big'}}}} "
                        + "| spec.resources.requests.storage: \"big\" is not a quantity",
                "PersistentVolumeClaim | {'spec': {'accessModes': 'ReadWriteOnce'}} "
                        + "| spec.accessModes: expected a list, found \"ReadWriteOnce\"",
                "PersistentVolume | {'spec': {'capacity': 5}} | spec.capacity: expected an object, found 5",
                "PersistentVolume | {'spec': {'nodeAffinity': {'required': []}}} "
                        + "| spec.nodeAffinity.required: expected an object, found a list",
                "PersistentVolume | {'spec': {'csi': {'readOnly': 1}}} | spec.csi.readOnly: expected true or false,"
                        + " found 1",
                "StorageClass | {'provisioner': {}} | provisioner: expected a string, found an object",
                "StorageClass | {'allowedTopologies': {}} | allowedTopologies: expected a list, found an object",
                "CSINode | {'spec': {'drivers': [{'allocatable': {'count': '5'}}]}} "
                        + "| spec.drivers[0].allocatable.count: expected an integer, found \"5\"",
            })
    void wrongTypesAreNamedWithTheirPlace(String kind, String text, String reason) {
        assertEquals(kind + ": " + reason, Reading.refusal(kind, text));
    }
}
