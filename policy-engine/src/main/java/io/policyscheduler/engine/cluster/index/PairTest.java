package io.policyscheduler.engine.cluster.index;

/**
 * Passes nodes by how many pods were counted for their value of a topology key.
 *
 * @param counts by number of the value in {@code column}
 * @param wantsPods true to pass nodes whose value has pods, false to pass those whose value has none, or that have no value
 */
public record PairTest(TopologyColumn column, long[] counts, boolean wantsPods) implements SlotTest {
    @Override
    public boolean test(int slot) {
        int number = column.at(slot);
        return (number != TopologyColumn.NONE && counts[number] > 0) == wantsPods;
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
            positions[block] = before & (wantsPods ? withPods : ~withPods);
        }
    }
}
