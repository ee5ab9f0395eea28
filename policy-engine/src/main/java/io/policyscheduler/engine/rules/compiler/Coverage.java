package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartStatistics;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartValue;
import io.policyscheduler.engine.rules.compiler.Syntax.Span;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The branches of one rule that evaluations have taken. Not thread-safe. */
public final class Coverage {
    /**
     * One branch of a condition.
     *
     * @param condition the condition
     * @param way the result that takes it
     * @param taken whether some evaluation took it
     */
    public record Branch(ExpressionPart condition, boolean way, boolean taken) {}

    private static final class Ways {
        final ExpressionPart condition;
        boolean whenTrue;
        boolean whenFalse;

        Ways(ExpressionPart condition) {
            this.condition = condition;
        }
    }

    /** By position of the condition: other parameters create other parts of the same text. */
    private final Map<Span, Ways> ways = new LinkedHashMap<>();

    /** Adds the conditions of a rule, without an evaluation. */
    public void add(ExpressionPart rule) {
        Conditions.of(rule).forEach(condition -> ways.computeIfAbsent(condition.span(), span -> new Ways(condition)));
    }

    /** Adds an evaluation of the rule. */
    public void add(PartValue evaluated) {
        add(evaluated.part());
        Map<ExpressionPart, PartStatistics> collected = new IdentityHashMap<>();
        collect(evaluated, collected);
        Conditions.of(evaluated.part()).forEach(condition -> {
            Ways known = ways.get(condition.span());
            PartStatistics statistics = collected.getOrDefault(condition, PartStatistics.NONE);
            if (known != null) {
                known.whenTrue |= statistics.trues() > 0;
                known.whenFalse |= statistics.falses() > 0;
            }
        });
    }

    private static void collect(PartValue value, Map<ExpressionPart, PartStatistics> into) {
        into.put(value.part(), value.statistics());
        value.parts().forEach(part -> collect(part, into));
    }

    /** Both branches of each condition, in text order. */
    public List<Branch> branches() {
        List<Branch> branches = new ArrayList<>();
        for (Ways each : ways.values()) {
            branches.add(new Branch(each.condition, true, each.whenTrue));
            branches.add(new Branch(each.condition, false, each.whenFalse));
        }
        return List.copyOf(branches);
    }

    /**
     * Finds the conditions of a rule: boolean parts that select a branch. A condition with {@code && || !} or {@code ? :} is not
     * included, because its operands are.
     */
    public static final class Conditions {
        private final List<ExpressionPart> found = new ArrayList<>();

        private Conditions() {}

        /** In evaluation order; constant conditions are omitted. */
        public static List<ExpressionPart> of(ExpressionPart rule) {
            Conditions conditions = new Conditions();
            conditions.visit(rule, true);
            return List.copyOf(conditions.found);
        }

        /** True for a part of type bool. */
        private static boolean isBool(ExpressionPart part) {
            Term term = part.term();
            return term != null && term.type() == RuleType.BOOL;
        }

        /** @param decides whether the part is a condition if it is boolean */
        private void visit(ExpressionPart part, boolean decides) {
            Syntax syntax = part.syntax();
            List<ExpressionPart> parts = part.parts();
            boolean bool = isBool(part);
            if (syntax instanceof Syntax.Conditional) {
                visit(parts.get(0), true);
                visit(parts.get(1), decides);
                visit(parts.get(2), decides);
            } else if (syntax instanceof Syntax.Local) {
                visit(parts.get(0), true);
                visit(parts.get(1), decides);
            } else if (bool && isComposed(syntax)) {
                parts.forEach(inner -> visit(inner, true));
            } else {
                if (bool && decides && !(part.term() instanceof Term.Constant)) {
                    found.add(part);
                }
                visitParts(part);
            }
        }

        private void visitParts(ExpressionPart part) {
            List<ExpressionPart> parts = part.parts();
            boolean projects = part.syntax() instanceof Syntax.Projection && parts.size() == 3;
            for (int i = 0; i < parts.size(); i++) {
                boolean body = part.syntax() instanceof Syntax.MethodCall && part.term() instanceof Term.Fold && i == 1;
                visit(parts.get(i), body || (projects && i == 1));
            }
        }

        private static boolean isComposed(Syntax syntax) {
            if (syntax instanceof Syntax.Unary unary) {
                return unary.operator().equals("!");
            }
            return syntax instanceof Syntax.Binary binary
                    && List.of("&&", "and", "||", "or").contains(binary.operator());
        }
    }
}
