package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Lifts that change other pods and objects. */
final class WorldLifts {
    private WorldLifts() {}

    /**
     * Another pod goes.
     *
     * @param node where the pod is in the way
     * @param why what the pod does there, such as {@code it uses host port 80}
     */
    record WithoutPod(String node, PodInfo other, String why) implements Lift {
        @Override
        public Kind kind() {
            return Kind.POD;
        }

        @Override
        public String text() {
            return "remove the pod " + other.key() + " (" + why + ")";
        }

        /** The more important the pod that has to go, the worse. */
        @Override
        public double effort() {
            return other.priority() > 0 ? 1.8 : 1.3;
        }

        @Override
        public Situation apply(Situation before) {
            return before.withoutPod(other);
        }
    }

    /**
     * A node can attach more volumes.
     *
     * @param volumes how many the pod brings
     * @param limit the new limit of every kind of volume that has one below
     * @param inTree the limit's resource for volumes that are not CSI, which a node need not state; empty for CSI
     */
    record AttachLimit(String node, int volumes, int limit, String inTree) implements Lift {
        @Override
        public Kind kind() {
            return Kind.VOLUME_LIMIT;
        }

        @Override
        public String text() {
            return "room to attach " + volumes + (volumes == 1 ? " more volume" : " more volumes");
        }

        @Override
        public Situation apply(Situation before) {
            Situation raised = before.withNode(node, this::raised);
            for (ClusterObject object : before.world().objects()) {
                if (object instanceof CsiNodeInfo drivers && drivers.name().equals(node)) {
                    raised = raised.withObject(raised(drivers));
                }
            }
            return raised;
        }

        private Node raised(Node old) {
            ResourceVector has = old.allocatable();
            Map<String, Long> scalars = new TreeMap<>();
            if (!inTree.isEmpty()) {
                scalars.put(inTree, (long) limit);
            }
            for (int i = 0; i < has.scalarCount(); i++) {
                boolean counts = has.scalarName(i).startsWith(ResourceNames.ATTACHABLE_PREFIX);
                scalars.put(has.scalarName(i), counts ? Math.max(limit, has.scalarAmount(i)) : has.scalarAmount(i));
            }
            return Copies.withAllocatable(
                    old, ResourceVector.of(has.milliCpu(), has.memory(), has.ephemeralStorage(), has.pods(), scalars));
        }

        private CsiNodeInfo raised(CsiNodeInfo old) {
            return new CsiNodeInfo(
                    old.name(),
                    old.annotations(),
                    old.drivers().stream()
                            .map(driver -> driver.allocatableCount() == null
                                    ? driver
                                    : new CsiNodeInfo.Driver(driver.name(), Math.max(limit, driver.allocatableCount())))
                            .toList());
        }
    }

    /**
     * A claim of the pod has a volume that every node can reach.
     *
     * @param claim as it is, or what it might be
     * @param missing the claim does not exist either
     */
    record BoundClaim(ClaimInfo claim, boolean missing) implements Lift {
        @Override
        public Kind kind() {
            return Kind.VOLUME;
        }

        @Override
        public String text() {
            if (missing) {
                return "create the claim " + claim.key() + " and a volume for it";
            }
            String size = claim.requestedStorage() == 0 ? "" : " of " + Amounts.bytes(claim.requestedStorage());
            String of = claim.className().isEmpty() ? "" : " of class " + claim.className();
            return "create a volume" + size + of + " for the claim " + claim.key();
        }

        @Override
        public @Nullable String node() {
            return null;
        }

        @Override
        public Situation apply(Situation before) {
            String name = "volume-for-" + claim.namespace() + "-" + claim.name();
            Map<String, String> annotations = claim.annotations().toMap();
            annotations.put(ClaimInfo.BIND_COMPLETED, "yes");
            annotations.remove(ClaimInfo.SELECTED_NODE);
            String uid = claim.uid().isEmpty() ? claim.key() : claim.uid();
            ClaimInfo bound = new ClaimInfo(
                    claim.namespace(),
                    claim.name(),
                    uid,
                    claim.resourceVersion(),
                    Labels.copyOf(annotations),
                    false,
                    name,
                    claim.storageClassName(),
                    claim.accessModes(),
                    claim.selector(),
                    claim.volumeMode(),
                    claim.requestedStorage(),
                    "Bound",
                    claim.attributesClassName(),
                    claim.controllerUid());
            PersistentVolumeInfo volume = new PersistentVolumeInfo(
                    name,
                    name,
                    "",
                    Labels.EMPTY,
                    Labels.EMPTY,
                    false,
                    claim.className(),
                    null,
                    new PersistentVolumeInfo.ClaimRef(claim.namespace(), claim.name(), uid),
                    claim.accessModes(),
                    claim.volumeMode(),
                    claim.requestedStorage(),
                    new Volume(Volume.Kind.OTHER, name, "", false, List.of()),
                    "Bound");
            return before.withObject(bound).withObject(volume);
        }
    }
}
