package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Whether some pod on a node has the name of another one, told by hashes that follow the changes of nodes. */
final class PlacedNames {
    private static final int CELLS = 1 << 17;
    private static final int[] NONE = {};

    /** How many pods there are for the last bits of a hash. */
    private final int[] counts = new int[CELLS];
    /** The hashes of the pods on each node. */
    private int[][] bySlot = new int[0][];

    private long seen;

    /** True when a pod on one of the nodes has the namespace and name of this one. */
    boolean has(ClusterIndex index, PodInfo pod) {
        refresh(index);
        int hash = hash(pod);
        if (counts[hash & (CELLS - 1)] == 0) {
            return false;
        }
        for (int slot = 0; slot < bySlot.length; slot++) {
            for (int known : bySlot[slot]) {
                if (known == hash && holds(index.at(slot), pod)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean holds(@Nullable NodeInfo node, PodInfo pod) {
        for (int i = 0; node != null && i < node.podCount(); i++) {
            PodInfo other = node.pod(i);
            if (other.name().equals(pod.name()) && other.namespace().equals(pod.namespace())) {
                return true;
            }
        }
        return false;
    }

    private void refresh(ClusterIndex index) {
        if (bySlot.length < index.slots()) {
            int before = bySlot.length;
            bySlot = Arrays.copyOf(bySlot, index.slots() + index.slots() / 8);
            Arrays.fill(bySlot, before, bySlot.length, NONE);
        }
        index.changedSince(seen, slot -> {
            count(bySlot[slot], -1);
            bySlot[slot] = hashes(index.at(slot));
            count(bySlot[slot], 1);
        });
        seen = index.generation();
    }

    private static int[] hashes(@Nullable NodeInfo node) {
        if (node == null || node.podCount() == 0) {
            return NONE;
        }
        int[] hashes = new int[node.podCount()];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = hash(node.pod(i));
        }
        return hashes;
    }

    private void count(int[] hashes, int sign) {
        for (int hash : hashes) {
            counts[hash & (CELLS - 1)] += sign;
        }
    }

    private static int hash(PodInfo pod) {
        int hash = 31 * pod.namespace().hashCode() + pod.name().hashCode();
        return hash ^ (hash >>> 15);
    }
}
