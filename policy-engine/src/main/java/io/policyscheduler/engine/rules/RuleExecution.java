package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.executor.Executable;
import io.policyscheduler.engine.rules.executor.Executable.Execution;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The selected executor of rules, and the share of evaluations that the other one repeats for verification. The selected one
 * determines decisions; differences are counted, and logged once per rule. The selection of repeated evaluations depends only on
 * the names of the rule, the pod and the node. Thread-safe.
 */
public final class RuleExecution {
    private static final Logger LOG = LoggerFactory.getLogger(RuleExecution.class);

    /**
     * The number of repeated evaluations of one rule.
     *
     * @param evaluations number of evaluations
     * @param differences number of different results
     */
    public record Verified(long evaluations, long differences) {}

    private static final class Count {
        final AtomicLong evaluations = new AtomicLong();
        final AtomicLong differences = new AtomicLong();
    }

    private final RuleProgram.Executor executor;
    private final double share;
    private final Function<Term, Executable> checking;
    private final Consumer<String> warnings;
    private final Map<String, Count> counts = new ConcurrentHashMap<>();

    /**
     * @param executor the selected one
     * @param share of the evaluations that the other executor repeats, 0 to 1
     */
    public RuleExecution(RuleProgram.Executor executor, double share) {
        this(executor, share, executor.other()::prepare, LOG::warn);
    }

    /**
     * @param checking repeats evaluations
     * @param warnings receives the first difference of each rule
     */
    RuleExecution(
            RuleProgram.Executor executor,
            double share,
            Function<Term, Executable> checking,
            Consumer<String> warnings) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("a share of " + share);
        }
        this.executor = executor;
        this.share = share;
        this.checking = checking;
        this.warnings = warnings;
    }

    /** The direct executor, without verification. */
    public static RuleExecution standard() {
        return new RuleExecution(RuleProgram.Executor.DIRECT, 0);
    }

    /** The selected executor. */
    public RuleProgram.Executor executor() {
        return executor;
    }

    /** True if some evaluations are repeated. */
    public boolean checks() {
        return share > 0;
    }

    /** Repeated evaluations by rule, sorted by name; rules without any are missing. */
    public SortedMap<String, Verified> verified() {
        SortedMap<String, Verified> all = new TreeMap<>();
        counts.forEach((rule, count) -> all.put(rule, new Verified(count.evaluations.get(), count.differences.get())));
        return all;
    }

    Executable prepare(Term term) {
        return executor.prepare(term);
    }

    Executable prepareCheck(Term term) {
        return checking.apply(term);
    }

    /** True if an evaluation is repeated, determined by its hash. */
    boolean samples(int hash) {
        // The finalizer of MurmurHash3: hashes of names that differ in one digit are similar otherwise.
        long mixed = hash;
        mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        mixed ^= mixed >>> 33;
        return (mixed >>> 11) * 0x1p-53 < share;
    }

    /** Compares the results of both: Booleans, Doubles, or kinds of failures. */
    void compared(String rule, Object used, Object other, PodInfo pod, @Nullable NodeInfo node) {
        Count count = counts.computeIfAbsent(rule, unused -> new Count());
        count.evaluations.incrementAndGet();
        if (!used.equals(other) && count.differences.getAndIncrement() == 0) {
            warnings.accept("W121 rule " + rule + ": " + executor + " returns " + text(used) + ", " + executor.other()
                    + " returns "
                    + text(other) + " for pod " + pod.key() + (node == null ? "" : " on node " + node.name())
                    + "; the result of " + executor
                    + " is used; further differences of this rule are counted without a warning");
        }
    }

    private static String text(Object result) {
        return result instanceof RuleFailure.Kind kind ? "\"" + kind.text() + "\"" : String.valueOf(result);
    }

    /**
     * An execution that compares some results with those of another executor, within a separate budget. The result is always that
     * of the first one.
     */
    static final class VerifiedExecution implements Execution {
        private final RuleExecution execution;
        private final String rule;
        private final PodInfo pod;
        private final int seed;
        private final Execution used;
        private final Supplier<RuleProgram.Run> starting;
        private RuleProgram.@Nullable Run checking;

        /** @param starting prepares the other executor lazily, because most pods do not need it */
        VerifiedExecution(
                RuleExecution execution, String rule, PodInfo pod, Execution used, Supplier<RuleProgram.Run> starting) {
            this.execution = execution;
            this.rule = rule;
            this.pod = pod;
            this.seed = (rule.hashCode() * 31 + pod.namespace().hashCode()) * 31
                    + pod.name().hashCode();
            this.used = used;
            this.starting = starting;
        }

        @Override
        public boolean bool(@Nullable NodeInfo node) {
            if (!isSampled(node)) {
                return used.bool(node);
            }
            return (Boolean) verified(node, () -> used.bool(node), run -> node == null ? run.bool() : run.bool(node));
        }

        @Override
        public double number(NodeInfo node) {
            if (!isSampled(node)) {
                return used.number(node);
            }
            return (Double) verified(node, () -> used.number(node), run -> run.number(node));
        }

        private boolean isSampled(@Nullable NodeInfo node) {
            return execution.samples(seed * 31 + (node == null ? 0 : node.name().hashCode()));
        }

        private Object verified(
                @Nullable NodeInfo node, Supplier<Object> asking, Function<RuleProgram.Run, Object> checked) {
            Object result;
            try {
                result = asking.get();
            } catch (RuntimeException e) {
                check(node, kind(e), checked);
                throw e;
            }
            check(node, result, checked);
            return result;
        }

        private void check(@Nullable NodeInfo node, Object result, Function<RuleProgram.Run, Object> checked) {
            Object other;
            try {
                RuleProgram.Run run = checking;
                if (run == null) {
                    run = starting.get();
                    checking = run;
                }
                other = checked.apply(run);
            } catch (RuntimeException e) {
                other = kind(e);
            }
            execution.compared(rule, result, other, pod, node);
        }

        private static RuleFailure.Kind kind(RuntimeException thrown) {
            return thrown instanceof RuleFailure failure ? failure.kind() : RuleFailure.Kind.INTERNAL;
        }
    }
}
