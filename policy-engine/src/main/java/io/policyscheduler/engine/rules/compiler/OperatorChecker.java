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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    /** The checker of {@code ==}, {@code !=}, {@code in}, and {@code contains}, and of comparisons with null. */
    static final class EqualityChecker {
        private final Checker checker;
        private final ProblemFactory problemFactory;

        EqualityChecker(Checker checker, ProblemFactory problemFactory) {
            this.checker = checker;
            this.problemFactory = problemFactory;
        }

        Term equality(Syntax.Binary binary) throws RuleException {
            boolean equal = binary.operator().equals("==");
            if (binary.right() instanceof Syntax.NullLiteral literal) {
                return withNull(binary, binary.left(), literal, equal);
            }
            if (binary.left() instanceof Syntax.NullLiteral literal) {
                if (literal.isEmptyWord()) {
                    throw problemFactory.at(
                            RuleCode.TYPE,
                            literal.at(),
                            "'empty' is on the left, where MVEL returns a different result",
                            "write ... " + binary.operator() + " empty");
                }
                return withNull(binary, binary.right(), literal, equal);
            }
            Term left = checker.term(binary.left());
            Term right = checker.term(binary.right());
            if (left.type().certain() == RuleType.NUMBER) {
                right = checker.quantity(right, binary.right().at());
            } else if (right.type().certain() == RuleType.NUMBER) {
                left = checker.quantity(left, binary.left().at());
            }
            if (left.type().isMaybeNumber() || right.type().isMaybeNumber()) {
                return maybes(binary, left, right, equal);
            }
            boolean comparable = left.type().isScalar() && left.type() == right.type();
            if (!comparable && !(left.type().isText() && right.type().isText())) {
                boolean values = (left.type().isScalar() || left.type().isText())
                        && (right.type().isScalar() || right.type().isText());
                boolean map = left.type().isMap() || right.type().isMap();
                throw problemFactory.at(
                        RuleCode.TYPE,
                        binary.at(),
                        "'" + binary.operator() + "' between a " + left.type().label() + " and a "
                                + right.type().label(),
                        values
                                ? "both sides must have the same type; number('...', 0) converts a string"
                                : map ? "compare one of its entries: ...['key']" : "compare one of its members");
            }
            return checker.fold(new Term.Equality(equal, left, right), binary.at());
        }

        /** Missing values equal only missing values. */
        private Term maybes(Syntax.Binary binary, Term left, Term right, boolean equal) throws RuleException {
            if (left.type().certain() != right.type().certain()) {
                throw problemFactory.at(
                        RuleCode.TYPE,
                        binary.at(),
                        "'" + binary.operator() + "' between a " + left.type().label() + " and a "
                                + right.type().label(),
                        "both sides must have the same type");
            }
            boolean leftMaybe = left.type().isMaybe();
            boolean rightMaybe = right.type().isMaybe();
            Term same = new Term.Equality(true, certain(left), certain(right));
            Term result = new Term.Logic(true, new MaybeTerm.Present(rightMaybe ? right : left), same);
            if (leftMaybe && rightMaybe) {
                Term none = new Term.Not(new MaybeTerm.Present(right));
                result = new Term.Choice(new MaybeTerm.Present(left), result, none);
            }
            return equal ? result : new Term.Not(result);
        }

        private static Term certain(Term term) {
            return term.type().isMaybe() ? new MaybeTerm.Known(term) : term;
        }

        private Term withNull(Syntax.Binary binary, Syntax other, Syntax.NullLiteral literal, boolean equal)
                throws RuleException {
            Term value = checker.term(other);
            if (value instanceof TextTerm.Known known) {
                value = known.text();
            }
            if (value instanceof MaybeTerm.Known known) {
                value = known.value();
            }
            Term result =
                    literal.isEmptyWord() ? isEmpty(value, literal, other.at()) : isNull(value, literal, other.at());
            return checker.fold(equal ? result : new Term.Not(result), binary.at());
        }

        private static Term isNull(Term value) {
            return new Term.Not(new TextTerm.Present(value));
        }

        private Term isNull(Term value, Syntax.NullLiteral literal, int at) throws RuleException {
            if (value.type() == RuleType.MAYBE) {
                return isNull(value);
            }
            if (value.type().isMaybe()) {
                return new Term.Not(new MaybeTerm.Present(value));
            }
            if (value instanceof TableTerm.Row row) {
                return new Term.Not(TableChecker.has(row));
            }
            String hint = switch (value.type()) {
                case STRING -> "compare it with ''";
                case NUMBER -> "compare it with 0";
                case BOOL -> "a bool is true or false";
                case LABELS -> "use .isEmpty(), or compare an entry: ...['key']";
                case AMOUNTS -> "compare one of its entries with 0: ...['cpu']";
                default -> value.type().element() == null ? "compare one of its members" : "use .isEmpty()";
            };
            throw problemFactory.at(
                    RuleCode.TYPE,
                    at,
                    "'" + literal.word() + "' next to a " + value.type().label() + ", which is never null",
                    hint);
        }

        private Term isEmpty(Term value, Syntax.NullLiteral literal, int at) throws RuleException {
            if (value.type().isText()) {
                return new TextTerm.Blank(value);
            }
            if (value.type().element() != null) {
                return checker.lists().isEmpty(value);
            }
            String hint = switch (value.type()) {
                case NUMBER -> "compare it with 0";
                case MAYBE_NUMBER, MAYBE_BOOL, RECORD -> "compare it with null";
                case TABLE -> "use .isEmpty()";
                case BOOL -> "write !... for false";
                case LABELS -> "use .isEmpty(); in MVEL, a map without entries is not 'empty'";
                default -> "'empty' is only valid for strings and lists";
            };
            throw problemFactory.at(
                    RuleCode.TYPE,
                    at,
                    "'" + literal.word() + "' next to a " + value.type().label(),
                    hint);
        }

        /** @param checked the list, if already checked */
        Term in(Syntax left, Syntax right, @Nullable Term checked, int at) throws RuleException {
            Term value = checker.term(left);
            if (right instanceof Syntax.ListLiteral list) {
                return among(value, items(value, list), at);
            }
            Term list = checked == null ? checker.term(right) : checked;
            return in(value, list, right.at(), at, "the right side of 'in' must be a list");
        }

        private Term among(Term value, List<Term> items, int at) throws RuleException {
            if (value.type().isMaybeNumber()) {
                Term in = new Term.In(new MaybeTerm.Known(value), items);
                return new Term.Logic(true, new MaybeTerm.Present(value), in);
            }
            return checker.fold(new Term.In(value, items), at);
        }

        private List<Term> items(Term value, Syntax.ListLiteral list) throws RuleException {
            List<Term> items = new ArrayList<>();
            for (Syntax item : list.items()) {
                items.add(item(value, checker.term(item), item.at()));
            }
            return List.copyOf(items);
        }

        private Term in(Term value, Term list, int listAt, int at, String expected) throws RuleException {
            if (list instanceof Constant constant && constant.value() instanceof List<?> values) {
                List<Term> items = new ArrayList<>();
                for (Object item : values) {
                    Constant one =
                            item instanceof Double number ? Constant.of(number) : Constant.of(String.valueOf(item));
                    items.add(item(value, one, listAt));
                }
                return among(value, List.copyOf(items), at);
            }
            RuleType element = list.type().element();
            if (element == null || !element.isScalar()) {
                throw problemFactory.at(
                        RuleCode.TYPE,
                        listAt,
                        expected + ", not a " + list.type().label(),
                        list.type() == RuleType.LABELS
                                ? "write .containsKey(...)"
                                : list.type().isObjectList()
                                        ? "use any: list.any(x, x.name == ...)"
                                        : "write value in ['a', 'b'] or use a parameter that is a list");
            }
            Term typed = element == RuleType.NUMBER ? checker.quantity(value, at) : value;
            if (typed.type() != element) {
                if (typed.type().isMaybe() && typed.type().certain() == element) {
                    throw checker.missing(typed, at);
                }
                throw problemFactory.at(
                        RuleCode.TYPE,
                        at,
                        "a " + typed.type().label() + " is compared with the items of a "
                                + list.type().label(),
                        "both must have the same type");
            }
            return new Term.Contains(list, typed);
        }

        private Term item(Term value, Term item, int at) throws RuleException {
            Term typed = value.type().certain() == RuleType.NUMBER ? checker.quantity(item, at) : item;
            if (typed.type().isMaybe() && typed.type().certain() == value.type().certain()) {
                throw checker.missing(typed, at);
            }
            boolean fits = typed.type() == value.type().certain();
            if (!typed.type().isScalar() || !fits) {
                throw problemFactory.at(
                        RuleCode.TYPE,
                        at,
                        "a " + value.type().label() + " is compared with the items of a "
                                + typed.type().label(),
                        "all items must have the type of the value");
            }
            return typed;
        }

        /** {@code left contains right} for strings, lists and maps. */
        Term contains(Syntax left, Syntax right, int at) throws RuleException {
            if (left instanceof Syntax.ListLiteral list) {
                Term value = checker.term(right);
                return among(value, items(value, list), at);
            }
            Term container = checker.term(left);
            if (container instanceof TableTerm.Named named) {
                return checker.tables().has(named.table(), right);
            }
            if (container.type() == RuleType.LABELS) {
                return new Term.Access(container, containsKey(), List.of(checker.string(right, "'contains'")));
            }
            if (container.type().element() != null) {
                return listContains(container, right, at);
            }
            return checker.strings().test("contains", checker.string(container, left.at(), "'contains'"), right, at);
        }

        /** Whether a list contains a value. */
        Term listContains(Term list, Syntax value, int at) throws RuleException {
            return in(
                    checker.term(value), list, at, value.at(), "the left side of 'contains' must be a list of values");
        }

        private static Member containsKey() {
            Member member = Members.find(RuleType.LABELS, "containsKey", 1);
            if (member == null) {
                throw new IllegalStateException("no member containsKey");
            }
            return member;
        }
    }
}
