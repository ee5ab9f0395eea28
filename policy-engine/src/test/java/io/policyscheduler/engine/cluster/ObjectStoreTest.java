package io.policyscheduler.engine.cluster;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo.Kind;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ObjectStoreTest {
    private final ObjectStore store = new ObjectStore();

    static ClaimInfo claim(String name, String resourceVersion) {
        return new ClaimInfo(
                "a", name, "uid", resourceVersion, Labels.EMPTY, false, "", null, List.of(), null, "", 0, "", "", "");
    }

    static PersistentVolumeInfo volume(String name, String resourceVersion, String storageClass) {
        return new PersistentVolumeInfo(
                name,
                "uid",
                resourceVersion,
                Labels.EMPTY,
                Labels.EMPTY,
                false,
                storageClass,
                null,
                null,
                List.of(),
                "",
                0,
                new Volume(Volume.Kind.OTHER, "", "", false, List.of()),
                "",
                "");
    }

    private static List<String> names(Collection<? extends ClusterObject> objects) {
        return objects.stream().map(ClusterObject::name).toList();
    }

    @Test
    void podsAndNodesAreRefused() {
        assertFalse(store.put(pod("p").build()));
        assertFalse(store.put(node("n").build()));
        assertFalse(store.remove(pod("p").build()));
        assertFalse(store.remove(node("n").build()));
    }

    @Test
    void servicesByNamespaceInNameOrder() {
        ServiceInfo b = new ServiceInfo("a", "b", null);
        store.put(b);
        store.put(new ServiceInfo("a", "a", null));
        store.put(new ServiceInfo("other", "c", null));
        assertEquals(List.of("a", "b"), names(store.services("a")));
        ServiceInfo replaced = new ServiceInfo("a", "b", Labels.of("x", "y"));
        store.put(replaced);
        assertTrue(store.services("a").contains(replaced));
        assertFalse(store.services("a").contains(b));
        assertTrue(store.remove(b));
        assertTrue(store.remove(b), "removing twice is no error");
        assertEquals(List.of("a"), names(store.services("a")));
        assertEquals(List.of(), names(store.services("nowhere")));
    }

    @Test
    void workloadsByKind() {
        for (Kind kind : Kind.values()) {
            store.put(new WorkloadInfo(kind, "a", kind.name(), null, null));
        }
        for (Kind kind : Kind.values()) {
            assertEquals(List.of(kind.name()), names(store.workloads(kind, "a")));
        }
        store.remove(new WorkloadInfo(Kind.REPLICA_SET, "a", "REPLICA_SET", null, null));
        assertEquals(List.of(), names(store.workloads(Kind.REPLICA_SET, "a")));
        assertEquals(List.of("STATEFUL_SET"), names(store.workloads(Kind.STATEFUL_SET, "a")));
    }

    @Test
    void volumesByClassFollowAChangeOfClass() {
        store.put(volume("b", "1", "fast"));
        store.put(volume("a", "1", "fast"));
        store.put(volume("c", "1", ""));
        assertEquals(List.of("a", "b"), names(store.volumesOfClass("fast")));
        assertEquals(List.of("c"), names(store.volumesOfClass("")));
        PersistentVolumeInfo slow = volume("a", "2", "slow");
        store.put(slow);
        assertEquals(List.of("b"), names(store.volumesOfClass("fast")));
        assertEquals(List.of("a"), names(store.volumesOfClass("slow")));
        assertEquals(slow, store.volume("a"));
        // Removed by name, whatever class the given object says.
        store.remove(volume("a", "3", "fast"));
        assertEquals(List.of(), names(store.volumesOfClass("slow")));
        assertNull(store.volume("a"));
    }

    @Test
    void everythingElseByName() {
        ClaimInfo claim = claim("c", "1");
        StorageClassInfo storageClass = new StorageClassInfo("s", "p", null, List.of());
        CsiNodeInfo csiNode = new CsiNodeInfo("n", Labels.EMPTY, List.of());
        NamespaceInfo namespace = new NamespaceInfo("a", Labels.EMPTY);
        DisruptionBudgetInfo budget = new DisruptionBudgetInfo("a", "b", null, 0, Set.of());
        List<ClusterObject> all = List.of(claim, storageClass, csiNode, namespace, budget);
        all.forEach(object -> assertTrue(store.put(object)));
        assertEquals(claim, store.claim("a", "c"));
        assertNull(store.claim("other", "c"));
        assertNull(store.claim("a", "d"));
        assertEquals(storageClass, store.storageClass("s"));
        assertEquals(csiNode, store.csiNode("n"));
        assertEquals(namespace, store.namespace("a"));
        assertEquals(List.of("b"), names(store.budgets("a")));
        all.forEach(object -> assertTrue(store.remove(object)));
        assertNull(store.claim("a", "c"));
        assertNull(store.storageClass("s"));
        assertNull(store.csiNode("n"));
        assertNull(store.namespace("a"));
        assertEquals(List.of(), names(store.budgets("a")));
    }

    @Test
    void anythingByKindNamespaceAndName() {
        CsiDriverInfo driver = new CsiDriverInfo("d", true);
        ServiceInfo service = new ServiceInfo("a", "d", null);
        store.put(driver);
        store.put(service);
        assertEquals(driver, store.object(ResourceKind.CSI_DRIVERS, CsiDriverInfo.class, "", "d"));
        assertEquals(service, store.object(ResourceKind.SERVICES, ServiceInfo.class, "a", "d"));
        assertNull(store.object(ResourceKind.CSI_DRIVERS, CsiDriverInfo.class, "a", "d"));
        assertNull(store.object(ResourceKind.SERVICES, ServiceInfo.class, "a", "e"));
        assertEquals(List.of(driver), List.copyOf(store.objects(ResourceKind.CSI_DRIVERS, CsiDriverInfo.class, "")));
        assertEquals(List.of(), List.copyOf(store.objects(ResourceKind.SERVICES, ServiceInfo.class, "")));
        for (ResourceKind kind : List.of(ResourceKind.PODS, ResourceKind.NODES)) {
            assertThrows(IllegalArgumentException.class, () -> store.object(kind, ClusterObject.class, "a", "d"));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> store.objects(ResourceKind.SERVICES, CsiDriverInfo.class, "a"),
                "not what services are");
        assertThrows(
                UnsupportedOperationException.class, () -> store.services("a").clear());
    }

    @Test
    void capacitiesAndAttachmentsFollowAChange() {
        StorageCapacityInfo far = new StorageCapacityInfo("b", "x", "fast", null, 1L, null);
        StorageCapacityInfo near = new StorageCapacityInfo("a", "y", "fast", null, 2L, null);
        store.put(far);
        store.put(near);
        assertEquals(List.of(near, far), List.copyOf(store.storageCapacities("fast")));
        StorageCapacityInfo moved = new StorageCapacityInfo("a", "y", "slow", null, 2L, null);
        store.put(moved);
        assertEquals(List.of(far), List.copyOf(store.storageCapacities("fast")));
        assertEquals(List.of(moved), List.copyOf(store.storageCapacities("slow")));
        store.remove(near);
        assertEquals(List.of(), List.copyOf(store.storageCapacities("slow")));

        store.put(new VolumeAttachmentInfo("t", "csi", "n1", "v"));
        VolumeAttachmentInfo elsewhere = new VolumeAttachmentInfo("t", "csi", "n2", "v");
        store.put(elsewhere);
        assertEquals(List.of(), List.copyOf(store.volumeAttachments("n1")));
        assertEquals(List.of(elsewhere), List.copyOf(store.volumeAttachments("n2")));
    }
}
