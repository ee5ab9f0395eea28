package io.policyscheduler.engine.rules.words;

import io.policyscheduler.engine.rules.Normalize;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.member.Reads;
import io.policyscheduler.engine.rules.syntax.RuleException;
import io.policyscheduler.engine.rules.table.RuleTables;
import io.policyscheduler.engine.rules.term.Term;
import io.policyscheduler.engine.rules.term.TermReads;
import io.policyscheduler.engine.rules.value.RuleType;
import io.policyscheduler.engine.rules.words.Explanation.Line;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Explains rules in plain words: made from their terms alone, so that it says what is run. */
public final class RuleWords {
    private static final long CHEAP = 10;
    private static final long MODERATE = 1000;

    private RuleWords() {}

    /** Explains an expression that is no part of a file. */
    public static Explanation of(RuleProgram program) {
        return of(program, null, null);
    }

    /**
     * Explains a rule of a file.
     *
     * @param type BOOL for a predicate, NUMBER for a priority
     * @param tables that it may read
     * @throws RuleException when the rule is refused
     */
    public static Explanation of(RuleDefinition rule, RuleType type, RuleTables tables) throws RuleException {
        RuleCompiler compiler = RuleCompiler.reading(tables);
        String condition = rule.when();
        return of(
                compiler.compile(rule.expression(), rule.params(), type),
                condition == null ? null : compiler.compileWhen(condition, rule.params()),
                rule);
    }

    private static Explanation of(RuleProgram program, @Nullable RuleProgram when, @Nullable RuleDefinition rule) {
        boolean predicate = program.type() == RuleType.BOOL;
        List<Line> says = new ArrayList<>();
        if (when != null) {
            says.addAll(Outline.ofCondition("It is about a pod when", when.term()));
            String others = predicate ? "Other pods may go to any node." : "For other pods every node scores 0.";
            says.add(new Line(0, others));
        }
        if (predicate) {
            says.addAll(Outline.ofCondition("A pod may go to a node when", program.term()));
        } else {
            says.addAll(Outline.ofNumber("The number of a node is", program.term()));
            says.add(new Line(0, normalized(rule == null ? null : rule.normalize())));
        }
        Set<Reads> reads = EnumSet.noneOf(Reads.class);
        reads.addAll(program.reads());
        List<String> missing = new ArrayList<>();
        if (when != null) {
            reads.addAll(when.reads());
            missing.addAll(MissingWords.of(when.term()));
        }
        missing.addAll(MissingWords.of(program.term()));
        return new Explanation(
                says,
                reads(reads),
                predicate ? retries(program.term(), reads) : List.of(),
                predicate ? preemption(reads, rule) : "",
                List.copyOf(new LinkedHashSet<>(missing)),
                cost(program));
    }

    private static String normalized(@Nullable String word) {
        return switch (Normalize.of(String.valueOf(word)).orElse(Normalize.NONE)) {
            case NONE -> "Its score is that number, rounded and cut to 0..100.";
            case MAX -> "The greatest number becomes 100, 0 stays 0, and the others lie between.";
            case MINMAX -> "The smallest number becomes 0, the greatest 100, and the others lie between.";
            case REVERSE -> "The smaller the number the better: 0 becomes 100, the greatest 0.";
        };
    }

    private static List<String> reads(Set<Reads> reads) {
        if (reads.isEmpty()) {
            return List.of("nothing");
        }
        List<String> words = new ArrayList<>();
        for (Reads each : reads) {
            words.add(
                    switch (each) {
                        case POD -> "the pod, as its siblings of one template have it";
                        case POD_NAME -> "the name of the pod, so that an answer is not kept for its siblings";
                        case TIME -> "the time when the attempt starts";
                        case CLAIMS -> "the claims of the pod and their volumes";
                        case BUDGETS -> "the disruption budgets that cover the pod";
                        case TABLES -> "tables, with the values that are in effect when the attempt starts";
                        case NODE -> "the node: its labels, annotations, taints, conditions, images, what it can hold";
                        case NODE_PODS -> "the pods on the node";
                        case TOPOLOGY -> "the nodes that share a label with the node, and the pods on them";
                        case CLUSTER -> "the whole cluster";
                    });
        }
        return words;
    }

    private static List<String> retries(Term term, Set<Reads> reads) {
        List<String> words = new ArrayList<>();
        if (reads.contains(Reads.POD) || reads.contains(Reads.POD_NAME)) {
            words.add("the pod itself is changed");
        }
        if (reads.contains(Reads.NODE) || reads.contains(Reads.TOPOLOGY) || reads.contains(Reads.CLUSTER)) {
            words.add("a node comes, or changes"
                    + (TermReads.nodeAnnotations(term) ? ", but not by an annotation alone" : ""));
        }
        if (Reads.resolvable(reads)) {
            words.add("a pod on a node goes or changes");
        }
        if (reads.contains(Reads.CLAIMS)) {
            words.add("a claim or a volume comes or changes");
        }
        if (reads.contains(Reads.BUDGETS)) {
            words.add("a disruption budget comes, goes or changes");
        }
        if (reads.contains(Reads.TABLES)) {
            words.add("a table that it reads gets other values");
        }
        words.add("about a minute has passed" + (reads.contains(Reads.TIME) ? ", as time alone wakes nobody" : ""));
        return words;
    }

    private static String preemption(Set<Reads> reads, @Nullable RuleDefinition rule) {
        Boolean told = rule == null ? null : rule.resolvable();
        boolean helps = told == null ? Reads.resolvable(reads) : told;
        String why = told != null ? " The rule itself returns this." : "";
        return helps
                ? "Preemption may make room for it: it tries without pods of lower priority." + why
                : "Preemption does not make room for it." + why;
    }

    private static List<String> cost(RuleProgram program) {
        long cost = program.cost();
        String much = cost <= CHEAP ? "next to nothing" : cost <= MODERATE ? "little" : "much";
        List<String> words = new ArrayList<>();
        words.add("Asking it for one node costs " + much + ": as much as reading " + cost
                + (cost == 1 ? " field" : " fields")
                + (program.sizes().isEmpty() ? "." : ", for 500 pods on a node and 50 elements in other lists."));
        program.sizes().forEach(size -> words.add("It grows with the " + size + "."));
        return words;
    }
}
