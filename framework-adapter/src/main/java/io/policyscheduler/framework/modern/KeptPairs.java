package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.PodCounts;
import io.policyscheduler.engine.cluster.index.TopologyColumn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Numbers by topology pair as the cluster's index has them, told by the slots of nodes. Valid until the cluster changes.
 *
 * @param refusing pods that do not want the incoming one near them
 * @param wanted pods that it wants near it
 * @param unwanted pods that it does not want near it
 */
record KeptPairs(Pairs refusing, Pairs wanted, Pairs unwanted) {
    KeptPairs(ClusterIndex index) {
        this(new Pairs(index), new Pairs(index), new Pairs(index));
    }

    /** Numbers of one kind. */
    static final class Pairs {
        private static final class Values {
            final String key;
            final TopologyColumn column;
            long[] byValue;
            boolean isOwn;

            Values(String key, TopologyColumn column, long[] byValue) {
                this.key = key;
                this.column = column;
                this.byValue = byValue;
            }
        }

        private final ClusterIndex index;
        private final List<Values> all = new ArrayList<>(1);

        private Pairs(ClusterIndex index) {
            this.index = index;
        }

        /** The numbers of a key, to be added to. */
        long[] of(String key) {
            Values values = find(key);
            if (values == null) {
                TopologyColumn column = index.topology(key);
                values = new Values(key, column, new long[column.valueCount()]);
                all.add(values);
            } else if (!values.isOwn) {
                values.byValue = values.byValue.clone();
            }
            values.isOwn = true;
            return values.byValue;
        }

        private @Nullable Values find(String key) {
            for (int i = 0; i < all.size(); i++) {
                if (all.get(i).key.equals(key)) {
                    return all.get(i);
                }
            }
            return null;
        }

        /** Adds counts of the index, which are not copied as long as they are the only ones of their key. */
        void add(String key, PodCounts counts) {
            if (!index.topologyKeys().contains(key)) {
                return;
            }
            long[] more = counts.byValue(key);
            if (find(key) == null) {
                all.add(new Values(key, index.topology(key), more));
                return;
            }
            long[] sum = of(key);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += more[i];
            }
        }

        void copyTo(PairTotals totals) {
            for (Values values : all) {
                values.column.forEach((value, number) -> totals.add(values.key, value, values.byValue[number]));
            }
        }

        /** True when some pair of the node in a slot has a number above 0. */
        boolean anyAt(int slot) {
            for (int i = 0; i < all.size(); i++) {
                Values values = all.get(i);
                int value = values.column.at(slot);
                if (value != TopologyColumn.NONE && values.byValue[value] > 0) {
                    return true;
                }
            }
            return false;
        }

        /**
         * True when the node in a slot has all of these keys and each of its pairs has a number above 0.
         *
         * @param anyNumber the keys are enough
         */
        boolean isAt(List<String> keys, int slot, boolean anyNumber) {
            for (int i = 0; i < keys.size(); i++) {
                Values values = find(keys.get(i));
                TopologyColumn column = values == null ? index.topology(keys.get(i)) : values.column;
                int value = column.at(slot);
                if (value == TopologyColumn.NONE || !(anyNumber || (values != null && values.byValue[value] > 0))) {
                    return false;
                }
            }
            return true;
        }
    }
}
