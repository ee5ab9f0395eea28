package io.policyscheduler.engine.cluster.index;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.index.SlotPredicate.TopologyPodsPredicate;
import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** {@link SlotPredicate#retain} keeps what {@link SlotPredicate#test} accepts, with any implementation. */
class SlotPredicateTest {
    private static List<Integer> retained(SlotPredicate test, int[] order, long[] positions) {
        long[] left = positions.clone();
        test.retain(order, left);
        List<Integer> found = new ArrayList<>();
        for (int position = 0; position < left.length * 64; position++) {
            if ((left[position >> 6] & (1L << position)) != 0) {
                found.add(position);
            }
        }
        return found;
    }

    private static List<Integer> expected(SlotPredicate test, int[] order, long[] positions) {
        List<Integer> found = new ArrayList<>();
        for (int position = 0; position < order.length; position++) {
            if ((positions[position >> 6] & (1L << position)) != 0 && test.test(order[position])) {
                found.add(position);
            }
        }
        return found;
    }

    @Test
    void retainsWhatPasses() {
        for (long seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int[] order = order(random, random.nextInt(200));
            int values = 1 + random.nextInt(4);
            TopologyColumn column = new TopologyColumn(order.length);
            for (int slot = 0; slot < order.length; slot++) {
                if (random.nextInt(5) > 0) {
                    column.set(slot, "v" + random.nextInt(values));
                }
            }
            long[] counts = new long[column.valueCount()];
            for (int i = 0; i < counts.length; i++) {
                counts[i] = random.nextInt(3) - 1;
            }
            long[] positions = new long[(order.length + 63) / 64];
            for (int position = 0; position < order.length; position++) {
                positions[position >> 6] |= random.nextInt(4) == 0 ? 0 : 1L << position;
            }
            SlotPredicate odd = slot -> slot % 2 == 1;
            TopologyPodsPredicate with = new TopologyPodsPredicate(column, counts, true);
            TopologyPodsPredicate without = new TopologyPodsPredicate(column, counts, false);
            for (SlotPredicate test : List.of(
                    odd,
                    with,
                    without,
                    SlotPredicate.all(List.of()),
                    SlotPredicate.all(List.of(odd)),
                    SlotPredicate.all(List.of(odd, without)))) {
                assertEquals(
                        expected(test, order, positions),
                        retained(test, order, positions),
                        "seed " + seed + ", " + test);
            }
            for (int slot : order) {
                assertEquals(!with.test(slot), without.test(slot), "seed " + seed);
            }
        }
    }

    private static int[] order(SplittableRandom random, int size) {
        int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }
}
