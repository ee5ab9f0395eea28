package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checker of {@code ==}, {@code !=}, {@code in}, and {@code contains}, and of comparisons with null. */
final class EqualityChecker {
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
        Term result = literal.isEmptyWord() ? isEmpty(value, literal, other.at()) : isNull(value, literal, other.at());
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
                Constant one = item instanceof Double number ? Constant.of(number) : Constant.of(String.valueOf(item));
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
        return in(checker.term(value), list, at, value.at(), "the left side of 'contains' must be a list of values");
    }

    private static Member containsKey() {
        Member member = Members.find(RuleType.LABELS, "containsKey", 1);
        if (member == null) {
            throw new IllegalStateException("no member containsKey");
        }
        return member;
    }
}
