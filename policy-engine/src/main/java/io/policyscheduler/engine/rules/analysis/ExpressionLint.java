package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.analysis.RuleLint.Finding;
import io.policyscheduler.engine.rules.analysis.RuleLint.LintCode;
import io.policyscheduler.engine.rules.compiler.ExpressionPart;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.compiler.Syntax;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.compiler.TermText;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lint checks of one expression. */
final class ExpressionLint {
    private static final int LONGEST = 80;

    private final String field;
    private final List<Finding> findings = new ArrayList<>();

    private ExpressionLint(String field) {
        this.field = field;
    }

    /**
     * The findings, in text order.
     *
     * @param field the field of the rule
     */
    static List<Finding> of(ExpressionPart source, String field) {
        ExpressionLint lint = new ExpressionLint(field);
        if (source.term() instanceof Term.Constant constant) {
            lint.constant(source, constant);
        } else {
            lint.visit(source, null);
        }
        lint.findings.sort(Comparator.comparingInt(finding -> finding.place().offset()));
        return List.copyOf(lint.findings);
    }

    private void add(LintCode code, ExpressionPart part, String message, String suggestion) {
        findings.add(new Finding(code, message, suggestion, field, part.excerpt()));
    }

    private static String format(ExpressionPart part) {
        String text = part.text();
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }

    private void constant(ExpressionPart source, Term.Constant constant) {
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
     * @param outer operator of the enclosing {@code &&} or {@code ||}, null for none
     * @return true if a finding explains why the part is constant
     */
    private boolean visit(ExpressionPart part, @Nullable Boolean outer) {
        Boolean and = logic(part);
        boolean reported = and != null && !and.equals(outer) && repeated(part, and);
        reported |= sameSides(part) || doubleNegation(part) || counted(part);
        local(part);
        boolean inner = false;
        for (ExpressionPart each : part.parts()) {
            inner |= visit(each, and);
        }
        return reported || inner || decided(part);
    }

    /** True for {@code &&}, false for {@code ||}, null for anything else. */
    private static @Nullable Boolean logic(ExpressionPart part) {
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

    private boolean decided(ExpressionPart part) {
        Term term = part.term();
        boolean tests = term != null && term.type() == RuleType.BOOL && !(term instanceof Term.Constant);
        if (!tests || part.syntax() instanceof Syntax.Name || term == null) {
            return false;
        }
        Boolean result = BooleanEquivalence.of(term);
        if (result == null) {
            return false;
        }
        add(
                LintCode.DECIDED,
                part,
                format(part) + " is always " + result,
                result ? "remove it or correct it" : "correct the condition");
        return true;
    }

    private boolean repeated(ExpressionPart part, boolean and) {
        List<ExpressionPart> sides = new ArrayList<>();
        sides(part, and, sides);
        boolean found = false;
        for (int i = 0; i < sides.size(); i++) {
            ExpressionPart side = sides.get(i);
            Term term = side.term();
            boolean before = term != null
                    && !(term instanceof Term.Constant)
                    && sides.subList(0, i).stream().anyMatch(other -> term.equals(other.term()));
            if (before) {
                found = true;
                add(LintCode.REPEATED, side, format(side) + " appears twice in " + (and ? "&&" : "||"), "remove one");
            }
        }
        return found;
    }

    private static void sides(ExpressionPart part, boolean and, List<ExpressionPart> into) {
        Boolean own = logic(part);
        if (own == null || own != and) {
            into.add(part);
        } else {
            part.parts().forEach(side -> sides(side, and, into));
        }
    }

    private boolean sameSides(ExpressionPart part) {
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
        add(LintCode.SAME_SIDES, part, "both sides of " + format(part) + " are the same", "correct one side");
        return true;
    }

    private boolean doubleNegation(ExpressionPart part) {
        boolean twice = part.syntax() instanceof Syntax.Unary outer
                && outer.operator().equals("!")
                && outer.operand() instanceof Syntax.Unary inner
                && inner.operator().equals("!");
        if (twice) {
            add(LintCode.DOUBLE_NEGATION, part, format(part) + " is negated twice", "remove both '!'");
        }
        return false;
    }

    /** Never explains why a part is constant. */
    private boolean counted(ExpressionPart part) {
        Term term = part.term();
        if (term == null || part.syntax() instanceof Syntax.Name) {
            return false;
        }
        String instead = CountedPods.instead(term);
        if (instead != null) {
            add(
                    LintCode.COUNTED_MEMBER,
                    part,
                    format(part) + " reads all pods of the node",
                    "write " + instead + ", which reads a cached count");
        } else if (term instanceof Term.Comparison comparison && testsForOne(comparison)) {
            Term.Fold count = (Term.Fold) comparison.left();
            if (CountedPods.instead(count) == null) {
                String some = "list.any(x, ...)";
                boolean none = comparison.operator().equals("<")
                        || comparison.operator().equals("<=");
                add(
                        LintCode.COUNTS_TO_TEST,
                        part,
                        format(part) + " counts all elements",
                        "write " + (none ? "!" : "") + some + ", which stops at the first match");
            }
        }
        return false;
    }

    /** True for {@code n > 0}, {@code n >= 1}, {@code n < 1} and {@code n <= 0} of a count. */
    private static boolean testsForOne(Term.Comparison comparison) {
        boolean counts = comparison.left() instanceof Term.Fold fold && fold.operation() == ListOperation.COUNT;
        double limit =
                comparison.operator().equals(">") || comparison.operator().equals("<=") ? 0 : 1;
        return counts
                && comparison.right() instanceof Term.Constant constant
                && constant.value().equals(limit);
    }

    private void local(ExpressionPart part) {
        if (part.syntax() instanceof Syntax.Local local
                && !SyntaxNames.names(local.body()).contains(local.name())) {
            add(LintCode.UNUSED_LOCAL, part, "unused local '" + local.name() + "'", "remove it");
        }
    }

    /** Finds the names and parameters in a rule, including those that folding has removed. */
    static final class SyntaxNames {
        private static final String PARAMETERS = "params";

        private final Set<String> names = new HashSet<>();
        private final Set<String> parameters = new HashSet<>();

        private SyntaxNames() {}

        static Set<String> names(Syntax syntax) {
            SyntaxNames found = new SyntaxNames();
            found.visit(syntax);
            return found.names;
        }

        /** The names in {@code params.NAME}. */
        static Set<String> parameters(Syntax syntax) {
            SyntaxNames found = new SyntaxNames();
            found.visit(syntax);
            return found.parameters;
        }

        private void visit(Syntax syntax) {
            if (syntax instanceof Syntax.Name name) {
                names.add(name.name());
            } else if (syntax instanceof Syntax.Select select
                    && select.target() instanceof Syntax.Name name
                    && name.name().equals(PARAMETERS)) {
                parameters.add(select.name());
            }
            syntax.parts().forEach(this::visit);
        }
    }

    /** The counts of a node that can replace an iteration over its pods; they are cached. */
    static final class CountedPods {
        private CountedPods() {}

        /** The replacement for a term, null for none. */
        static @Nullable String instead(Term term) {
            if (term instanceof Term.Size size && isPodsOfNode(size.list())) {
                return "node.podCount";
            }
            if (!(term instanceof Term.Fold fold) || !isPodsOfNode(fold.list())) {
                return null;
            }
            String count = count(fold.body(), fold.element());
            if (count == null) {
                return null;
            }
            if (fold.operation() == ListOperation.ANY) {
                return count + " > 0";
            }
            return fold.operation() == ListOperation.COUNT ? count : null;
        }

        private static boolean isPodsOfNode(Term list) {
            return list instanceof Term.Access access
                    && access.member().receiver() == RuleType.NODE
                    && access.member().name().equals("pods");
        }

        private static @Nullable String count(Term body, Term.Variable pod) {
            if (body instanceof Term.Not outer && outer.operand() instanceof Term.Not inner) {
                // As {@code != null} is compiled.
                return count(inner.operand(), pod);
            }
            if (body instanceof Term.Equality equality && equality.equal()) {
                String count = valued(equality.left(), equality.right(), pod);
                return count == null ? valued(equality.right(), equality.left(), pod) : count;
            }
            if (body instanceof TextTerm.Present present) {
                Term key = entry(present.text(), pod);
                return key == null ? null : withLabel(List.of(key), pod);
            }
            if (body instanceof Term.Access access) {
                boolean tests = (access.member().name().equals("hasLabel")
                                && access.receiver().equals(pod))
                        || (access.member().name().equals("containsKey") && isLabels(access.receiver(), pod));
                return tests ? withLabel(access.arguments(), pod) : null;
            }
            return null;
        }

        private static @Nullable String valued(Term operand, Term value, Term.Variable pod) {
            if (value.type() != RuleType.STRING) {
                return null;
            }
            if (operand instanceof Term.Access access && access.receiver().equals(pod)) {
                String name = access.member().name();
                if (name.equals("namespace") && !mentions(value, pod)) {
                    return call("podsInNamespace", List.of(value));
                }
                // Here, a pod without the label has the text '' and is not counted.
                boolean there = value instanceof Term.Constant constant
                        && !constant.value().equals("");
                boolean label = name.equals("label") && access.arguments().size() == 1;
                return label && there ? withLabel(List.of(access.arguments().get(0), value), pod) : null;
            }
            Term key = entry(operand, pod);
            return key == null ? null : withLabel(List.of(key, value), pod);
        }

        private static boolean isLabels(Term map, Term.Variable pod) {
            return map instanceof Term.Access labels
                    && labels.receiver().equals(pod)
                    && labels.member().name().equals("labels");
        }

        /** The key of {@code pod.labels[key]}, null for anything else. */
        private static @Nullable Term entry(Term term, Term.Variable pod) {
            boolean entry = term instanceof Term.Access access
                    && access.member().name().equals("get")
                    && isLabels(access.receiver(), pod);
            return entry ? ((Term.Access) term).arguments().get(0) : null;
        }

        private static @Nullable String withLabel(List<Term> arguments, Term.Variable pod) {
            boolean free = arguments.stream().noneMatch(argument -> mentions(argument, pod));
            boolean known = Members.find(RuleType.NODE, "podsWithLabel", arguments.size()) != null;
            return free && known ? call("podsWithLabel", arguments) : null;
        }

        private static String call(String member, List<Term> arguments) {
            return "node." + member + "("
                    + String.join(", ", arguments.stream().map(TermText::of).toList()) + ")";
        }

        private static boolean mentions(Term term, Term.Variable variable) {
            if (term.equals(variable)
                    || (term instanceof Term.Access access && mentions(access.receiver(), variable))) {
                return true;
            }
            return term.parts().stream().anyMatch(part -> mentions(part, variable));
        }
    }
}
