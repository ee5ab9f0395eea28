package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.CompiledRule.NodeAnswers;
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

/**
 * A checked expression, ready to run. Immutable, for any number of threads; {@link #start} gives what one thread uses for one
 * pod.
 */
public final class RuleProgram {
    /**
     * The executors of checked expressions. Both give the same answers and charge the same, on random expressions and worlds
     * too, and each can check the other one in production; see {@link RuleExecution}.
     */
    public enum Executor {
        /** Objects that ask each other, several times faster. */
        DIRECT,
        /** The interpreter of MVEL, on text emitted from the tree. */
        MVEL;

        /** The one that checks this one. */
        Executor other() {
            return this == DIRECT ? MVEL : DIRECT;
        }

        /** The word that users say. */
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
    /** Checks some evaluations; null when none are checked. */
    private final @Nullable Executable checking;

    private final Set<Reads> reads;
    private final long cost;
    private final boolean metered;
    private final List<LabelQuery> questions;
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
        this.questions = LabelQueries.of(term);
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

    /** What the value depends on, besides the pod. */
    public Scope scope() {
        return Reads.scope(reads);
    }

    /** What the expression looks at. */
    public Set<Reads> reads() {
        return reads;
    }

    /**
     * The estimated cost of one evaluation, in units of about one member access: for lists of as many elements as {@link RuleLimits}
     * estimates, and for strings that are no longer than labels.
     */
    public long cost() {
        return cost;
    }

    /** What makes an evaluation cost more or less than estimated: texts for people, sorted; empty when nothing does. */
    public List<String> sizes() {
        return Sizes.parts(term);
    }

    /** What the estimated cost of one evaluation is in a cluster of so many nodes. */
    public long budget(int nodes) {
        return Reads.podOnly(reads) ? limits.evaluation() : limits.budget(nodes);
    }

    /** Names of the tables that the expression reads, sorted. */
    public SortedSet<String> tables() {
        return tables;
    }

    /** Whether annotations of pods are read, which are not there unless whoever reads the pods keeps them. */
    public boolean readsPodAnnotations() {
        return TermReads.podAnnotations(term);
    }

    /** Another number whenever the program may answer otherwise because a table has other values; 0 when it reads none. */
    long revision() {
        return allTables.revision(tables);
    }

    /** True when a table that the program reads has no values in this attempt, and says that rules then take no part. */
    boolean skips(ClusterCounts counts) {
        return allTables.skips(tables, counts.tables());
    }

    /** What the program may ask for in an attempt that begins now. */
    ClusterCounts counts(CountTable table) {
        return new ClusterCounts(table, questions, allTables.get());
    }

    /** What is run: the expression with names resolved and constants folded. */
    public Term term() {
        return term;
    }

    /** The expression as written, with the term of each part. */
    public ExpressionPart source() {
        return source;
    }

    /** Prepares for one pod, with the executor that was chosen; nothing is checked. */
    public Run start(PodInfo pod, ClusterView cluster) {
        return start(pod, counts(cluster), executable);
    }

    /** Prepares for one pod with one of the executors, which compiles the expression anew. */
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
     * Evaluates every part for one node: what explains the result. Parts that do not count, such as the right side of a
     * false {@code &&}, have no evaluation. Meant for people, not for speed.
     */
    public PartValue trace(PodInfo pod, NodeInfo node, ClusterView cluster) {
        ClusterCounts counts = counts(cluster);
        return DirectProgram.trace(source, pod, node, counts, meter(counts));
    }

    /** A program at work on one pod. Used by one thread. */
    public static final class Run {
        private final Execution execution;
        private final Meter meter;
        private final boolean metered;

        private final @Nullable NodeAnswers answers;

        private Run(Execution execution, Meter meter, boolean metered) {
            this(execution, meter, metered, null);
        }

        private Run(Execution execution, Meter meter, boolean metered, @Nullable NodeAnswers answers) {
            this.execution = execution;
            this.meter = meter;
            this.metered = metered;
            this.answers = answers;
        }

        /** The same, asking for no answer again that is kept; null for none. */
        Run keeping(@Nullable NodeAnswers kept) {
            return kept == null ? this : new Run(execution, meter, metered, kept);
        }

        /**
         * The value for one node; for a program of type BOOL.
         *
         * @throws RuleFailure when the rule fails
         */
        public boolean bool(NodeInfo node) {
            NodeAnswers known = answers;
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
         * The value for one node, finite; for a program of type NUMBER.
         *
         * @throws RuleFailure when the rule fails
         */
        public double number(NodeInfo node) {
            NodeAnswers known = answers;
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

        /** The value of a program that looks at the pod alone. */
        boolean bool() {
            return execution.bool(null);
        }

        /** What the last evaluation was charged for the sizes of what it looked at; more than its budget when it was too much. */
        public long work() {
            return meter.used();
        }
    }
}
