package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.List;
import java.util.Set;

/**
 * A checked expression, ready to run. Immutable, for any number of threads; {@link #start} gives what one thread uses for one
 * pod.
 *
 * <p>There are two executors for the same tree. {@link Executor#DIRECT} asks an object for each term and is several times
 * faster, so production runs it. {@link Executor#MVEL} runs MVEL on text emitted from the tree; it is the independent check
 * that the direct one is right, and both give equal results on random expressions and worlds.
 */
public final class RuleProgram {
    /** How a program is run. */
    public enum Executor {
        /** Objects that ask each other. The faster one, used in production. */
        DIRECT,
        /** The interpreter of MVEL. */
        MVEL
    }

    private final String expression;
    private final RuleType type;
    private final Term term;
    private final Code code;
    private final int slots;
    private final int memos;
    private final Set<Reads> reads;
    private final long cost;
    private final RuleLimits limits;
    private final boolean metered;
    private final List<LabelQuestion> questions;

    RuleProgram(String expression, Term term, RuleLimits limits) {
        this.expression = expression;
        this.limits = limits;
        this.metered = Sizes.grows(term);
        this.questions = LabelQuestion.of(term);
        this.type = term.type();
        this.term = term;
        CodeBuilder builder = new CodeBuilder(true);
        this.code = builder.build(term);
        this.memos = builder.memos();
        this.slots = CodeBuilder.slots(term);
        this.reads = Set.copyOf(Checker.reads(term));
        this.cost = Cost.of(term);
    }

    /** The expression as written. */
    public String expression() {
        return expression;
    }

    /** BOOL or NUMBER. */
    public RuleType type() {
        return type;
    }

    /** What the value depends on, besides the pod. */
    public Scope scope() {
        return Reads.scope(reads);
    }

    /** What the expression looks at. */
    public Set<Reads> reads() {
        return reads;
    }

    /**
     * Estimated work of one evaluation, in units of about one member access: for lists of as many elements as {@link RuleLimits}
     * estimates, and for strings that are no longer than labels.
     */
    public long cost() {
        return cost;
    }

    /** What makes an evaluation cost more or less than estimated: texts for people, sorted; empty when nothing does. */
    public List<String> sizes() {
        return Sizes.parts(term);
    }

    /** What one evaluation may cost in a cluster of so many nodes. */
    public long budget(int nodes) {
        return Reads.podOnly(reads) ? limits.evaluation() : limits.budget(nodes);
    }

    /** What the rule asks the pods of each node for. */
    List<LabelQuestion> questions() {
        return questions;
    }

    /** The canonical text that MVEL compiles. */
    public String mvelText() {
        return new Emitter().emit(term);
    }

    Term term() {
        return term;
    }

    /** Prepares for one pod, with the executor of production. */
    public Run start(PodInfo pod, ClusterView cluster) {
        return start(pod, cluster, Executor.DIRECT);
    }

    /** Prepares for one pod. MVEL compiles its text each time. */
    public Run start(PodInfo pod, ClusterView cluster, Executor executor) {
        return start(pod, new ClusterCounts(new CountTable(cluster), questions), executor);
    }

    Run start(PodInfo pod, ClusterCounts counts, Executor executor) {
        Frame frame = Frame.of(slots, memos, pod, counts, meter(counts));
        return executor == Executor.DIRECT
                ? new Run(frame, code, metered)
                : new Run(frame, mvelCode(new MvelRun(MvelProgram.compile(term), frame)), metered);
    }

    /** The same on a program that MVEL has compiled before. */
    Run start(PodInfo pod, ClusterCounts counts, MvelProgram compiled) {
        Frame frame = Frame.of(slots, 0, pod, counts, meter(counts));
        return new Run(frame, mvelCode(new MvelRun(compiled, frame)), metered);
    }

    private Meter meter(ClusterCounts counts) {
        return new Meter(budget((int) counts.nodeCount()));
    }

    MvelProgram mvel() {
        return MvelProgram.compile(term);
    }

    private static Code mvelCode(MvelRun run) {
        return new Code() {
            @Override
            public boolean bool(Frame frame) {
                return (Boolean) run.run();
            }

            @Override
            public double number(Frame frame) {
                return Arithmetics.finite((Double) run.run());
            }
        };
    }

    /**
     * Evaluates every part for one node: what explains the result. Parts that do not count, such as the right side of a
     * false {@code &&}, are left out. Meant for people, not for speed.
     */
    public List<TraceStep> trace(PodInfo pod, NodeInfo node, ClusterView cluster) {
        ClusterCounts counts = new ClusterCounts(new CountTable(cluster), questions);
        Frame frame = Frame.of(slots, 0, pod, counts, meter(counts));
        frame.node(node);
        return Tracer.trace(term, frame);
    }

    /** A program at work on one pod. Used by one thread. */
    public static final class Run {
        private final Frame frame;
        private final Code code;

        private final boolean metered;

        private Run(Frame frame, Code code, boolean metered) {
            this.frame = frame;
            this.code = code;
            this.metered = metered;
        }

        private void start(NodeInfo node) {
            if (metered) {
                frame.meter.start();
            }
            frame.node(node);
        }

        /**
         * The value for one node; for a program of type BOOL.
         *
         * @throws RuleFailure when the rule fails
         */
        public boolean bool(NodeInfo node) {
            start(node);
            return code.bool(frame);
        }

        /**
         * The value for one node, finite; for a program of type NUMBER.
         *
         * @throws RuleFailure when the rule fails
         */
        public double number(NodeInfo node) {
            start(node);
            return code.number(frame);
        }

        /** The value of a program that looks at the pod alone. */
        boolean bool() {
            return code.bool(frame);
        }

        /** What the last evaluation was charged for the sizes of what it looked at; more than its budget when it was too much. */
        public long work() {
            return frame.meter.used();
        }
    }
}
