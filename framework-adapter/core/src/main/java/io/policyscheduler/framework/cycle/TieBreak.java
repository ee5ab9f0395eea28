package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Selects among nodes with the same highest total. */
public interface TieBreak {
    /**
     * Index of the chosen node.
     *
     * @param nodes the feasible nodes, at least one
     * @param totals their totals
     */
    int choose(List<NodeInfo> nodes, long[] totals);

    /**
     * The same if the best nodes are known.
     *
     * @param ties their number, at least one
     * @param tied the best nodes, in node order
     * @return index of the chosen one, below {@code ties}
     */
    default int choose(int ties, IntFunction<NodeInfo> tied) {
        List<NodeInfo> nodes = new ArrayList<>(ties);
        for (int i = 0; i < ties; i++) {
            nodes.add(tied.apply(i));
        }
        return choose(nodes, new long[ties]);
    }

    /** A copy that makes the same choices as this one would in its current state; null if the choice is random. */
    default @Nullable TieBreak copy() {
        return null;
    }

    /** Selects the best nodes in turn, so that equal nodes fill evenly. */
    static TieBreak roundRobin() {
        return new RoundRobin();
    }

    /** Selects a random best node, as v1.17 does. */
    static TieBreak random(RandomGenerator random) {
        return new Random(random);
    }

    /** Selects the best node that is first by name; for replays. */
    static TieBreak first() {
        return new ByName();
    }

    /** Draws once for each further node with the highest total so far. */
    final class Random implements TieBreak {
        private final RandomGenerator random;

        private Random(RandomGenerator random) {
            this.random = random;
        }

        @Override
        public int choose(int ties, IntFunction<NodeInfo> tied) {
            int chosen = 0;
            for (int i = 1; i < ties; i++) {
                if (random.nextInt(i + 1) == 0) {
                    chosen = i;
                }
            }
            return chosen;
        }

        @Override
        public int choose(List<NodeInfo> nodes, long[] totals) {
            int chosen = 0;
            int ties = 1;
            for (int i = 1; i < totals.length; i++) {
                if (totals[i] > totals[chosen]) {
                    chosen = i;
                    ties = 1;
                } else if (totals[i] == totals[chosen]) {
                    ties++;
                    if (random.nextInt(ties) == 0) {
                        chosen = i;
                    }
                }
            }
            return chosen;
        }
    }

    /** Stateless. */
    final class ByName implements TieBreak {
        private ByName() {}

        @Override
        public TieBreak copy() {
            return this;
        }

        @Override
        public int choose(int ties, IntFunction<NodeInfo> tied) {
            int chosen = 0;
            String earliest = tied.apply(0).name();
            for (int i = 1; i < ties; i++) {
                String name = tied.apply(i).name();
                if (name.compareTo(earliest) < 0) {
                    earliest = name;
                    chosen = i;
                }
            }
            return chosen;
        }

        @Override
        public int choose(List<NodeInfo> nodes, long[] totals) {
            int chosen = 0;
            for (int i = 1; i < totals.length; i++) {
                boolean earlierName =
                        nodes.get(i).name().compareTo(nodes.get(chosen).name()) < 0;
                if (totals[i] > totals[chosen] || (totals[i] == totals[chosen] && earlierName)) {
                    chosen = i;
                }
            }
            return chosen;
        }
    }

    /** Counts its calls; one instance per scheduler. */
    final class RoundRobin implements TieBreak {
        private int turn;

        private RoundRobin() {}

        @Override
        public TieBreak copy() {
            RoundRobin same = new RoundRobin();
            same.turn = turn;
            return same;
        }

        @Override
        public int choose(int ties, IntFunction<NodeInfo> tied) {
            int chosen = turn % ties;
            turn = (turn + 1) & Integer.MAX_VALUE;
            return chosen;
        }

        @Override
        public int choose(List<NodeInfo> nodes, long[] totals) {
            long max = Long.MIN_VALUE;
            int ties = 0;
            for (long total : totals) {
                if (total > max) {
                    max = total;
                    ties = 0;
                }
                if (total == max) {
                    ties++;
                }
            }
            int index = choose(ties, nodes::get);
            for (int i = 0; i < totals.length; i++) {
                if (totals[i] == max && index-- == 0) {
                    return i;
                }
            }
            throw new IllegalStateException("no node to choose from");
        }
    }
}
