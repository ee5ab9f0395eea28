package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.data.ClusterCounts.LabelQuery;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Finds the inputs of a term. */
public final class TermReads {
    private TermReads() {}

    /** The inputs; only for folded terms. */
    public static Set<Reads> of(Term term) {
        Set<Reads> reads = EnumSet.noneOf(Reads.class);
        collect(term, reads);
        return reads;
    }

    private static void collect(Term term, Set<Reads> reads) {
        if (term instanceof Term.Access access) {
            // Members of list elements are covered by reading the list, unless they go beyond it.
            Reads read = access.member().reads();
            if (access.receiver() instanceof Term.Variable variable && (!variable.isLoop() || read.goesBeyondLists())) {
                reads.add(read);
                if (variable.type() == RuleType.NODE && read.goesBeyondLists()) {
                    reads.add(Reads.NODE);
                }
            }
            collect(access.receiver(), reads);
        }
        if (term instanceof TableTerm) {
            reads.add(Reads.TABLES);
        }
        if (isPlaced(term)) {
            reads.add(Reads.NODE_PODS);
        }
        for (Term part : term.parts()) {
            collect(part, reads);
        }
    }

    /** True for a table value to which the requests of recently placed pods are added. */
    static boolean isPlaced(Term term) {
        return term instanceof TableTerm.Entry entry && entry.placed() != null;
    }

    /** The tables that are read, sorted by name. */
    public static SortedSet<String> tables(Term term) {
        SortedSet<String> names = new TreeSet<>();
        collectTables(term, names);
        return names;
    }

    private static void collectTables(Term term, Set<String> names) {
        TableSchema table = term instanceof TableTerm about ? TableTerm.tableOf(about) : null;
        if (table != null) {
            names.add(table.name());
        }
        if (term instanceof Term.Access access) {
            collectTables(access.receiver(), names);
        }
        term.parts().forEach(part -> collectTables(part, names));
    }

    /** True if annotations of any pod are read: of the incoming one, or of those on nodes. */
    public static boolean podAnnotations(Term term) {
        return annotations(term, RuleType.POD);
    }

    /** True when annotations of the node are read. */
    public static boolean nodeAnnotations(Term term) {
        return annotations(term, RuleType.NODE);
    }

    private static boolean annotations(Term term, RuleType of) {
        if (term instanceof Term.Access access) {
            String name = access.member().name();
            boolean reads =
                    access.member().receiver() == of && (name.equals("annotations") || name.equals("annotation"));
            if (reads || annotations(access.receiver(), of)) {
                return true;
            }
        }
        return term.parts().stream().anyMatch(part -> annotations(part, of));
    }

    /** True if a term reads only the pod, and tables with keys from the pod. */
    public static boolean aboutPodOnly(Term term) {
        Set<Reads> reads = of(term);
        return !reads.isEmpty() && Reads.podOnly(reads) && !usesOuterElement(term, Integer.MAX_VALUE);
    }

    /** True if the term reads an element of an enclosing list operation. */
    private static boolean usesOuterElement(Term term, int firstInner) {
        if (term instanceof Term.Variable variable) {
            return variable.isLoop() && variable.slot() < firstInner;
        }
        if (term instanceof Term.Access access && usesOuterElement(access.receiver(), firstInner)) {
            return true;
        }
        if (term instanceof Term.Fold fold) {
            return usesOuterElement(fold.list(), firstInner)
                    || usesOuterElement(
                            fold.body(), Math.min(firstInner, fold.element().slot()));
        }
        if (term instanceof Term.Let let) {
            return usesOuterElement(let.value(), firstInner)
                    || usesOuterElement(
                            let.body(), Math.min(firstInner, let.local().slot()));
        }
        for (Term part : term.parts()) {
            if (usesOuterElement(part, firstInner)) {
                return true;
            }
        }
        return false;
    }

    /** The label queries of a rule's pod counts. */
    public static final class LabelQueries {
        private static final Member ANY = member(1);
        private static final Member VALUE = member(2);

        private static Member member(int arguments) {
            Member member = Members.find(RuleType.NODE, "podsWithLabel", arguments);
            if (member == null) {
                throw new IllegalStateException("no member podsWithLabel with " + arguments);
            }
            return member;
        }

        private LabelQueries() {}

        /** The distinct queries of a rule. */
        public static List<LabelQuery> of(Term term) {
            List<LabelQuery> questions = new ArrayList<>();
            collect(term, questions);
            return List.copyOf(Set.copyOf(questions));
        }

        private static void collect(Term term, List<LabelQuery> into) {
            if (term instanceof Term.Access access) {
                boolean constant = access.arguments().stream().allMatch(Term.Constant.class::isInstance);
                if (constant && (access.member().equals(ANY) || access.member().equals(VALUE))) {
                    List<String> texts = access.arguments().stream()
                            .map(argument -> String.valueOf(((Term.Constant) argument).value()))
                            .toList();
                    into.add(new LabelQuery(texts.get(0), texts.size() > 1 ? texts.get(1) : null));
                }
                collect(access.receiver(), into);
            }
            term.parts().forEach(part -> collect(part, into));
        }
    }
}
