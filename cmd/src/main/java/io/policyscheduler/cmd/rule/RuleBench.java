package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.workload.BenchWorld;
import io.policyscheduler.cmd.workload.Workload;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RulePriority;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Measures what a rule costs for one node: as the scheduler asks it, and in the two executors alone.
 *
 * @param nodes nodes of the world
 * @param pods pods on them, of all workloads in turn
 * @param rounds measured rounds, the best of which counts
 * @param roundNanos CPU time of a round at least
 * @param seed of the world
 */
record RuleBench(int nodes, int pods, int rounds, long roundNanos, long seed) {
    /**
     * The figures of one way to run a rule.
     *
     * @param how {@code scheduler}, {@code direct} or {@code mvel}
     * @param nanosPerNode CPU time
     */
    public record Result(String how, double nanosPerNode) {}

    /** One evaluation; what it gives is used, so that it cannot be left out. */
    private interface Probe {
        double ask(NodeInfo node);
    }

    private record Contender(String how, Probe probe) {}

    /**
     * Measures a rule.
     *
     * @param params values of its {@code params}
     * @param tables that it may read
     * @param progress hears the number of rounds done
     */
    public List<Result> measure(
            RuleProgram program, Map<String, Object> params, RuleTables tables, IntConsumer progress) {
        BenchWorld world = new BenchWorld(Workload.MIXED, nodes, pods, 1, seed);
        PodInfo pod = world.pending.get(0);
        List<Contender> contenders = List.of(
                new Contender("scheduler", asked(program, params, tables, pod, world.cluster)),
                new Contender("direct", alone(program, pod, world.cluster, RuleProgram.Executor.DIRECT)),
                new Contender("mvel", alone(program, pod, world.cluster, RuleProgram.Executor.MVEL)));
        double[] best = new double[contenders.size()];
        Arrays.fill(best, Double.MAX_VALUE);
        for (int round = 1; round <= rounds; round++) {
            for (int i = 0; i < best.length; i++) {
                best[i] = Math.min(best[i], round(contenders.get(i).probe(), world.cluster.nodes()));
            }
            progress.accept(round);
        }
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < best.length; i++) {
            results.add(new Result(contenders.get(i).how(), best[i]));
        }
        return results;
    }

    private static Probe asked(
            RuleProgram program, Map<String, Object> params, RuleTables tables, PodInfo pod, ClusterState cluster) {
        RuleDefinition definition = new RuleDefinition(
                "bench",
                "",
                program.expression(),
                null,
                params,
                null,
                null,
                null,
                null,
                new RuleDefinition.Place("", 0, 0));
        RuleCompiler compiler = RuleCompiler.reading(tables);
        RuleFailures failures = new RuleFailures(Clock.systemUTC());
        PodContext context = PodContext.of(pod, cluster);
        try {
            if (program.type() == RuleType.BOOL) {
                PodFilter filter =
                        RulePredicate.compile(definition, compiler, failures).start(context);
                return node -> filter.check(node).fits() ? 1 : 0;
            }
            PodScorer scorer =
                    RulePriority.compile(definition, compiler, failures).start(context, cluster.nodes());
            return node -> scorer.score(node);
        } catch (RuleException e) {
            throw new IllegalArgumentException("not the program's parameters: " + params, e);
        }
    }

    private static Probe alone(RuleProgram program, PodInfo pod, ClusterState cluster, RuleProgram.Executor executor) {
        RuleProgram.Run run = program.start(pod, cluster, executor);
        boolean isBool = program.type() == RuleType.BOOL;
        return node -> {
            try {
                return isBool ? (run.bool(node) ? 1 : 0) : run.number(node);
            } catch (RuleFailure e) {
                return 0;
            }
        };
    }

    /** CPU time, so that other programs on the machine count little. */
    private double round(Probe probe, List<NodeInfo> all) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long asked = 0;
        double sum = 0;
        long start = clock.getCurrentThreadCpuTime();
        long now = start;
        do {
            for (int i = 0; i < all.size(); i++) {
                sum += probe.ask(all.get(i));
            }
            asked += all.size();
            now = clock.getCurrentThreadCpuTime();
        } while (now - start < roundNanos);
        if (Double.isNaN(sum)) {
            throw new IllegalStateException("a rule gave no number");
        }
        return (now - start) / (double) asked;
    }
}
