package io.policyscheduler.framework.insight.explain;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.devices.DeviceAllocator.DeviceReport;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The explanation of one decision.
 *
 * @param pod as in the cluster, on its node if it runs
 * @param requestedNode the node to explain; null for none
 * @param evaluation of all nodes
 * @param winner the selected node; a running pod's own one if no other is better. Null if none is feasible
 * @param obstacles all filters that reject {@code requestedNode}, or all nodes if none is feasible
 * @param nearest changes that make the pod schedulable there; null if it is
 * @param preemption the result of preemption; null if some node is feasible
 * @param devices why each device of the nodes without an allocation is unsuitable
 */
public record Explanation(
        PodInfo pod,
        @Nullable String requestedNode,
        Evaluation evaluation,
        @Nullable String winner,
        Map<String, List<Obstacle>> obstacles,
        @Nullable NearestFits nearest,
        @Nullable PreemptionResult preemption,
        Map<String, List<DeviceReport.Verdict>> devices) {
    public Explanation {
        devices = ImmutableMap.copyOf(devices);
        obstacles = ImmutableMap.copyOf(obstacles);
    }

    /** True if the pod is schedulable: on {@code askedNode}, or on any. */
    public boolean fits() {
        return requestedNode == null ? winner != null : evaluation.feasible().contains(requestedNode);
    }

    /** Feasible nodes, the best first: by total, the winner before its equals, then by name. */
    public List<String> ranking() {
        return evaluation.feasible().stream()
                .sorted((a, b) -> {
                    int byTotal = Long.compare(total(b), total(a));
                    if (byTotal != 0) {
                        return byTotal;
                    }
                    int byWinner = Boolean.compare(b.equals(winner), a.equals(winner));
                    return byWinner != 0 ? byWinner : a.compareTo(b);
                })
                .collect(ImmutableList.toImmutableList());
    }

    /** The weighted sum of a feasible node. */
    public long total(String node) {
        return evaluation.totals().getOrDefault(node, 0L);
    }

    /** The best node other than the winner; null if there is none. */
    public @Nullable String runnerUp() {
        List<String> ranking = ranking();
        return ranking.size() < 2 ? null : ranking.get(1);
    }

    /**
     * One filter that rejects a node.
     *
     * @param filter name of the predicate or plugin; empty for other causes, such as a check before nodes are evaluated
     * @param reasons exact texts
     */
    public record Obstacle(String filter, List<String> reasons) {
        public Obstacle {
            reasons = List.copyOf(reasons);
        }
    }

    /**
     * The score difference of two nodes, by algorithm.
     *
     * @param gap total of the better node minus that of the other; negative if the other is better
     * @param parts one for each algorithm that scored, the largest contribution first
     */
    public record ScoreGap(String better, String other, long gap, List<Part> parts) {
        /** The scores of one algorithm before the weight. */
        public record Part(String algorithm, long weight, long better, long other) {
            /** The contribution to the gap. */
            public long difference() {
                return (better - other) * weight;
            }
        }

        public ScoreGap {
            parts = ImmutableList.copyOf(parts);
        }

        /** Compares two feasible nodes. */
        public static ScoreGap of(Evaluation evaluation, String better, String other) {
            List<Part> parts = new ArrayList<>();
            evaluation.weights().forEach((algorithm, weight) -> {
                Map<String, Long> scores = evaluation.scores().getOrDefault(algorithm, NodeValues.NONE);
                parts.add(new Part(algorithm, weight, scores.getOrDefault(better, 0L), scores.getOrDefault(other, 0L)));
            });
            parts.sort(Comparator.comparingLong(Part::difference).reversed().thenComparing(Part::algorithm));
            long gap = evaluation.totals().getOrDefault(better, 0L)
                    - evaluation.totals().getOrDefault(other, 0L);
            return new ScoreGap(better, other, gap, parts);
        }

        /**
         * The algorithm with the largest contribution to the better node, if that node would not be better without it; else null.
         */
        public @Nullable String tippedBy() {
            return gap > 0 && !parts.isEmpty() && parts.get(0).difference() >= gap
                    ? parts.get(0).algorithm()
                    : null;
        }
    }

    /** Formats amounts of resources for users. */
    public static final class Amounts {
        private static final String[] BINARY = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
        private static final long STEP = 1024;
        private static final long MILLI_PER_CPU = 1000;

        private Amounts() {}

        /**
         * Returns an amount of a resource: {@code 0.3 CPU}, {@code 16 CPUs}, {@code 1.5Gi of memory}, {@code 1 pod},
         * {@code 2 nvidia.com/gpu}.
         *
         * @param amount milli-CPU for cpu, bytes for memory and storage, else a count
         */
        public static String of(String resource, long amount) {
            String name = switch (resource) {
                case ResourceNames.CPU -> Math.abs(amount) > MILLI_PER_CPU ? "CPUs" : "CPU";
                case ResourceNames.PODS -> amount == 1 ? "pod" : resource;
                default -> isBytes(resource) ? "of " + resource : resource;
            };
            return number(resource, amount) + " " + name;
        }

        /** The amount without the resource. */
        public static String number(String resource, long amount) {
            return switch (resource) {
                case ResourceNames.CPU -> cpu(amount);
                default -> isBytes(resource) ? bytes(amount) : Long.toString(amount);
            };
        }

        private static boolean isBytes(String resource) {
            return resource.equals(ResourceNames.MEMORY)
                    || resource.equals(ResourceNames.EPHEMERAL_STORAGE)
                    || resource.startsWith("hugepages-");
        }

        /** Milli-CPU in cores, exact. */
        public static String cpu(long milli) {
            return BigDecimal.valueOf(milli, 3).stripTrailingZeros().toPlainString();
        }

        /** Bytes in binary units; more than two decimals are rounded away from zero, so that the amount is not understated. */
        public static String bytes(long bytes) {
            int unit = 0;
            long scale = 1;
            while (unit < BINARY.length - 1 && Math.abs(bytes / scale) >= STEP) {
                scale *= STEP;
                unit++;
            }
            BigDecimal amount = BigDecimal.valueOf(bytes)
                    .divide(BigDecimal.valueOf(STEP).pow(unit), 2, RoundingMode.UP)
                    .stripTrailingZeros();
            return amount.toPlainString() + BINARY[unit];
        }
    }
}
