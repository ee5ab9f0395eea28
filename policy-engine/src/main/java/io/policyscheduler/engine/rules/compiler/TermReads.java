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

/** The objects that a term reads. */
public final class TermReads {
    private TermReads() {}

    /** What is read; ask only terms that survived folding. */
    public static Set<Reads> of(Term term) {
        Set<Reads> reads = EnumSet.noneOf(Reads.class);
        collect(term, reads);
        return reads;
    }

    private static void collect(Term term, Set<Reads> reads) {
        if (term instanceof Term.Access access) {
            // Elements of a list are covered by what reading the list counts as, as far as it is about them alone.
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

    /** True for a value of a table to which the pods of the node add. */
    static boolean isPlaced(Term term) {
        return term instanceof TableTerm.Entry entry && entry.placed() != null;
    }

    /** Names of the tables that are read, sorted. */
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

    /** True when annotations of any pod are read: of the one to place, or of those on nodes. */
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
            boolean asks =
                    access.member().receiver() == of && (name.equals("annotations") || name.equals("annotation"));
            if (asks || annotations(access.receiver(), of)) {
                return true;
            }
        }
        return term.parts().stream().anyMatch(part -> annotations(part, of));
    }

    /** True when a term looks at the pod, or at tables by what the pod says, and at nothing else. */
    public static boolean aboutPodOnly(Term term) {
        Set<Reads> reads = of(term);
        return !reads.isEmpty() && Reads.podOnly(reads) && !usesOuterElement(term, Integer.MAX_VALUE);
    }

    /** True when an element of a list operation outside of the term is looked at. */
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

    /** The labels of pods for which a rule reads counts. */
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

        /** Those of a rule, each once. */
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
