package io.policyscheduler.engine.rules.check;

import io.policyscheduler.engine.rules.syntax.Parser;
import io.policyscheduler.engine.rules.syntax.Refusal;
import io.policyscheduler.engine.rules.syntax.RuleCode;
import io.policyscheduler.engine.rules.syntax.RuleException;
import io.policyscheduler.engine.rules.syntax.RuleLimits;
import io.policyscheduler.engine.rules.syntax.Shown;
import io.policyscheduler.engine.rules.syntax.Syntax;
import io.policyscheduler.engine.rules.term.Cost;
import io.policyscheduler.engine.rules.term.Term;
import io.policyscheduler.engine.rules.term.Term.Constant;
import io.policyscheduler.engine.rules.value.QuantityText;
import io.policyscheduler.engine.rules.value.RuleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Resolves names, checks types and folds constants of one expression. */
public final class Checker {
    private final Refusal refusal;
    private final Map<String, Constant> parameters;
    private final RuleLimits limits;
    private final AccessChecker accesses;

    private Checker(Refusal refusal, Map<String, Constant> parameters, RuleLimits limits, boolean podOnly) {
        this.refusal = refusal;
        this.parameters = parameters;
        this.limits = limits;
        this.accesses = new AccessChecker(this, refusal, limits, podOnly);
    }

    Map<String, Constant> parameters() {
        return parameters;
    }

    /**
     * The checked tree of a whole expression.
     *
     * @param parameters values of {@code params.NAME}: Boolean, Number, String, or a list of Numbers or Strings
     * @param wanted type that it must have
     * @param podOnly the expression may look at the pod only
     * @throws RuleException when it is refused
     */
    public static Term check(
            String expression, Map<String, ?> parameters, RuleType wanted, RuleLimits limits, boolean podOnly)
            throws RuleException {
        Refusal refusal = new Refusal(expression);
        Map<String, Constant> constants = Parameters.of(parameters, refusal, limits);
        Syntax syntax = Parser.parse(expression, limits);
        return new Checker(refusal, constants, limits, podOnly).check(syntax, wanted);
    }

    private Term check(Syntax syntax, RuleType wanted) throws RuleException {
        Term term = term(syntax);
        if (wanted == RuleType.NUMBER) {
            term = quantity(term, syntax.at());
        }
        if (term.type() != wanted) {
            throw refusal.at(
                    RuleCode.RESULT,
                    0,
                    "the expression is a " + term.type().label() + ", it must be a " + wanted.label(),
                    wanted == RuleType.BOOL ? "compare it with something" : "use condition ? 100 : 0");
        }
        long cost = Cost.of(term);
        if (cost > limits.cost()) {
            throw refusal.at(
                    RuleCode.COST,
                    0,
                    "one evaluation may cost " + cost + ", at most " + limits.cost() + " is allowed",
                    "avoid list operations within list operations");
        }
        return term;
    }

    Term term(Syntax syntax) throws RuleException {
        if (syntax instanceof Syntax.NumberLiteral literal) {
            return Constant.of(Double.parseDouble(literal.digits()));
        }
        if (syntax instanceof Syntax.StringLiteral literal) {
            return Constant.of(literal.value());
        }
        if (syntax instanceof Syntax.BoolLiteral literal) {
            return Constant.of(literal.value());
        }
        if (syntax instanceof Syntax.Unary unary) {
            return unary(unary);
        }
        if (syntax instanceof Syntax.Binary binary) {
            return binary(binary);
        }
        if (syntax instanceof Syntax.Conditional conditional) {
            return conditional(conditional);
        }
        if (syntax instanceof Syntax.ListLiteral literal) {
            throw refusal.at(
                    RuleCode.LIST,
                    literal.at(),
                    "a list stands only on the right of 'in'",
                    "write value in ['a', 'b']");
        }
        return accesses.check(syntax);
    }

    private Term unary(Syntax.Unary unary) throws RuleException {
        if (unary.operator().equals("!")) {
            return Folding.fold(new Term.Not(bool(unary.operand(), "'!'")), refusal, unary.at());
        }
        Term operand = number(unary.operand(), "'-'");
        return Folding.fold(new Term.Arithmetic('-', Constant.of(0), operand), refusal, unary.at());
    }

    private Term binary(Syntax.Binary binary) throws RuleException {
        String operator = binary.operator();
        String name = "'" + operator + "'";
        return switch (operator) {
            case "&&", "||" -> {
                Term left = bool(binary.left(), name);
                Term right = bool(binary.right(), name);
                yield Folding.fold(new Term.Logic(operator.equals("&&"), left, right), refusal, binary.at());
            }
            case "==", "!=" -> equality(binary);
            case "in" -> in(binary);
            case "<", "<=", ">", ">=" -> {
                Term left = number(binary.left(), name);
                Term right = number(binary.right(), name);
                yield Folding.fold(new Term.Comparison(operator, left, right), refusal, binary.at());
            }
            default -> {
                Term left = number(binary.left(), name);
                Term right = number(binary.right(), name);
                yield Folding.fold(new Term.Arithmetic(operator.charAt(0), left, right), refusal, binary.at());
            }
        };
    }

    private Term equality(Syntax.Binary binary) throws RuleException {
        Term left = term(binary.left());
        Term right = term(binary.right());
        if (left.type() == RuleType.NUMBER) {
            right = quantity(right, binary.right().at());
        } else if (right.type() == RuleType.NUMBER) {
            left = quantity(left, binary.left().at());
        }
        if (!left.type().isScalar() || left.type() != right.type()) {
            throw refusal.at(
                    RuleCode.TYPE,
                    binary.at(),
                    "'" + binary.operator() + "' between a " + left.type().label() + " and a "
                            + right.type().label(),
                    left.type().isScalar() && right.type().isScalar()
                            ? "both sides must be of one type; number('...', 0) reads a number"
                            : "compare one of its members");
        }
        return Folding.fold(new Term.Equality(binary.operator().equals("=="), left, right), refusal, binary.at());
    }

    private Term in(Syntax.Binary binary) throws RuleException {
        Term value = term(binary.left());
        List<Term> items = new ArrayList<>();
        if (binary.right() instanceof Syntax.ListLiteral list) {
            for (Syntax item : list.items()) {
                items.add(item(value, term(item), item.at()));
            }
        } else {
            Term list = term(binary.right());
            if (!(list instanceof Constant constant) || !(constant.value() instanceof List<?> values)) {
                throw refusal.at(
                        RuleCode.TYPE,
                        binary.right().at(),
                        "'in' needs a list on its right, found a " + list.type().label(),
                        "write value in ['a', 'b'] or use a parameter that is a list");
            }
            for (Object item : values) {
                Constant one = item instanceof Double number ? Constant.of(number) : Constant.of(String.valueOf(item));
                items.add(item(value, one, binary.right().at()));
            }
        }
        return Folding.fold(new Term.In(value, List.copyOf(items)), refusal, binary.at());
    }

    private Term item(Term value, Term item, int at) throws RuleException {
        Term typed = value.type() == RuleType.NUMBER ? quantity(item, at) : item;
        if (!value.type().isScalar() || typed.type() != value.type()) {
            throw refusal.at(
                    RuleCode.TYPE,
                    at,
                    "a " + value.type().label() + " is looked for among a "
                            + typed.type().label(),
                    "all items must be of the type of the value");
        }
        return typed;
    }

    private Term conditional(Syntax.Conditional conditional) throws RuleException {
        Term condition = bool(conditional.condition(), "the condition of '?'");
        Term yes = term(conditional.yes());
        Term no = term(conditional.no());
        if (yes.type() == RuleType.NUMBER) {
            no = quantity(no, conditional.no().at());
        } else if (no.type() == RuleType.NUMBER) {
            yes = quantity(yes, conditional.yes().at());
        }
        if (yes.type() != no.type() || !yes.type().isScalar()) {
            throw refusal.at(
                    RuleCode.TYPE,
                    conditional.at(),
                    "the choices of '?' are a " + yes.type().label() + " and a "
                            + no.type().label(),
                    "both must be bools, numbers or strings");
        }
        return Folding.fold(new Term.Choice(condition, yes, no), refusal, conditional.at());
    }

    Term bool(Syntax syntax, String where) throws RuleException {
        Term term = term(syntax);
        if (term.type() != RuleType.BOOL) {
            throw refusal.at(
                    RuleCode.TYPE,
                    syntax.at(),
                    where + " needs a bool, found a " + term.type().label(),
                    term.type() == RuleType.STRING ? "compare it: ... != ''" : "compare it with something");
        }
        return term;
    }

    /** A number, or a string literal that is a quantity. */
    Term number(Syntax syntax, String where) throws RuleException {
        Term term = quantity(term(syntax), syntax.at());
        if (term.type() != RuleType.NUMBER) {
            throw refusal.at(
                    RuleCode.TYPE,
                    syntax.at(),
                    where + " needs a number, found a " + term.type().label(),
                    term.type() == RuleType.STRING ? "read it: number(..., 0)" : null);
        }
        return term;
    }

    Term string(Syntax syntax, String where) throws RuleException {
        Term term = term(syntax);
        if (term.type() != RuleType.STRING) {
            throw refusal.at(
                    RuleCode.TYPE,
                    syntax.at(),
                    where + " needs a string, found a " + term.type().label(),
                    null);
        }
        return term;
    }

    /** Reads a string constant as a quantity where a number is needed; anything else stays as it is. */
    Term quantity(Term term, int at) throws RuleException {
        @Nullable Object value = term instanceof Constant constant ? constant.value() : null;
        if (!(value instanceof String text)) {
            return term;
        }
        double amount = QuantityText.parse(text);
        if (Double.isNaN(amount)) {
            throw refusal.at(
                    RuleCode.QUANTITY,
                    at,
                    "'" + Shown.text(text) + "' stands where a number is needed and is not a quantity",
                    "write a number, or a quantity such as '512Mi' or '250m'");
        }
        return Constant.of(amount);
    }
}
