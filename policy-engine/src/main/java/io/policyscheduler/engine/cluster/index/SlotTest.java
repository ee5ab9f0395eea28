package io.policyscheduler.engine.cluster.index;

import java.util.List;

/** Which nodes of a {@link ClusterIndex} pass, told by their slots. Valid until the cluster changes. */
@FunctionalInterface
public interface SlotTest {
    /** Whether the node in the slot passes. */
    boolean test(int slot);

    /**
     * Takes out of a set of positions those whose node does not pass. A tight loop where nodes are many.
     *
     * @param order the slots by position
     * @param positions 64 to a number, the lowest bit first
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

    /** Passes what passes each of these. */
    static SlotTest all(List<? extends SlotTest> tests) {
        return tests.size() == 1 ? tests.get(0) : new All(List.copyOf(tests));
    }

    /** Several at once. */
    record All(List<SlotTest> tests) implements SlotTest {
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
}
