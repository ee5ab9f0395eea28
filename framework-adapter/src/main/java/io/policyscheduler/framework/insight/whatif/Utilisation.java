package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the pods of each node ask for, and what the node has.
 *
 * @param nodes by name
 */
public record Utilisation(SortedMap<String, Use> nodes) {
    /**
     * Of one node, or of several together.
     *
     * @param cpu milli-CPU
     * @param memory bytes
     * @param pods a count
     */
    public record Use(Part cpu, Part memory, Part pods) {
        static final Use NONE = new Use(Part.NONE, Part.NONE, Part.NONE);

        private Use plus(Use other) {
            return new Use(cpu.plus(other.cpu), memory.plus(other.memory), pods.plus(other.pods));
        }
    }

    /** An amount that is asked for out of one that is there. */
    public record Part(long requested, long allocatable) {
        static final Part NONE = new Part(0, 0);

        private Part plus(Part other) {
            return new Part(requested + other.requested, allocatable + other.allocatable);
        }

        /** In percent, above 100 where more is asked for than is there; 0 where there is nothing. */
        public double percent() {
            return allocatable <= 0 ? 0 : 100.0 * requested / allocatable;
        }
    }

    public Utilisation {
        nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
    }

    /** Of a cluster as it is now. */
    public static Utilisation of(ClusterState cluster) {
        cluster.startCycle();
        SortedMap<String, Use> nodes = new TreeMap<>();
        for (NodeInfo node : cluster.nodes()) {
            nodes.put(
                    node.name(),
                    new Use(
                            new Part(node.currentRequests().milliCpu(), node.allocatableMilliCpu()),
                            new Part(node.currentRequests().memory(), node.allocatableMemory()),
                            new Part(node.podCount(), node.allocatable().pods())));
        }
        return new Utilisation(nodes);
    }

    /** Of all nodes together. */
    public Use total() {
        Use total = Use.NONE;
        for (Map.Entry<String, Use> node : nodes.entrySet()) {
            total = total.plus(node.getValue());
        }
        return total;
    }
}
