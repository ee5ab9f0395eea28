package io.policyscheduler.tests.simulation;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The storage of a random cluster: claims that are bound to local volumes and to volumes that count against the limit of a node, claims
 * that wait for the first pod and for a local volume or for room to make one. Nothing vanishes that a pod with a node uses, as
 * nothing does in a cluster.
 */
final class OracleVolumes {
    private static final int NODES = 5;
    private static final String DRIVER = "csi.d";
    /** Volumes and claims from here on are the driver's. */
    private static final int FIRST_OF_DRIVER = 3;
    /** The volume and the claim that meet late. */
    private static final int LATE = 2;

    private final SplittableRandom random;
    private final OracleObjects objects;
    private final Predicate<String> isUsed;

    OracleVolumes(SplittableRandom random, OracleObjects objects, Predicate<String> isUsed) {
        this.random = random;
        this.objects = objects;
        this.isUsed = isUsed;
    }

    private boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    void start() {
        putClass("late", "kubernetes.io/no-provisioner");
        putClass("made", DRIVER);
        objects.put("CSIDriver", DRIVER, "spec: {storageCapacity: true}");
        for (int i = FIRST_OF_DRIVER; i < NODES; i++) {
            putVolume(i);
        }
    }

    private void putClass(String name, String provisioner) {
        objects.put("StorageClass", name, "provisioner: " + provisioner + ", volumeBindingMode: WaitForFirstConsumer");
    }

    /** The claim that a new pod has; null for none. */
    @Nullable
    String ofPod() {
        return percent(25) ? "c" + random.nextInt(NODES + 1) : null;
    }

    void act() {
        int number = random.nextInt(NODES);
        switch (random.nextInt(10)) {
            case 0 -> volume(number);
            case 1, 2, 3 -> claim(random.nextInt(NODES + 1));
            case 4 -> csiNode("n" + number);
            case 5 -> capacity("n" + number);
            case 6 -> attachment(FIRST_OF_DRIVER + random.nextInt(NODES - FIRST_OF_DRIVER), "n" + number);
            case 7 -> putMadeClass();
            case 8 -> objects.put("CSIDriver", DRIVER, "spec: {storageCapacity: " + percent(50) + "}");
            default -> lateClass();
        }
    }

    /** Makes volumes everywhere, or for one node. */
    private void putMadeClass() {
        objects.put(
                "StorageClass",
                "made",
                "provisioner: " + DRIVER + ", volumeBindingMode: WaitForFirstConsumer"
                        + (percent(30)
                                ? ""
                                : ", allowedTopologies: [{matchLabelExpressions: [{key: host, values: [n"
                                        + random.nextInt(NODES) + "]}]}]"));
    }

    /** A volume is attached to a node, or detached from it. */
    private void attachment(int volume, String node) {
        String name = "a" + volume + "-" + node;
        ClusterObject present = objects.find("VOLUME_ATTACHMENTS " + name);
        if (present != null) {
            objects.delete(present);
        } else {
            objects.put(
                    "VolumeAttachment",
                    name,
                    "spec: {attacher: " + DRIVER + ", nodeName: " + node + ", source: {persistentVolumeName: v" + volume
                            + "}}, status: {attached: true}");
        }
    }

    private void lateClass() {
        ClusterObject present = objects.find("STORAGE_CLASSES late");
        if (present == null) {
            putClass("late", "kubernetes.io/no-provisioner");
        } else {
            objects.delete(present);
        }
    }

    private void csiNode(String node) {
        ClusterObject present = objects.find("CSI_NODES " + node);
        if (present != null && percent(30)) {
            objects.delete(present);
            return;
        }
        objects.put(
                "CSINode",
                node,
                "spec: {drivers: [{name: " + DRIVER + ", nodeID: " + node + ", allocatable: {count: "
                        + random.nextInt(3) + "}}]}");
    }

    private void capacity(String node) {
        ClusterObject present = objects.find("STORAGE_CAPACITIES default/of-" + node);
        if (present != null && percent(30)) {
            objects.delete(present);
            return;
        }
        objects.put(
                "CSIStorageCapacity",
                "of-" + node,
                "storageClassName: made, capacity: " + (percent(50) ? "5Gi" : "512Mi")
                        + ", nodeTopology: {matchLabels: {host: " + node + "}}");
    }

    private void volume(int number) {
        ClusterObject present = objects.find("VOLUMES v" + number);
        if (present != null && number < FIRST_OF_DRIVER && percent(40)) {
            objects.delete(present);
        } else {
            putVolume(number);
        }
    }

    private void putVolume(int number) {
        String source =
                number < FIRST_OF_DRIVER ? "" : ", csi: {driver: " + DRIVER + ", volumeHandle: h" + number + "}";
        String className = number == LATE ? "late" : "now";
        objects.put(
                "PersistentVolume",
                "v" + number,
                "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: " + className + source
                        + ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: host, operator: In,"
                        + " values: [n" + random.nextInt(NODES) + ", n" + random.nextInt(NODES)
                        + "]}]}]}}}, status: {phase: " + (number == LATE ? "Available" : "Bound") + "}");
    }

    private void claim(int number) {
        String name = "c" + number;
        ClusterObject present = objects.find("CLAIMS default/" + name);
        boolean isBound =
                present instanceof ClaimInfo claim && !claim.volumeName().isEmpty();
        if (present != null && percent(40)) {
            if (!isUsed.test(name)) {
                objects.delete(present);
            }
            return;
        }
        if (isBound) {
            return;
        }
        String className = number == LATE ? "late" : number == NODES ? "made" : "now";
        boolean becomesBound = className.equals("now") && percent(70);
        objects.put(
                "PersistentVolumeClaim",
                name,
                "spec: {accessModes: [" + (percent(80) ? "ReadWriteOnce" : "ReadWriteOncePod")
                        + "], resources: {requests: {storage: 1Gi}}, storageClassName: " + className
                        + (becomesBound ? ", volumeName: v" + number : "") + "}");
    }
}
