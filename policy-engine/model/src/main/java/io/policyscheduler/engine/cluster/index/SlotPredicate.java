package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import java.util.List;

/** A predicate over the nodes of a {@link ClusterIndex}, by their slots. Valid until the cluster changes. */
@FunctionalInterface
public interface SlotPredicate {
    /** Returns whether the node in the slot passes. */
    boolean test(int slot);

    /**
     * Removes the positions whose node does not pass. A tight loop for many nodes.
     *
     * @param order the slots by position
     * @param positions 64 per long, the lowest bit first
     */
    default void retain(int[] order, long[] positions) {
        for (int block = 0; block < positions.length; block++) {
            long passing = positions[block];
            for (long left = passing; left != 0; left &= left - 1) {
                if (!test(order[(block << 6) + Long.numberOfTrailingZeros(left)])) {
                    passing &= ~Long.lowestOneBit(left);
                }
            }
            positions[block] = passing;
        }
    }

    /** Returns the conjunction of predicates. */
    static SlotPredicate all(List<? extends SlotPredicate> tests) {
        return tests.size() == 1 ? tests.get(0) : new All(List.copyOf(tests));
    }

    /** The conjunction of several predicates. */
    record All(List<SlotPredicate> tests) implements SlotPredicate {
        @Override
        public boolean test(int slot) {
            for (int i = 0; i < tests.size(); i++) {
                if (!tests.get(i).test(slot)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void retain(int[] order, long[] positions) {
            for (int i = 0; i < tests.size(); i++) {
                tests.get(i).retain(order, positions);
            }
        }
    }

    /**
     * Passes nodes by the number of counted pods for their value of a topology key.
     *
     * @param counts by value number of {@code column}
     * @param needsPods true to pass nodes whose value has pods, false to pass those whose value has none, or that have no value
     */
    public record TopologyPodsPredicate(TopologyColumn column, long[] counts, boolean needsPods)
            implements SlotPredicate {
        @Override
        public boolean test(int slot) {
            int number = column.at(slot);
            return (number != TopologyColumn.NONE && counts[number] > 0) == needsPods;
        }

        @Override
        public void retain(int[] order, long[] positions) {
            for (int block = 0; block < positions.length; block++) {
                long before = positions[block];
                if (before == 0) {
                    continue;
                }
                long withPods = 0;
                int end = Math.min((block + 1) << 6, order.length);
                for (int position = block << 6; position < end; position++) {
                    int number = column.at(order[position]);
                    if (number != TopologyColumn.NONE && counts[number] > 0) {
                        withPods |= 1L << position;
                    }
                }
                positions[block] = before & (needsPods ? withPods : ~withPods);
            }
        }
    }
}
