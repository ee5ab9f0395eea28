package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import java.util.Collections;
import java.util.List;

/**
 * Disks that the pods of a node mount in a way that excludes other pods. Only volumes of the pods themselves count, not those behind a
 * claim. Mirrors {@code isVolumeConflict} of {@code pkg/scheduler/framework/plugins/volumerestrictions}, which is the same since 1.17.
 */
public final class DiskConflicts {
    private DiskConflicts() {}

    /** Returns whether a volume is a disk that can exclude other pods. */
    public static boolean isDisk(Volume volume) {
        return switch (volume.kind()) {
            case GCE_PD, AWS_EBS, ISCSI, RBD -> true;
            default -> false;
        };
    }

    /** Returns whether a pod of the node mounts one of these disks in a way that excludes another pod. */
    public static boolean any(List<Volume> disks, NodeInfo node) {
        for (int i = 0; i < node.podCount(); i++) {
            List<Volume> mounted = node.pod(i).volumes();
            for (int m = 0; m < mounted.size(); m++) {
                for (int d = 0; d < disks.size(); d++) {
                    if (conflict(disks.get(d), mounted.get(m))) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Returns whether two pods on one node cannot mount these disks. */
    public static boolean conflict(Volume one, Volume other) {
        if (one.kind() != other.kind() || !one.id().equals(other.id())) {
            return false;
        }
        boolean written = !(one.readOnly() && other.readOnly());
        return switch (one.kind()) {
            // EBS attaches to one instance only, even if all mounts are read-only.
            case AWS_EBS -> true;
            case GCE_PD, ISCSI -> written;
            case RBD ->
                written
                        && one.detail().equals(other.detail())
                        && !Collections.disjoint(one.monitors(), other.monitors());
            default -> false;
        };
    }
}
