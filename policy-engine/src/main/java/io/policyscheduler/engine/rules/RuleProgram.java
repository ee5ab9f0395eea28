package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.CompiledRule.NodeResults;
import io.policyscheduler.engine.rules.RuleExecution.VerifiedExecution;
import io.policyscheduler.engine.rules.compiler.Checker.Checked;
import io.policyscheduler.engine.rules.compiler.Cost;
import io.policyscheduler.engine.rules.compiler.Cost.Sizes;
import io.policyscheduler.engine.rules.compiler.ExpressionPart;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartValue;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.TermReads;
import io.policyscheduler.engine.rules.compiler.TermReads.LabelQueries;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.ClusterCounts.LabelQuery;
import io.policyscheduler.engine.rules.data.CountTable;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.executor.DirectProgram;
import io.policyscheduler.engine.rules.executor.Executable;
import io.policyscheduler.engine.rules.executor.Executable.Execution;
import io.policyscheduler.engine.rules.executor.MvelProgram;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** A checked expression, ready to run. Immutable and thread-safe; {@link #start} returns the state of one thread for one pod. */
public final class RuleProgram {
    /**
     * The executors of checked expressions. Both return the same results with the same costs, which tests verify with random
     * expressions and clusters, and production can verify with {@link RuleExecution}.
     */
    public enum Executor {
        /** A tree of objects, several times faster. */
        DIRECT,
        /** The MVEL interpreter, on text generated from the tree. */
        MVEL;

        /** The other executor. */
        Executor other() {
            return this == DIRECT ? MVEL : DIRECT;
        }

        /** The name for users. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        Executable prepare(Term term) {
            return this == DIRECT ? DirectProgram.compile(term) : MvelProgram.compile(term);
        }
    }

    private final String expression;
    private final ExpressionPart source;
    private final Term term;
    private final RuleLimits limits;
    private final RuleExecution execution;
    private final Executable executable;
    /** Repeats some evaluations; null for none. */
    private final @Nullable Executable checking;

    private final Set<Reads> reads;
    private final long cost;
    private final boolean metered;
    private final List<LabelQuery> labelQueries;
    private final RuleTables allTables;
    private final SortedSet<String> tables;

    RuleProgram(String expression, Checked checked, RuleLimits limits, RuleExecution execution, RuleTables allTables) {
        this.expression = expression;
        this.source = checked.source();
        this.term = checked.term();
        this.limits = limits;
        this.execution = execution;
        this.executable = execution.prepare(term);
        this.checking = execution.checks() ? execution.prepareCheck(term) : null;
        this.reads = Set.copyOf(TermReads.of(term));
        this.cost = Cost.of(term);
        this.metered = Sizes.grows(term);
        this.labelQueries = LabelQueries.of(term);
        this.allTables = allTables;
        this.tables = Collections.unmodifiableSortedSet(TermReads.tables(term));
    }

    /** The expression as written. */
    public String expression() {
        return expression;
    }

    /** BOOL or NUMBER. */
    public RuleType type() {
        return term.type();
    }

    /** The inputs of the value, in addition to the pod. */
    public Scope scope() {
        return Reads.scope(reads);
    }

    /** The inputs of the expression. */
    public Set<Reads> reads() {
        return reads;
    }

    /**
     * The estimated cost of one evaluation, in units of about one member access: for lists of the size that {@link RuleLimits}
     * assumes, and for strings of at most the length of labels.
     */
    public long cost() {
        return cost;
    }

    /** The inputs that make an evaluation more or less expensive than estimated, for users, sorted; empty for none. */
    public List<String> sizes() {
        return Sizes.parts(term);
    }

    /** The estimated cost of one evaluation in a cluster with this number of nodes. */
    public long budget(int nodes) {
        return Reads.podOnly(reads) ? limits.evaluation() : limits.budget(nodes);
    }

    /** The tables that the expression reads, sorted by name. */
    public SortedSet<String> tables() {
        return tables;
    }

    /** Whether annotations of pods are read, which readers of pods must then keep. */
    public boolean readsPodAnnotations() {
        return TermReads.podAnnotations(term);
    }

    /** A number that changes whenever table values that the program reads change; 0 if it reads none. */
    long revision() {
        return allTables.revision(tables);
    }

    /** True if a table that the program reads has no values in this attempt, and excludes rules then. */
    boolean skips(ClusterCounts counts) {
        return allTables.skips(tables, counts.tables());
    }

    /** The data for a new attempt. */
    ClusterCounts counts(CountTable table) {
        return new ClusterCounts(table, labelQueries, allTables.get());
    }

    /** The executed term: the expression with names resolved and constants folded. */
    public Term term() {
        return term;
    }

    /** The expression as written, with the term of each part. */
    public ExpressionPart source() {
        return source;
    }

    /** Prepares for one pod, with the selected executor and without verification. */
    public Run start(PodInfo pod, ClusterView cluster) {
        return start(pod, counts(cluster), executable);
    }

    /** Prepares for one pod with a given executor, which compiles the expression again. */
    public Run start(PodInfo pod, ClusterView cluster, Executor executor) {
        return start(pod, counts(cluster), executor.prepare(term));
    }

    Run start(PodInfo pod, ClusterCounts counts, Executable compiled) {
        Meter meter = meter(counts);
        return new Run(compiled.start(pod, counts, meter), meter, metered);
    }

    /** Prepares for one pod, as a rule of a policy. */
    Run start(String rule, PodInfo pod, ClusterCounts counts) {
        Executable check = checking;
        if (check == null) {
            return start(pod, counts, executable);
        }
        Meter meter = meter(counts);
        Execution used = executable.start(pod, counts, meter);
        Execution verified = new VerifiedExecution(execution, rule, pod, used, () -> start(pod, counts, check));
        return new Run(verified, meter, metered);
    }

    private ClusterCounts counts(ClusterView cluster) {
        return counts(new CountTable(cluster));
    }

    private Meter meter(ClusterCounts counts) {
        return new Meter(budget((int) counts.nodeCount()));
    }

    /**
     * Evaluates every part for one node, to explain the result. Parts that are not evaluated, such as the right side of a false
     * {@code &&}, have no value. Not optimized.
     */
    public PartValue trace(PodInfo pod, NodeInfo node, ClusterView cluster) {
        ClusterCounts counts = counts(cluster);
        return DirectProgram.trace(source, pod, node, counts, meter(counts));
    }

    /** A program for one pod. Used by one thread. */
    public static final class Run {
        private final Execution execution;
        private final Meter meter;
        private final boolean metered;

        private final @Nullable NodeResults results;

        private Run(Execution execution, Meter meter, boolean metered) {
            this(execution, meter, metered, null);
        }

        private Run(Execution execution, Meter meter, boolean metered, @Nullable NodeResults results) {
            this.execution = execution;
            this.meter = meter;
            this.metered = metered;
            this.results = results;
        }

        /** The same with cached results; null for none. */
        Run withCache(@Nullable NodeResults cached) {
            return cached == null ? this : new Run(execution, meter, metered, cached);
        }

        /**
         * The value for one node, for a program of type BOOL.
         *
         * @throws RuleFailure if the rule fails
         */
        public boolean bool(NodeInfo node) {
            NodeResults known = results;
            if (known != null && known.has(node)) {
                return known.get(node) != 0;
            }
            if (metered) {
                meter.start();
            }
            boolean value = execution.bool(node);
            if (known != null) {
                known.put(node, value ? 1 : 0);
            }
            return value;
        }

        /**
         * The value for one node, finite, for a program of type NUMBER.
         *
         * @throws RuleFailure if the rule fails
         */
        public double number(NodeInfo node) {
            NodeResults known = results;
            if (known != null && known.has(node)) {
                return known.get(node);
            }
            if (metered) {
                meter.start();
            }
            double value = execution.number(node);
            if (known != null) {
                known.put(node, value);
            }
            return value;
        }

        /** The value of a program that reads the pod only. */
        boolean bool() {
            return execution.bool(null);
        }

        /** The cost of the last evaluation by the sizes of its inputs; above the budget if it was exceeded. */
        public long work() {
            return meter.used();
        }
    }
}
