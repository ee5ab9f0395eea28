package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Verdict;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures what rules cost per node beside the same predicates in plain Java. A main class, not a test: times depend on the
 * machine. Run {@code java -cp ... io.policyscheduler.engine.rules.RuleCost}; the best of several rounds counts.
 */
public final class RuleCost {
    private static final int NODES = 500;
    private static final int PODS_PER_NODE = 10;
    private static final int ROUNDS = 40;
    private static final long ROUND_NANOS = 20_000_000L;
    private static final Verdict UNFIT = Verdict.unfit(FailureReason.resolvable("x"));

    private record Comparison(String name, String expression, PodFilter java) {}

    private RuleCost() {}

    /** Prints a line for each rule. */
    public static void main(String[] arguments) throws RuleException {
        ClusterState cluster = cluster();
        PodInfo pod =
                pod("new").label("net", "underlay").requests("500m", "1Gi").build();
        List<Comparison> comparisons = List.of(
                new Comparison(
                        "pods with a label",
                        "node.podsWithLabel('net','underlay') < 10 || !pod.hasLabel('net','underlay')",
                        underlay(pod)),
                new Comparison("label of the node", "node.label('disk') == 'ssd' || node.hasLabel('any')", label()),
                new Comparison(
                        "resources",
                        "node.freeCpu >= pod.cpu + 0.5 && node.freeMemory >= pod.memory * 2",
                        resources(pod)));
        System.out.printf("%-20s %10s %10s %10s %7s%n", "rule", "java ns", "rule ns", "mvel ns", "factor");
        for (Comparison comparison : comparisons) {
            RuleDefinition definition = new RuleDefinition(
                    "R",
                    "",
                    comparison.expression(),
                    null,
                    Map.of(),
                    null,
                    null,
                    null,
                    new RuleDefinition.Place("", 0, 0));
            RulePredicate predicate =
                    RulePredicate.compile(definition, RuleCompiler.standard(), new RuleFailures(Clock.systemUTC()));
            PodFilter rule = predicate.start(PodContext.of(pod, cluster));
            RuleProgram.Run run = predicate.program().start(pod, cluster, RuleProgram.Executor.MVEL);
            PodFilter mvel = info -> run.bool(info) ? Verdict.FITS : UNFIT;
            double javaNanos = Double.MAX_VALUE;
            double ruleNanos = Double.MAX_VALUE;
            double mvelNanos = Double.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) {
                javaNanos = Math.min(javaNanos, measure(comparison.java(), cluster.nodes()));
                ruleNanos = Math.min(ruleNanos, measure(rule, cluster.nodes()));
                mvelNanos = round % 8 == 0 ? Math.min(mvelNanos, measure(mvel, cluster.nodes())) : mvelNanos;
            }
            System.out.printf(
                    Locale.ROOT,
                    "%-20s %10.1f %10.1f %10.1f %7.2f%n",
                    comparison.name(),
                    javaNanos,
                    ruleNanos,
                    mvelNanos,
                    ruleNanos / javaNanos);
        }
    }

    private static ClusterState cluster() {
        ClusterState state = new ClusterState();
        for (int n = 0; n < NODES; n++) {
            state.putNode(node("n" + n)
                    .cpu("16")
                    .memory("64Gi")
                    .label("zone", "z" + n % 3)
                    .label("disk", n % 2 == 0 ? "ssd" : "hdd")
                    .build());
            for (int p = 0; p < PODS_PER_NODE; p++) {
                state.addPod(pod("p" + n + "-" + p)
                        .label("app", "a" + p)
                        .label("net", p % 2 == 0 ? "underlay" : "overlay")
                        .requests("100m", "128Mi")
                        .onNode("n" + n)
                        .build());
            }
        }
        state.startCycle();
        return state;
    }

    private static PodFilter underlay(PodInfo pod) {
        boolean concerned = pod.labels().has("net", "underlay");
        return info -> {
            int count = 0;
            for (int i = info.podCount() - 1; i >= 0; i--) {
                count += info.pod(i).labels().has("net", "underlay") ? 1 : 0;
            }
            return count < 10 || !concerned ? Verdict.FITS : UNFIT;
        };
    }

    private static PodFilter label() {
        return info -> info.node().labels().getOrEmpty("disk").equals("ssd")
                        || info.node().labels().has("any")
                ? Verdict.FITS
                : UNFIT;
    }

    private static PodFilter resources(PodInfo pod) {
        long cpu = pod.resources().request().milliCpu() + 500;
        long memory = pod.resources().request().memory() * 2;
        return info -> info.allocatableMilliCpu() - info.requestedMilliCpu() >= cpu
                        && info.allocatableMemory() - info.requestedMemory() >= memory
                ? Verdict.FITS
                : UNFIT;
    }

    /** CPU time, so that other programs on the machine count little. */
    private static double measure(PodFilter filter, List<NodeInfo> nodes) {
        List<NodeInfo> order = new ArrayList<>(nodes);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long checks = 0;
        long fits = 0;
        long start = clock.getCurrentThreadCpuTime();
        long now = start;
        while (now - start < ROUND_NANOS) {
            for (int repeat = 0; repeat < 20; repeat++) {
                for (int i = 0; i < order.size(); i++) {
                    fits += filter.check(order.get(i)).fits() ? 1 : 0;
                }
                checks += order.size();
            }
            now = clock.getCurrentThreadCpuTime();
        }
        if (fits < 0) {
            throw new IllegalStateException("never");
        }
        return (now - start) / (double) checks;
    }
}
