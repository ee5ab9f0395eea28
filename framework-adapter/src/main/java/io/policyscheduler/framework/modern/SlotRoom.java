package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.ResourceVector;

/** Nodes with room for one more pod that asks for something, but for no scalar resource; the same as {@link NodeResourcesFit#filter}. */
final class SlotRoom implements SlotPredicate {
    private static final Arithmetic SUMS = Arithmetic.SATURATING;

    private final NodeAmounts amounts;
    private final long milliCpu;
    private final long memory;
    private final long storage;

    /** @param checksZero whether also what the pod does not ask for must not be overcommitted */
    SlotRoom(NodeAmounts amounts, ResourceVector wanted, boolean checksZero) {
        this.amounts = amounts;
        this.milliCpu = least(wanted.milliCpu(), checksZero);
        this.memory = least(wanted.memory(), checksZero);
        this.storage = least(wanted.ephemeralStorage(), checksZero);
    }

    private static long least(long wanted, boolean checksZero) {
        return wanted <= 0 && !checksZero ? Long.MIN_VALUE : wanted;
    }

    @Override
    public boolean test(int slot) {
        return amounts.room(slot) > 0
                && milliCpu <= SUMS.subtract(amounts.allocatableMilliCpu(slot), amounts.milliCpu(slot))
                && memory <= SUMS.subtract(amounts.allocatableMemory(slot), amounts.memory(slot))
                && storage <= SUMS.subtract(amounts.allocatableStorage(slot), amounts.storage(slot));
    }

    /** The same as by default, in a loop that the compiler can make one of with the test. */
    @Override
    public void retain(int[] order, long[] positions) {
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
}
