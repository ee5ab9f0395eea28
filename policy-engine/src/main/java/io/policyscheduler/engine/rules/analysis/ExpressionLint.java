package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.Part;
import io.policyscheduler.engine.rules.compiler.Syntax;
import io.policyscheduler.engine.rules.compiler.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.TermText;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at one expression, part for part. */
final class ExpressionLint {
    private static final int LONGEST = 80;

    private final String field;
    private final List<Finding> findings = new ArrayList<>();

    private ExpressionLint(String field) {
        this.field = field;
    }

    /**
     * What there is to say, in the order of the text.
     *
     * @param field the field of the rule that it is
     */
    static List<Finding> of(Part source, String field) {
        ExpressionLint lint = new ExpressionLint(field);
        if (source.term() instanceof Term.Constant constant) {
            lint.constant(source, constant);
        } else {
            lint.visit(source, null);
        }
        lint.findings.sort(Comparator.comparingInt(finding -> finding.place().offset()));
        return List.copyOf(lint.findings);
    }

    private void add(LintCode code, Part part, String message, String suggestion) {
        findings.add(new Finding(code, message, suggestion, field, part.excerpt()));
    }

    private static String shown(Part part) {
        String text = part.text();
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }

    private void constant(Part source, Term.Constant constant) {
        String value = TermText.of(constant.value());
        String what = constant.type() == RuleType.NUMBER
                ? "all nodes score the same"
                : constant.value().equals(true) ? "it accepts every node" : "it rejects every node";
        String suggestion = field.equals("when")
                ? "remove 'when', or use a field of the pod"
                : "use a field of the pod or the node";
        add(LintCode.CONSTANT, source, "the expression is always " + value + ": " + what, suggestion);
    }

    /**
     * Visits a part.
     *
     * @param outer operator of the {@code &&} or {@code ||} that it is a side of, null for another place
     * @return true when something was found that explains why the part is decided
     */
    private boolean visit(Part part, @Nullable Boolean outer) {
        Boolean and = logic(part);
        boolean told = and != null && !and.equals(outer) && repeated(part, and);
        told |= sameSides(part) || doubleNegation(part) || counted(part);
        local(part);
        boolean inner = false;
        for (Part each : part.parts()) {
            inner |= visit(each, and);
        }
        return told || inner || decided(part);
    }

    /** True for {@code &&}, false for {@code ||}, null for anything else. */
    private static @Nullable Boolean logic(Part part) {
        Term term = part.term();
        if (!(part.syntax() instanceof Syntax.Binary binary) || term == null || term.type() != RuleType.BOOL) {
            return null;
        }
        return switch (binary.operator()) {
            case "&&", "and" -> true;
            case "||", "or" -> false;
            default -> null;
        };
    }

    private boolean decided(Part part) {
        Term term = part.term();
        boolean asks = term != null && term.type() == RuleType.BOOL && !(term instanceof Term.Constant);
        if (!asks || part.syntax() instanceof Syntax.Name || term == null) {
            return false;
        }
        Boolean answer = Truth.of(term);
        if (answer == null) {
            return false;
        }
        add(
                LintCode.DECIDED,
                part,
                shown(part) + " is always " + answer,
                answer ? "remove it or correct it" : "correct the condition");
        return true;
    }

    private boolean repeated(Part part, boolean and) {
        List<Part> sides = new ArrayList<>();
        sides(part, and, sides);
        boolean found = false;
        for (int i = 0; i < sides.size(); i++) {
            Part side = sides.get(i);
            Term term = side.term();
            boolean before = term != null
                    && !(term instanceof Term.Constant)
                    && sides.subList(0, i).stream().anyMatch(other -> term.equals(other.term()));
            if (before) {
                found = true;
                add(LintCode.REPEATED, side, shown(side) + " appears twice in " + (and ? "&&" : "||"), "remove one");
            }
        }
        return found;
    }

    private static void sides(Part part, boolean and, List<Part> into) {
        Boolean own = logic(part);
        if (own == null || own != and) {
            into.add(part);
        } else {
            part.parts().forEach(side -> sides(side, and, into));
        }
    }

    private boolean sameSides(Part part) {
        boolean compares = part.syntax() instanceof Syntax.Binary binary
                && List.of("==", "!=", "<", "<=", ">", ">=", "-", "/", "%").contains(binary.operator());
        if (!compares || part.parts().size() != 2) {
            return false;
        }
        Term left = part.parts().get(0).term();
        Term right = part.parts().get(1).term();
        if (left == null || left instanceof Term.Constant || !left.equals(right)) {
            return false;
        }
        add(LintCode.SAME_SIDES, part, "both sides of " + shown(part) + " are the same", "correct one side");
        return true;
    }

    private boolean doubleNegation(Part part) {
        boolean twice = part.syntax() instanceof Syntax.Unary outer
                && outer.operator().equals("!")
                && outer.operand() instanceof Syntax.Unary inner
                && inner.operator().equals("!");
        if (twice) {
            add(LintCode.DOUBLE_NEGATION, part, shown(part) + " is negated twice", "remove both '!'");
        }
        return false;
    }

    /** Never explains why something is decided. */
    private boolean counted(Part part) {
        Term term = part.term();
        if (term == null || part.syntax() instanceof Syntax.Name) {
            return false;
        }
        String instead = CountedPods.instead(term);
        if (instead != null) {
            add(
                    LintCode.COUNTED_MEMBER,
                    part,
                    shown(part) + " reads all pods of the node",
                    "write " + instead + ", which reads a cached count");
        } else if (term instanceof Term.Comparison comparison && asksForOne(comparison)) {
            Term.Fold count = (Term.Fold) comparison.left();
            if (CountedPods.instead(count) == null) {
                String some = "list.any(x, ...)";
                boolean none = comparison.operator().equals("<")
                        || comparison.operator().equals("<=");
                add(
                        LintCode.COUNTS_TO_ASK,
                        part,
                        shown(part) + " counts all elements",
                        "write " + (none ? "!" : "") + some + ", which stops at the first match");
            }
        }
        return false;
    }

    /** True for {@code n > 0}, {@code n >= 1}, {@code n < 1} and {@code n <= 0} of a count. */
    private static boolean asksForOne(Term.Comparison comparison) {
        boolean counts = comparison.left() instanceof Term.Fold fold && fold.operation() == ListOperation.COUNT;
        double limit =
                comparison.operator().equals(">") || comparison.operator().equals("<=") ? 0 : 1;
        return counts
                && comparison.right() instanceof Term.Constant constant
                && constant.value().equals(limit);
    }

    private void local(Part part) {
        if (part.syntax() instanceof Syntax.Local local
                && !SyntaxNames.names(local.body()).contains(local.name())) {
            add(LintCode.UNUSED_LOCAL, part, "unused local '" + local.name() + "'", "remove it");
        }
    }
}
