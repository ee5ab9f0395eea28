package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CsiReadersTest {
    private static final LabelSelector IN_A = LabelSelector.of(Labels.of("zone", "a"), List.of());

    @Test
    void everyFieldThatSchedulingReads() throws IOException {
        assertEquals(
                new CsiDriverInfo("d", true),
                Reading.object(
                        "CSIDriver",
                        "{'metadata': {'name': 'd'}, 'spec': {'storageCapacity': true, 'attachRequired': false}}"));
        assertEquals(new CsiDriverInfo("d", false), Reading.object("CSIDriver", "{'metadata': {'name': 'd'}}"));
        assertEquals(
                new StorageCapacityInfo("n", "c", "s", IN_A, 1L << 30, 2048L),
                Reading.object(
                        "CSIStorageCapacity",
                        "{'metadata': {'namespace': 'n', 'name': 'c'}, 'storageClassName': 's', 'capacity': '1Gi',"
                                + " 'maximumVolumeSize': '2Ki', 'nodeTopology': {'matchLabels': {'zone': 'a'}}}"));
        assertEquals(
                new StorageCapacityInfo("n", "c", "", null, null, null),
                Reading.object(
                        "CSIStorageCapacity", "{'metadata': {'namespace': 'n', 'name': 'c'}, 'nodeTopology': null}"));
        assertEquals(
                new VolumeAttachmentInfo("a", "d", "n1", "v"),
                Reading.object(
                        "VolumeAttachment",
                        "{'metadata': {'name': 'a'}, 'spec': {'attacher': 'd', 'nodeName': 'n1',"
                                + " 'source': {'persistentVolumeName': 'v'}}, 'status': {'attached': true}}"));
        assertEquals(
                new VolumeAttachmentInfo("a", "", "", ""),
                Reading.object(
                        "VolumeAttachment",
                        "{'metadata': {'name': 'a'}, 'spec': {'source': {'inlineVolumeSpec': {}}}}"));
    }

    @Test
    void whatCapacitySuffices() {
        Labels inA = Labels.of("zone", "a");
        assertTrue(new StorageCapacityInfo("n", "c", "s", IN_A, 10L, null).suffices(10, inA));
        assertFalse(new StorageCapacityInfo("n", "c", "s", IN_A, 10L, null).suffices(11, inA));
        assertFalse(new StorageCapacityInfo("n", "c", "s", IN_A, 10L, 9L).suffices(10, inA));
        assertFalse(new StorageCapacityInfo("n", "c", "s", IN_A, null, null).suffices(1, inA));
        assertFalse(new StorageCapacityInfo("n", "c", "s", IN_A, 10L, null).suffices(10, Labels.EMPTY));
        assertTrue(
                new StorageCapacityInfo("n", "c", "s", LabelSelector.EVERYTHING, 10L, null).suffices(10, Labels.EMPTY));
        assertFalse(new StorageCapacityInfo("n", "c", "s", null, 10L, null).suffices(10, inA));
    }

    @Test
    void objectsAreFoundByClassAndNodeUntilTheyAreGone() {
        ClusterState cluster = new ClusterState();
        StorageCapacityInfo capacity = new StorageCapacityInfo("n", "c", "s", IN_A, 10L, null);
        StorageCapacityInfo moved = new StorageCapacityInfo("n", "c", "t", IN_A, 10L, null);
        VolumeAttachmentInfo attachment = new VolumeAttachmentInfo("a", "d", "n1", "v");
        cluster.putObject(capacity);
        cluster.putObject(attachment);
        cluster.putObject(new CsiDriverInfo("d", true));
        assertEquals(List.of(capacity), List.copyOf(cluster.storageCapacities("s")));
        assertEquals(List.of(attachment), List.copyOf(cluster.volumeAttachments("n1")));
        assertEquals(new CsiDriverInfo("d", true), cluster.csiDriver("d"));
        cluster.putObject(moved);
        assertEquals(List.of(), List.copyOf(cluster.storageCapacities("s")));
        assertEquals(List.of(moved), List.copyOf(cluster.storageCapacities("t")));
        cluster.removeObject(moved);
        cluster.removeObject(attachment);
        cluster.removeObject(new CsiDriverInfo("d", false));
        assertEquals(List.of(), List.copyOf(cluster.storageCapacities("t")));
        assertEquals(List.of(), List.copyOf(cluster.volumeAttachments("n1")));
        assertEquals(null, cluster.csiDriver("d"));
    }
}
