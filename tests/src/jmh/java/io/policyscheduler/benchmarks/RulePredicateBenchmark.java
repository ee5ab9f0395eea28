package io.policyscheduler.benchmarks;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.RuleException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a predicate costs for one node: written in Java, as a rule, and as a rule that MVEL runs. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RulePredicateBenchmark {
    private static final int NODES = 500;
    private static final int PODS_PER_NODE = 10;
    private static final Verdict UNFIT = Verdict.unfit(FailureReason.resolvable("x"));

    /** Which predicate. */
    public enum Example {
        /** Ten addresses a node. */
        UNDERLAY("node.podsWithLabel('net','underlay') < 10 || !pod.hasLabel('net','underlay')") {
            @Override
            PodFilter inJava(PodInfo pod) {
                boolean concerned = pod.labels().has("net", "underlay");
                return info -> {
                    int count = 0;
                    for (int i = info.podCount() - 1; i >= 0; i--) {
                        count += info.pod(i).labels().has("net", "underlay") ? 1 : 0;
                    }
                    return count < 10 || !concerned ? Verdict.FITS : UNFIT;
                };
            }
        },
        /** A label of the node. */
        LABEL("node.label('disk') == 'ssd' || node.hasLabel('any')") {
            @Override
            PodFilter inJava(PodInfo pod) {
                return info -> info.node().labels().getOrEmpty("disk").equals("ssd")
                                || info.node().labels().has("any")
                        ? Verdict.FITS
                        : UNFIT;
            }
        },
        /** Free room, in cores and bytes. */
        RESOURCES("node.freeCpu >= pod.cpu + 0.5 && node.freeMemory >= pod.memory * 2") {
            @Override
            PodFilter inJava(PodInfo pod) {
                double cpu = pod.resources().request().milliCpu() / MILLI + 0.5;
                double memory = pod.resources().request().memory() * 2.0;
                return info -> (info.allocatableMilliCpu() - info.requestedMilliCpu()) / MILLI >= cpu
                                && info.allocatableMemory() - info.requestedMemory() >= memory
                        ? Verdict.FITS
                        : UNFIT;
            }
        };

        private static final double MILLI = 1000;

        private final String expression;

        Example(String expression) {
            this.expression = expression;
        }

        abstract PodFilter inJava(PodInfo pod);
    }

    /** Which predicate. */
    @Param
    public Example example = Example.UNDERLAY;

    private List<NodeInfo> nodes = List.of();
    private PodFilter inJava = info -> UNFIT;
    private PodFilter asRule = info -> UNFIT;
    private PodFilter inMvel = info -> UNFIT;

    /** Makes a cluster, and the predicate in its three forms. */
    @Setup
    public void prepare() throws RuleException {
        ClusterState cluster = cluster();
        nodes = cluster.nodes();
        PodInfo pod =
                pod("new").label("net", "underlay").requests("500m", "1Gi").build();
        RuleDefinition definition = new RuleDefinition(
                "R",
                "",
                example.expression,
                null,
                Map.of(),
                null,
                null,
                null,
                null,
                new RuleDefinition.Place("", 0, 0));
        RulePredicate rule =
                RulePredicate.compile(definition, RuleCompiler.standard(), new RuleFailures(Clock.systemUTC()));
        RuleProgram.Run mvel = rule.program().start(pod, cluster, RuleProgram.Executor.MVEL);
        inJava = example.inJava(pod);
        asRule = rule.start(PodContext.of(pod, cluster));
        inMvel = info -> mvel.bool(info) ? Verdict.FITS : UNFIT;
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

    /** In Java. */
    @Benchmark
    @OperationsPerInvocation(NODES)
    public int java() {
        return fitting(inJava);
    }

    /** As the scheduler runs a rule. */
    @Benchmark
    @OperationsPerInvocation(NODES)
    public int rule() {
        return fitting(asRule);
    }

    /** As MVEL runs it. */
    @Benchmark
    @OperationsPerInvocation(NODES)
    public int mvel() {
        return fitting(inMvel);
    }

    private int fitting(PodFilter filter) {
        int fitting = 0;
        for (int i = 0; i < nodes.size(); i++) {
            fitting += filter.check(nodes.get(i)).fits() ? 1 : 0;
        }
        return fitting;
    }
}
