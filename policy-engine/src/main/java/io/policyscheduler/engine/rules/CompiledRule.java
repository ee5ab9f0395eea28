package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleDefinition.OnError;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.CountTable;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A compiled rule: the program, and the condition when it applies. The common part of predicates and priorities. */
final class CompiledRule {
    private static final int MAX_CACHED = 4;

    private final RuleDefinition definition;
    private final RuleProgram program;
    private final @Nullable RuleProgram when;
    private final RuleFailures failures;
    private final Scope scope;
    /** Caches between attempts, each for one cluster and its owning thread; the last used first. */
    private final Deque<CachedCounts> cached = new ArrayDeque<>();

    /** @param results null for a rule whose results depend on the pod */
    private record CachedCounts(CountTable counts, @Nullable NodeResults results) {
        CachedCounts(ClusterView cluster, RuleProgram program) {
            this(new CountTable(cluster), NodeResults.of(program));
        }
    }

    /**
     * The data of a rule in an attempt.
     *
     * @param counts of the cluster
     * @param results cached results for other pods, null for a rule whose results depend on the pod
     */
    record Attempt(ClusterCounts counts, @Nullable NodeResults results) {
        /** A copy for a trial. */
        Attempt copy() {
            return new Attempt(counts.copy(), results);
        }
    }

    private CompiledRule(
            RuleDefinition definition, RuleProgram program, @Nullable RuleProgram when, RuleFailures failures) {
        this.definition = definition;
        this.program = program;
        this.when = when;
        this.failures = failures;
        this.scope = Reads.scope(reads());
    }

    static CompiledRule compile(RuleDefinition definition, RuleType type, RuleCompiler compiler, RuleFailures failures)
            throws RuleException {
        requireVisible(definition, "name", definition.name());
        requireVisible(definition, "reason", definition.reason());
        RuleProgram program = compiler.compile(definition.expression(), definition.params(), type);
        String condition = definition.when();
        RuleProgram when = condition == null ? null : compiler.compileWhen(condition, definition.params());
        return new CompiledRule(definition, program, when, failures);
    }

    /** Rejects invisible characters, because both are printed in events and on terminals. */
    private static void requireVisible(RuleDefinition definition, String field, @Nullable String text)
            throws RuleException {
        if (text != null && !VisibleText.isVisible(text)) {
            throw new ProblemFactory(definition.expression())
                    .at(
                            RuleCode.DEFINITION,
                            0,
                            field + " \"" + PrintableText.text(VisibleText.line(text))
                                    + "\" contains an invisible character",
                            "remove line breaks, control characters, and text direction characters");
        }
    }

    RuleDefinition definition() {
        return definition;
    }

    RuleProgram program() {
        return program;
    }

    /** The scope of the expression and the condition. */
    Scope scope() {
        return scope;
    }

    Set<Reads> reads() {
        Set<Reads> reads = EnumSet.noneOf(Reads.class);
        reads.addAll(program.reads());
        if (when != null) {
            reads.addAll(when.reads());
        }
        return reads;
    }

    boolean readsPodAnnotations() {
        return program.readsPodAnnotations() || (when != null && when.readsPodAnnotations());
    }

    /** The tables that the expression and the condition read, sorted by name. */
    SortedSet<String> tables() {
        SortedSet<String> names = new TreeSet<>(program.tables());
        if (when != null) {
            names.addAll(when.tables());
        }
        return names;
    }

    /** A number that changes whenever table values that the rule reads change; 0 if it reads none. */
    long revision() {
        return program.revision() + (when == null ? 0 : when.revision());
    }

    /** The data for a new attempt, refreshed. */
    Attempt begin(ClusterView cluster) {
        CachedCounts found = cached(cluster);
        found.counts().startAttempt();
        NodeResults results = found.results();
        if (results != null) {
            results.startAttempt(program.revision());
        }
        return new Attempt(program.counts(found.counts()), results);
    }

    /** A policy may run for several clusters and threads in turn. */
    private CachedCounts cached(ClusterView cluster) {
        synchronized (cached) {
            CachedCounts first = cached.peekFirst();
            if (first != null && first.counts().serves(cluster)) {
                return first;
            }
            CachedCounts found = null;
            for (CachedCounts one : cached) {
                if (one.counts().serves(cluster)) {
                    found = one;
                    break;
                }
            }
            if (found == null) {
                found = new CachedCounts(cluster, program);
                if (cached.size() == MAX_CACHED) {
                    cached.removeLast();
                }
            } else {
                cached.remove(found);
            }
            cached.addFirst(found);
            return found;
        }
    }

    /**
     * True if the rule applies to a pod: its condition is true, and no table without values excludes it.
     *
     * @throws RuleFailure if its condition fails
     */
    boolean applies(PodContext context, Attempt attempt) {
        ClusterCounts counted = attempt.counts();
        if (program.skips(counted)) {
            return false;
        }
        return when == null
                || (!when.skips(counted)
                        && when.start(definition.name(), context.pod(), counted).bool());
    }

    RuleProgram.Run start(PodInfo pod, Attempt attempt) {
        return program.start(definition.name(), pod, attempt.counts()).withCache(attempt.results());
    }

    RuleFailure.Kind failed(RuntimeException thrown, String consequence, PodInfo pod) {
        RuleFailure.Kind kind = RuleFailures.kind(definition.name(), thrown);
        failures.report(definition.name(), kind, consequence, "pod " + pod.namespace() + "/" + pod.name());
        return kind;
    }

    /**
     * Cached results for nodes of a program that reads the node object and tables only: the same for every pod, until the node or
     * tables change. A copy of a node shares them while it has the same object. Used by one thread.
     */
    static final class NodeResults {
        private static final Set<Reads> CACHEABLE = Set.of(Reads.NODE, Reads.TABLES);

        private long revision;
        private @Nullable Node[] nodes = new Node[0];
        private @Nullable Map<?, ?>[] images = new Map<?, ?>[0];
        private double[] values = new double[0];

        private NodeResults() {}

        /** Null for a program that reads more. */
        static @Nullable NodeResults of(RuleProgram program) {
            return CACHEABLE.containsAll(program.reads()) ? new NodeResults() : null;
        }

        /** @param now a number that changes whenever results may change because of tables */
        void startAttempt(long now) {
            if (revision != now) {
                revision = now;
                Arrays.fill(nodes, null);
            }
        }

        boolean has(NodeInfo node) {
            int slot = node.slot();
            return slot >= 0 && slot < nodes.length && nodes[slot] == node.node() && images[slot] == node.images();
        }

        /** Must be called only if {@link #has}. */
        double get(NodeInfo node) {
            return values[node.slot()];
        }

        void put(NodeInfo node, double value) {
            int slot = node.slot();
            if (slot < 0) {
                return;
            }
            if (slot >= nodes.length) {
                int length = Math.max(slot + 1, 2 * nodes.length);
                nodes = Arrays.copyOf(nodes, length);
                images = Arrays.copyOf(images, length);
                values = Arrays.copyOf(values, length);
            }
            Map<String, ImageState> known = node.images();
            nodes[slot] = node.node();
            images[slot] = known;
            values[slot] = value;
        }
    }

    /** A predicate or a priority with a rule. */
    abstract static class Algorithm {
        final CompiledRule rule;
        private final OnError onError;

        Algorithm(CompiledRule rule, OnError onError) {
            this.rule = rule;
            this.onError = onError;
        }

        /** The rule definition. */
        public final RuleDefinition definition() {
            return rule.definition();
        }

        /** The compiled expression. */
        public final RuleProgram program() {
            return rule.program();
        }

        /** The consequence of a failure for the node or the scores. */
        public final OnError onError() {
            return onError;
        }

        /** The inputs of the rule and its condition. */
        public final Set<Reads> reads() {
            return rule.reads();
        }

        /** Whether the rule or its condition reads annotations of pods. */
        public final boolean readsPodAnnotations() {
            return rule.readsPodAnnotations();
        }

        /** The name in the policy. */
        public final String name() {
            return rule.definition().name();
        }

        /** A number that changes whenever results may change because of tables. */
        public final long revision() {
            return rule.revision();
        }

        /** What the results can depend on. */
        public final Scope scope() {
            return rule.scope();
        }
    }
}
