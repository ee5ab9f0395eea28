package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Cost.Sizes;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.compiler.VariableScope.FreeNames;
import io.policyscheduler.engine.rules.compiler.VariableScope.NullChecks;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Set;

/** The checker of operators, choices, and locals. */
final class OperatorChecker {
    /** Values up to this cost are computed again instead of being stored in a local. */
    private static final int CHEAP = 5;

    private final Checker checker;
    private final ProblemFactory problemFactory;
    private final VariableScope scope;

    OperatorChecker(Checker checker, ProblemFactory problemFactory) {
        this.checker = checker;
        this.problemFactory = problemFactory;
        this.scope = checker.scope();
    }

    Term unary(Syntax.Unary unary) throws RuleException {
        if (unary.operator().equals("!")) {
            return checker.fold(new Term.Not(checker.bool(unary.operand(), "'!'")), unary.at());
        }
        Term operand = checker.number(unary.operand(), "'-'");
        return checker.fold(new Term.Arithmetic('-', Constant.of(0), operand), unary.at());
    }

    Term binary(Syntax.Binary binary) throws RuleException {
        String operator = binary.operator();
        String name = "'" + operator + "'";
        return switch (operator) {
            case "&&", "and" -> logic(binary, true, checker.bool(binary.left(), name));
            case "||" -> logic(binary, false, checker.bool(binary.left(), name));
            case "or" -> or(binary);
            case "==", "!=" -> checker.equalities().equality(binary);
            case "in" -> checker.equalities().in(binary.left(), binary.right(), null, binary.at());
            case "contains" -> checker.equalities().contains(binary.left(), binary.right(), binary.at());
            case "~=" ->
                checker.strings().test(operator, checker.string(binary.left(), name), binary.right(), binary.at());
            case "<", "<=", ">", ">=" -> {
                Term left = checker.number(binary.left(), name);
                Term right = checker.number(binary.right(), name);
                yield checker.fold(new Term.Comparison(operator, left, right), binary.at());
            }
            default -> {
                Term left = checker.number(binary.left(), name);
                Term right = checker.number(binary.right(), name);
                yield checker.fold(new Term.Arithmetic(operator.charAt(0), left, right), binary.at());
            }
        };
    }

    /** The right side is evaluated only if the left one does not determine the result. */
    private Term logic(Syntax.Binary binary, boolean and, Term left) throws RuleException {
        Set<Term> before = scope.assume(NullChecks.of(left, and));
        Term right = checker.bool(binary.right(), "'" + binary.operator() + "'");
        scope.forget(before);
        return checker.fold(new Term.Logic(and, left, right), binary.at());
    }

    /** Logical or for bools, a default value for strings. */
    private Term or(Syntax.Binary binary) throws RuleException {
        Term left = checker.term(binary.left());
        if (left instanceof MaybeTerm.Known known) {
            left = known.value();
        }
        if (left.type().isMaybeNumber()) {
            Term otherwise = checker.valueOf(left.type().certain(), binary.right(), "the default after 'or'");
            return new MaybeTerm.OrElse(left, otherwise);
        }
        if (left.type() == RuleType.BOOL) {
            return logic(binary, false, left);
        }
        if (!left.type().isText()) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    binary.left().at(),
                    "'or' must follow a bool or a string, not a " + left.type().label(),
                    left.type() == RuleType.NUMBER ? "compare it, or write c ? a : b" : null);
        }
        Term right = checker.string(binary.right(), "the default after 'or'");
        boolean blank = right instanceof Constant constant
                && String.valueOf(constant.value()).trim().isEmpty();
        if (blank) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    binary.right().at(),
                    "the default after 'or' is blank, which MVEL treats as null",
                    "write ....getOrDefault('key', '')");
        }
        return checker.fold(new TextTerm.OrElse(left, right), binary.at());
    }

    Term conditional(Syntax.Conditional conditional) throws RuleException {
        String word = "'" + conditional.word() + "'";
        Term condition = checker.bool(conditional.condition(), "the condition of " + word);
        Set<Term> before = scope.assume(NullChecks.of(condition, true));
        Term yes = checker.term(conditional.yes());
        scope.forget(before);
        scope.assume(NullChecks.of(condition, false));
        Term no = checker.term(conditional.no());
        scope.forget(before);
        if (yes.type() == RuleType.NUMBER) {
            no = checker.quantity(no, conditional.no().at());
        } else if (no.type() == RuleType.NUMBER) {
            yes = checker.quantity(yes, conditional.yes().at());
        }
        requireOneType(yes, conditional.yes(), no, conditional.no(), conditional);
        return checker.fold(new Term.Choice(condition, yes, no), conditional.at());
    }

    private void requireOneType(Term yes, Syntax yesSyntax, Term no, Syntax noSyntax, Syntax.Conditional conditional)
            throws RuleException {
        if (yes.type() == RuleType.MAYBE && no.type().isText()) {
            throw checker.missing(yes, yesSyntax.at());
        }
        if (no.type() == RuleType.MAYBE && yes.type() == RuleType.STRING) {
            throw checker.missing(no, noSyntax.at());
        }
        if (yes.type().isMaybeNumber() && yes.type().certain() == no.type().certain()) {
            throw checker.missing(yes, yesSyntax.at());
        }
        if (no.type().isMaybeNumber() && yes.type() == no.type().certain()) {
            throw checker.missing(no, noSyntax.at());
        }
        if (yes.type() != no.type() || !yes.type().isScalar()) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    conditional.at(),
                    "the branches of '" + conditional.word() + "' are a "
                            + yes.type().label() + " and a " + no.type().label(),
                    "both must be bools, numbers, or strings");
        }
    }

    /** {@code name = value;} and what follows. */
    Term local(Syntax.Local local) throws RuleException {
        String name = local.name();
        if (checker.isBound(name) || name.equals(FreeNames.ELEMENT)) {
            boolean own = scope.find(name) != null;
            throw problemFactory.at(
                    RuleCode.ASSIGNMENT,
                    local.at(),
                    "'" + PrintableText.text(name) + "' " + (own ? "already has a value" : "cannot be changed"),
                    "use another name; rules cannot change values");
        }
        Term checked = checker.term(local.value());
        // The name can be compared with null again, like its value.
        Term value = whole(checked);
        if (value instanceof TableTerm.Row row && !isPlain(row.key())) {
            return record(local, row);
        }
        if (isPlain(value)) {
            scope.alias(name, value);
            Term body = checker.term(local.body());
            scope.unbind();
            return body;
        }
        Term.Variable variable = scope.next(value.type(), name);
        scope.bind(variable);
        Set<Term> before = scope.assume(value.equals(checked) ? Set.of() : Set.of(variable));
        Term body = checker.term(local.body());
        scope.forget(before);
        scope.unbind();
        return new Term.Let(variable, value, body);
    }

    /** Drops what is known about the value. */
    private static Term whole(Term value) {
        if (value instanceof TextTerm.Known known) {
            return known.text();
        }
        return value instanceof MaybeTerm.Known known ? known.value() : value;
    }

    /** A local record: its key is computed once. */
    private Term record(Syntax.Local local, TableTerm.Row row) throws RuleException {
        Term.Variable key = scope.next(row.key().type(), local.name());
        scope.bind(key);
        scope.alias(local.name(), new TableTerm.Row(row.table(), key));
        Term body = checker.term(local.body());
        scope.unbind();
        scope.unbind();
        return new Term.Let(key, row.key(), body);
    }

    /** True for a value that need not be stored: it never fails and is cheap. */
    private static boolean isPlain(Term value) {
        if (value instanceof Constant || value instanceof Term.Variable) {
            return true;
        }
        if (value instanceof TableTerm.All || value instanceof TableTerm.Named) {
            return true;
        }
        if (value instanceof TableTerm.Row row) {
            return isPlain(row.key());
        }
        return value instanceof Term.Access access
                && !Sizes.mayFail(access)
                && access.member().cost() <= CHEAP
                && access.arguments().stream().allMatch(Constant.class::isInstance)
                && isPlain(access.receiver());
    }
}
