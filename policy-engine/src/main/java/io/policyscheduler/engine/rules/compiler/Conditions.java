package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the conditions of a rule: the bools that decide which way it goes, by themselves. A condition that is made of others by
 * {@code && || !} or {@code ? :} is not one itself, because it goes both ways when those do.
 */
public final class Conditions {
    private final List<Part> found = new ArrayList<>();

    private Conditions() {}

    /** In the order of evaluation; those that a constant decides are left out. */
    public static List<Part> of(Part rule) {
        Conditions conditions = new Conditions();
        conditions.visit(rule, true);
        return List.copyOf(conditions.found);
    }

    /** True for a part of type bool. */
    private static boolean isBool(Part part) {
        Term term = part.term();
        return term != null && term.type() == RuleType.BOOL;
    }

    /** @param decides whether the part decides something when it is a bool */
    private void visit(Part part, boolean decides) {
        Syntax syntax = part.syntax();
        List<Part> parts = part.parts();
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

    private void visitParts(Part part) {
        List<Part> parts = part.parts();
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
