package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.index.SlotPredicate.TopologyPodsPredicate;
import io.policyscheduler.engine.cluster.index.TopologyColumn;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import java.util.ArrayList;
import java.util.List;

/** Numbers of pods by topology pair (node label key and value) at the start of an attempt; they do not change during it. */
abstract class PairCounts {
    /** The keys that some pair may have. */
    abstract List<String> keys();

    /** Number of pods of a pair. */
    abstract long get(String key, String value);

    /** Number of pairs with pods. */
    abstract int occupied();

    /** Number of pods of the pair that the node in this slot of the index has, 0 when it has none. */
    abstract long at(int slot, String key);

    /** True when some pair of the node in this slot of the index has a pod. */
    abstract boolean anyAt(int slot);

    /** Adds tests that pass the nodes without a pair that has a pod. */
    abstract void addTestsForNone(List<? super TopologyPodsPredicate> tests);

    /** Passes the nodes that have a pair with this key that has a pod. */
    abstract SlotPredicate testForAny(String key);

    /** Counted in a walk over all nodes; does not know slots. */
    static final class Walked extends PairCounts {
        private final TopologyCounts counts;

        Walked(TopologyCounts counts) {
            this.counts = counts;
        }

        @Override
        List<String> keys() {
            return counts.keys();
        }

        @Override
        long get(String key, String value) {
            return counts.get(key, value);
        }

        @Override
        int occupied() {
            int[] occupied = new int[1];
            for (String key : counts.keys()) {
                counts.forEach(key, (value, amount) -> occupied[0] += amount != 0 ? 1 : 0);
            }
            return occupied[0];
        }

        @Override
        long at(int slot, String key) {
            throw new IllegalStateException("no slots without an index");
        }

        @Override
        boolean anyAt(int slot) {
            throw new IllegalStateException("no slots without an index");
        }

        @Override
        void addTestsForNone(List<? super TopologyPodsPredicate> tests) {
            throw new IllegalStateException("no slots without an index");
        }

        @Override
        SlotPredicate testForAny(String key) {
            throw new IllegalStateException("no slots without an index");
        }
    }

    /** Put together from what the index has counted before. */
    static final class Indexed extends PairCounts {
        private final ClusterIndex index;
        private final List<String> keys = new ArrayList<>(1);
        private final List<TopologyColumn> columns = new ArrayList<>(1);
        private final List<long[]> byValue = new ArrayList<>(1);
        private final List<Boolean> own = new ArrayList<>(1);

        Indexed(ClusterIndex index) {
            this.index = index;
        }

        /** Adds counts of the index, which are shared as long as they are the only ones of the key. */
        void add(String key, long[] counts) {
            int at = keys.indexOf(key);
            if (at < 0) {
                keys.add(key);
                columns.add(index.topology(key));
                byValue.add(counts);
                own.add(false);
                return;
            }
            long[] sum = ownCounts(key);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += counts[i];
            }
        }

        /** The counts of a key, to be added to. */
        long[] ownCounts(String key) {
            int at = keys.indexOf(key);
            if (at < 0) {
                at = keys.size();
                add(key, new long[index.topology(key).valueCount()]);
            } else if (!own.get(at)) {
                byValue.set(at, byValue.get(at).clone());
            }
            own.set(at, true);
            return byValue.get(at);
        }

        @Override
        List<String> keys() {
            return keys;
        }

        @Override
        long get(String key, String value) {
            int at = keys.indexOf(key);
            int number = at < 0 ? TopologyColumn.NONE : columns.get(at).numberOf(value);
            return number == TopologyColumn.NONE ? 0 : byValue.get(at)[number];
        }

        @Override
        int occupied() {
            int occupied = 0;
            for (long[] counts : byValue) {
                for (long count : counts) {
                    occupied += count != 0 ? 1 : 0;
                }
            }
            return occupied;
        }

        @Override
        long at(int slot, String key) {
            int at = keys.indexOf(key);
            return at < 0 ? 0 : count(slot, at);
        }

        @Override
        boolean anyAt(int slot) {
            for (int i = 0; i < keys.size(); i++) {
                if (count(slot, i) > 0) {
                    return true;
                }
            }
            return false;
        }

        @Override
        void addTestsForNone(List<? super TopologyPodsPredicate> tests) {
            for (int i = 0; i < keys.size(); i++) {
                tests.add(new TopologyPodsPredicate(columns.get(i), byValue.get(i), false));
            }
        }

        @Override
        SlotPredicate testForAny(String key) {
            int at = keys.indexOf(key);
            return at < 0 ? slot -> false : new TopologyPodsPredicate(columns.get(at), byValue.get(at), true);
        }

        private long count(int slot, int at) {
            int number = columns.get(at).at(slot);
            return number == TopologyColumn.NONE ? 0 : byValue.get(at)[number];
        }
    }
}
