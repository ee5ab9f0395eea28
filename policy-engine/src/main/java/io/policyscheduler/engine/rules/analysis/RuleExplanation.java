package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleDefinition.Normalize;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.analysis.RuleExplanation.Explanation.Line;
import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.compiler.TermReads;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An explanation of a rule in plain English, generated from its terms. */
public final class RuleExplanation {
    private static final long CHEAP = 10;
    private static final long MODERATE = 1000;

    private RuleExplanation() {}

    /** Explains an expression that is not part of a file. */
    public static Explanation of(RuleProgram program) {
        return of(program, null, null);
    }

    /**
     * Explains a rule of a file.
     *
     * @param type BOOL for a predicate, NUMBER for a priority
     * @param tables that it can read
     * @throws RuleException if the rule is invalid
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
        List<Line> lines = new ArrayList<>();
        if (when != null) {
            lines.addAll(Outline.ofCondition("The rule applies to a pod when", when.term()));
            String others =
                    predicate ? "For other pods, the rule accepts every node." : "For other pods, every node scores 0.";
            lines.add(new Line(0, others));
        }
        if (predicate) {
            lines.addAll(Outline.ofCondition("The rule accepts a node for a pod when", program.term()));
        } else {
            lines.addAll(Outline.ofNumber("The value for a node is", program.term()));
            lines.add(new Line(0, normalized(rule == null ? null : rule.normalize())));
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
                lines,
                reads(reads),
                predicate ? retries(program.term(), reads) : List.of(),
                predicate ? preemption(reads, rule) : "",
                List.copyOf(new LinkedHashSet<>(missing)),
                cost(program));
    }

    private static String normalized(@Nullable String word) {
        return switch (Normalize.of(String.valueOf(word)).orElse(Normalize.NONE)) {
            case NONE -> "The score is this value, rounded and limited to 0..100.";
            case MAX -> "Scores are scaled: the highest value becomes 100, and 0 stays 0.";
            case MINMAX -> "Scores are scaled: the lowest value becomes 0, and the highest becomes 100.";
            case REVERSE -> "Scores are scaled and reversed: 0 becomes 100, and the highest value becomes 0.";
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
                        case POD -> "the pod, without its name";
                        case POD_NAME -> "the name of the pod, so results are not cached for similar pods";
                        case TIME -> "the time at the start of the attempt";
                        case CLAIMS -> "the claims of the pod and their volumes";
                        case BUDGETS -> "the PodDisruptionBudgets that select the pod";
                        case TABLES -> "tables, with their values at the start of the attempt";
                        case NODE ->
                            "the node: labels, annotations, taints, conditions, images, and allocatable resources";
                        case NODE_PODS -> "the pods on the node";
                        case TOPOLOGY -> "the nodes with the same topology label value, and their pods";
                        case CLUSTER -> "the whole cluster";
                    });
        }
        return words;
    }

    private static List<String> retries(Term term, Set<Reads> reads) {
        List<String> words = new ArrayList<>();
        if (reads.contains(Reads.POD) || reads.contains(Reads.POD_NAME)) {
            words.add("the pod is updated");
        }
        if (reads.contains(Reads.NODE) || reads.contains(Reads.TOPOLOGY) || reads.contains(Reads.CLUSTER)) {
            words.add("a node is added or updated"
                    + (TermReads.nodeAnnotations(term) ? ", unless only annotations change" : ""));
        }
        if (Reads.resolvable(reads)) {
            words.add("a pod on a node is updated or deleted");
        }
        if (reads.contains(Reads.CLAIMS)) {
            words.add("a claim or a volume is added or updated");
        }
        if (reads.contains(Reads.BUDGETS)) {
            words.add("a PodDisruptionBudget is added, updated, or deleted");
        }
        if (reads.contains(Reads.TABLES)) {
            words.add("a table that the rule reads is updated");
        }
        words.add("about a minute has passed"
                + (reads.contains(Reads.TIME) ? ", because a change of the time does not requeue pods" : ""));
        return words;
    }

    private static String preemption(Set<Reads> reads, @Nullable RuleDefinition rule) {
        Boolean specified = rule == null ? null : rule.resolvable();
        boolean helps = specified == null ? Reads.resolvable(reads) : specified;
        String why = specified != null ? " The field 'resolvable' sets this." : "";
        return helps
                ? "Preemption can help: it evaluates the rule without pods of lower priority." + why
                : "Preemption cannot help." + why;
    }

    private static List<String> cost(RuleProgram program) {
        long cost = program.cost();
        String level = cost <= CHEAP ? "very low" : cost <= MODERATE ? "low" : "high";
        List<String> words = new ArrayList<>();
        words.add("The cost for one node is " + level + ": about " + cost
                + (cost == 1 ? " field access" : " field accesses")
                + (program.sizes().isEmpty() ? "." : ", for 500 pods on a node and 50 elements in other lists."));
        program.sizes().forEach(size -> words.add("The cost grows with the " + size + "."));
        return words;
    }

    /**
     * An explanation of a rule for users.
     *
     * @param says the meaning for a pod and a node, as an outline
     * @param reads the inputs
     * @param retries when a rejected pod is requeued; empty for a priority
     * @param preemption whether preemption can help a rejected pod; empty for a priority
     * @param missing the effect of a missing label or another entry; empty if the rule reads none
     * @param cost of one evaluation
     */
    public record Explanation(
            List<Line> says,
            List<String> reads,
            List<String> retries,
            String preemption,
            List<String> missing,
            List<String> cost) {
        /**
         * A line of an outline.
         *
         * @param depth 0 for the outermost
         */
        public record Line(int depth, String text) {}

        public Explanation {
            says = List.copyOf(says);
            reads = List.copyOf(reads);
            retries = List.copyOf(retries);
            missing = List.copyOf(missing);
            cost = List.copyOf(cost);
        }
    }

    /** Writes a rule as an outline: {@code &&}, {@code ||}, choices and locals become lists. */
    static final class Outline {
        private final List<Line> lines = new ArrayList<>();

        private Outline() {}

        /** The lines for a condition, which begin with an introduction such as "The rule accepts a node for a pod when". */
        static List<Line> ofCondition(String introduction, Term term) {
            Outline outline = new Outline();
            outline.condition(0, introduction + " ", term, true);
            return List.copyOf(outline.lines);
        }

        /** The lines for a number. */
        static List<Line> ofNumber(String introduction, Term term) {
            Outline outline = new Outline();
            outline.number(0, introduction + " ", term);
            return List.copyOf(outline.lines);
        }

        private void add(int depth, String text) {
            boolean sentence = depth == 0 && !text.endsWith(":");
            lines.add(new Line(depth, sentence ? text + "." : text));
        }

        private void condition(int depth, String before, Term term, boolean yes) {
            if (term instanceof Term.Not not) {
                condition(depth, before, not.operand(), !yes);
            } else if (term instanceof Term.Logic logic) {
                boolean all = logic.and() == yes;
                add(depth, before + (all ? "all of these are true:" : "at least one of these is true:"));
                ClausePhrases.sides(logic, logic.and()).forEach(side -> condition(depth + 1, "", side, yes));
            } else if (term instanceof Term.Choice choice) {
                add(depth, before + "this is true:");
                condition(depth + 1, "if " + ClausePhrases.inner(choice.condition(), true) + ": ", choice.yes(), yes);
                condition(depth + 1, "otherwise: ", choice.no(), yes);
            } else if (term instanceof Term.Let let) {
                condition(depth, before, let.body(), yes);
                add(depth + 1, "where " + let.local().name() + " is " + ClausePhrases.value(let.value()));
            } else {
                add(depth, before + ClausePhrases.of(term, yes));
            }
        }

        private void number(int depth, String before, Term term) {
            if (term instanceof Term.Choice choice) {
                add(depth, before.stripTrailing() + (before.strip().endsWith(":") ? "" : ":"));
                number(depth + 1, "if " + ClausePhrases.inner(choice.condition(), true) + ": ", choice.yes());
                number(depth + 1, "otherwise: ", choice.no());
            } else if (term instanceof Term.Let let) {
                number(depth, before, let.body());
                add(depth + 1, "where " + let.local().name() + " is " + ClausePhrases.value(let.value()));
            } else {
                add(depth, before + NounPhrases.of(term));
            }
        }
    }

    /** The effect of a missing label, annotation, or other entry on a rule. */
    static final class MissingWords {
        private final Set<String> sentences = new LinkedHashSet<>();

        private MissingWords() {}

        static List<String> of(Term term) {
            MissingWords words = new MissingWords();
            words.visit(term, null);
            return List.copyOf(words.sentences);
        }

        private void visit(Term term, @Nullable Term around) {
            if (term instanceof Term.Access access) {
                access(access, around);
                visit(access.receiver(), access);
            }
            for (Term part : term.parts()) {
                visit(part, term instanceof TextTerm.Known && around != null ? around : term);
            }
        }

        private void access(Term.Access access, @Nullable Term around) {
            Member member = access.member();
            String name = member.name();
            if (member.receiver() == RuleType.LABELS && name.equals("get")) {
                sentences.add("Where " + NounPhrases.of(access) + " is missing, " + entry(around));
            } else if (access.arguments().size() == 2 && (name.equals("label") || name.equals("getOrDefault"))) {
                String plain = NounPhrases.of(access).replaceAll(" \\([^()]* without it\\)$", "");
                sentences.add("Where " + plain + " is missing, "
                        + NounPhrases.of(access.arguments().get(1)) + " is used.");
            } else if (access.arguments().size() == 1
                    && (name.equals("label") || name.equals("annotation") || name.equals("nodeSelector"))) {
                sentences.add("Where " + NounPhrases.of(access) + " is missing, the value is ''.");
            } else if (name.endsWith("InTopology") && member.receiver() == RuleType.NODE) {
                sentences.add("On nodes without label "
                        + NounPhrases.of(access.arguments().get(0)) + ", " + NounPhrases.of(access) + " is 0.");
            } else if (name.endsWith("WithLabel")) {
                String what = name.startsWith("nodes") ? "Nodes" : "Pods";
                sentences.add(what + " without label "
                        + NounPhrases.of(access.arguments().get(0)) + " are not counted.");
            }
        }

        private static String entry(@Nullable Term around) {
            if (around instanceof Term.Equality equality) {
                boolean both = equality.left().type() == RuleType.MAYBE
                        && equality.right().type() == RuleType.MAYBE;
                return "it does not equal any value" + (both ? " except another missing value." : ".");
            }
            if (around instanceof Term.ToNumber number) {
                return "the number is " + NounPhrases.of(number.otherwise()) + ".";
            }
            if (around instanceof TextTerm.OrElse orElse) {
                return NounPhrases.of(orElse.otherwise()) + " is used.";
            }
            if (around instanceof Term.In) {
                return "it does not match any value.";
            }
            if (around instanceof TextTerm.Blank) {
                return "it is treated as blank.";
            }
            return around instanceof TextTerm.Present
                    ? "the condition checks for that."
                    : "an earlier condition excludes that.";
        }
    }
}
