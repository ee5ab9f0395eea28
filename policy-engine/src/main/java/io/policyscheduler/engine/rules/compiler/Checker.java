package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.FunctionChecker.StringMethods;
import io.policyscheduler.engine.rules.compiler.OperatorChecker.EqualityChecker;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.compiler.Syntax.ParsedRule;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.compiler.VariableScope.FreeNames;
import io.policyscheduler.engine.rules.data.QuantityText;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The type checker of one rule: resolves names, checks types, and folds constants. Delegates to one class per kind of syntax. */
public final class Checker {
    private final ProblemFactory problemFactory;
    private final Function<Term, Constant> evaluator;
    private final Map<String, Constant> parameters;
    private final RuleLimits limits;
    private final VariableScope scope = new VariableScope();
    /** By identity: equal parts can have different meanings in different places. */
    private final Map<Syntax, Term> terms = new IdentityHashMap<>();

    private final AccessChecker accesses;
    private final FunctionChecker functions;
    private final StringMethods strings;
    private final ListChecker lists;
    private final EqualityChecker equalities;
    private final OperatorChecker operators;
    private final TableChecker tables;

    @SuppressWarnings("this-escape")
    private Checker(
            ProblemFactory problemFactory,
            Map<String, Constant> parameters,
            RuleLimits limits,
            boolean podOnly,
            Map<String, TableSchema> schemas,
            Function<Term, Constant> evaluator) {
        this.problemFactory = problemFactory;
        this.evaluator = evaluator;
        this.parameters = parameters;
        this.limits = limits;
        this.tables = new TableChecker(this, problemFactory, schemas);
        this.accesses = new AccessChecker(this, problemFactory, podOnly);
        this.functions = new FunctionChecker(this, problemFactory);
        this.strings = new StringMethods(this, problemFactory, limits);
        this.lists = new ListChecker(this, problemFactory, limits);
        this.equalities = new EqualityChecker(this, problemFactory);
        this.operators = new OperatorChecker(this, problemFactory);
    }

    Map<String, Constant> parameters() {
        return parameters;
    }

    VariableScope scope() {
        return scope;
    }

    FunctionChecker functions() {
        return functions;
    }

    StringMethods strings() {
        return strings;
    }

    ListChecker lists() {
        return lists;
    }

    EqualityChecker equalities() {
        return equalities;
    }

    TableChecker tables() {
        return tables;
    }

    /** True if a name is bound at the current position. */
    boolean isBound(String name) {
        return accesses.isBound(name);
    }

    /**
     * The checked tree of an expression, with the term of each part.
     *
     * @param parameters values of {@code params.NAME}: Boolean, Number, String, or a list of Numbers or Strings
     * @param expected the required type
     * @param podOnly whether the expression can read the pod only
     * @param tables by name
     * @param evaluator evaluates constant terms
     * @throws RuleException if it is invalid
     */
    public static Checked check(
            String expression,
            Map<String, ?> parameters,
            RuleType expected,
            RuleLimits limits,
            boolean podOnly,
            Map<String, TableSchema> tables,
            Function<Term, Constant> evaluator)
            throws RuleException {
        ProblemFactory problemFactory = new ProblemFactory(expression);
        Map<String, Constant> constants = Parameters.of(parameters, problemFactory, limits);
        ParsedRule parsed = Parser.parse(expression, limits);
        Checker checker = new Checker(problemFactory, constants, limits, podOnly, tables, evaluator);
        Term term = checker.check(parsed.root(), expected);
        checker.terms.put(parsed.root(), term);
        return new Checked(term, ExpressionPart.of(expression, parsed, checker.terms));
    }

    /**
     * Returns the value of a constant term, the branch that a constant selects, or the term itself.
     *
     * @throws RuleException if the constant evaluation fails
     */
    Term fold(Term term, int at) throws RuleException {
        if (term instanceof Term.Logic logic && logic.left() instanceof Constant left) {
            boolean decided = left.value().equals(!logic.and());
            return decided ? left : logic.right();
        }
        if (term instanceof Term.Choice choice && choice.condition() instanceof Constant condition) {
            return condition.value().equals(true) ? choice.yes() : choice.no();
        }
        for (Term part : term.parts()) {
            if (!(part instanceof Constant)) {
                return term;
            }
        }
        try {
            return evaluator.apply(term);
        } catch (RuleFailure e) {
            throw problemFactory.at(
                    RuleCode.CONSTANT, at, "this always fails: " + e.kind().text(), null);
        }
    }

    private Term check(Syntax syntax, RuleType expected) throws RuleException {
        Term term = term(syntax);
        if (expected == RuleType.NUMBER) {
            term = quantity(term, syntax.at());
        }
        if (term.type().isMaybe() && term.type().certain() == expected) {
            throw missing(term, syntax.at());
        }
        if (term.type() != expected) {
            throw problemFactory.at(
                    RuleCode.RESULT,
                    0,
                    "the expression is a " + term.type().label() + "; it must be a " + expected.label(),
                    expected == RuleType.BOOL ? "compare it with a value" : "use condition ? 100 : 0");
        }
        long cost = Cost.of(term);
        if (cost > limits.cost()) {
            throw problemFactory.at(
                    RuleCode.COST,
                    0,
                    "the estimated cost of one evaluation is " + cost + "; the limit is " + limits.cost() + "",
                    "avoid nested list operations");
        }
        return term;
    }

    Term term(Syntax syntax) throws RuleException {
        Term term = made(syntax);
        terms.put(syntax, term);
        return term;
    }

    private Term made(Syntax syntax) throws RuleException {
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
            return operators.unary(unary);
        }
        if (syntax instanceof Syntax.Binary binary) {
            return operators.binary(binary);
        }
        if (syntax instanceof Syntax.Conditional conditional) {
            return operators.conditional(conditional);
        }
        if (syntax instanceof Syntax.Local local) {
            return operators.local(local);
        }
        if (syntax instanceof Syntax.Projection projection) {
            return projection(projection);
        }
        return access(syntax);
    }

    private Term access(Syntax syntax) throws RuleException {
        if (syntax instanceof Syntax.Name name) {
            return accesses.name(name);
        }
        if (syntax instanceof Syntax.Select select) {
            return accesses.select(select);
        }
        if (syntax instanceof Syntax.Index index) {
            return accesses.index(index);
        }
        if (syntax instanceof Syntax.MethodCall call) {
            return accesses.method(call);
        }
        if (syntax instanceof Syntax.FunctionCall call) {
            return functions.function(call);
        }
        if (syntax instanceof Syntax.NullLiteral literal) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    literal.at(),
                    "'" + literal.word() + "' is only valid next to == and !=",
                    "write node.labels['x'] == " + literal.word());
        }
        throw problemFactory.at(
                RuleCode.LIST,
                syntax.at(),
                "a list is only valid on the right of 'in' and on the left of 'contains'",
                "write value in ['a', 'b']");
    }

    /** A plain {@code in} in parentheses is ambiguous until the type of the list is known. */
    private Term projection(Syntax.Projection projection) throws RuleException {
        boolean literal = projection.list() instanceof Syntax.ListLiteral;
        Term list = literal ? null : term(projection.list());
        if (list != null && list.type().isObjectList()) {
            return lists.projection(projection, list);
        }
        if (projection.condition() != null) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    projection.list().at(),
                    "'if' filters a list of objects, not a "
                            + (list == null ? "list of literals" : list.type().label()),
                    "filter pods, containers, taints, or tolerations");
        }
        boolean ofValues = list != null && list.type().element() != null && !(list instanceof Constant);
        if (ofValues && FreeNames.element(projection.value(), this::isBound) != null) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    projection.at(),
                    "the list on the right already contains values, not objects",
                    "use one projection: ($.name.toUpperCase() in node.pods)");
        }
        return equalities.in(projection.value(), projection.list(), list, projection.at());
    }

    /** The error for an optional value where a value is required. */
    RuleException missing(Term term, int at) {
        String text = PrintableText.text(TermText.of(term));
        return problemFactory.at(
                RuleCode.MISSING,
                at,
                text + " may be missing",
                "give a default: (" + text + " or " + example(term.type()) + "); or check first: " + text
                        + " != null && ...");
    }

    private static String example(RuleType maybe) {
        return switch (maybe) {
            case MAYBE_NUMBER -> "0";
            case MAYBE_BOOL -> "false";
            default -> "'none'";
        };
    }

    /** Unwraps an optional value where it is known to exist. */
    Term known(Term term) {
        if (!term.type().isMaybe() || !scope.isPresent(term)) {
            return term;
        }
        return term.type() == RuleType.MAYBE ? new TextTerm.Known(term) : new MaybeTerm.Known(term);
    }

    /** A scalar of this type. */
    Term valueOf(RuleType type, Syntax syntax, String where) throws RuleException {
        return switch (type) {
            case BOOL -> bool(syntax, where);
            case NUMBER -> number(syntax, where);
            default -> string(syntax, where);
        };
    }

    Term bool(Syntax syntax, String where) throws RuleException {
        Term term = term(syntax);
        if (term.type() == RuleType.MAYBE_BOOL) {
            throw missing(term, syntax.at());
        }
        if (term.type() != RuleType.BOOL) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    syntax.at(),
                    where + " must be a bool, not a " + term.type().label(),
                    switch (term.type()) {
                        case STRING -> "compare it: ... != ''";
                        case MAYBE -> "compare it: ... != null";
                        default -> "compare it with a value";
                    });
        }
        return term;
    }

    /** A number, or a string literal that is a quantity. */
    Term number(Syntax syntax, String where) throws RuleException {
        Term term = quantity(term(syntax), syntax.at());
        if (term.type() == RuleType.MAYBE_NUMBER) {
            throw missing(term, syntax.at());
        }
        if (term.type() != RuleType.NUMBER) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    syntax.at(),
                    where + " must be a number, not a " + term.type().label(),
                    term.type().isText() ? "convert it: number(..., 0)" : null);
        }
        return term;
    }

    Term string(Syntax syntax, String where) throws RuleException {
        return string(term(syntax), syntax.at(), where);
    }

    /** Returns the term, which must be a string. */
    Term string(Term term, int at, String where) throws RuleException {
        if (term.type() == RuleType.MAYBE) {
            throw missing(term, at);
        }
        if (term.type() != RuleType.STRING) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    at,
                    where + " must be a string, not a " + term.type().label(),
                    null);
        }
        return term;
    }

    /** Parses a string constant as a quantity where a number is required; returns other terms unchanged. */
    Term quantity(Term term, int at) throws RuleException {
        @Nullable Object value = term instanceof Constant constant ? constant.value() : null;
        if (!(value instanceof String text)) {
            return term;
        }
        double amount = QuantityText.parse(text);
        if (Double.isNaN(amount)) {
            throw problemFactory.at(
                    RuleCode.QUANTITY,
                    at,
                    "'" + PrintableText.text(text) + "' is not a quantity, but a number is required here",
                    "write a number or a quantity, such as '512Mi' or '250m'");
        }
        return Constant.of(amount);
    }

    /**
     * A checked rule.
     *
     * @param term the executable term
     * @param source the rule as written, with the term of each of its parts
     */
    public record Checked(Term term, ExpressionPart source) {}

    /** The values of {@code params.NAME} of one expression. */
    static final class Parameters {
        private final ProblemFactory problemFactory;
        private final RuleLimits limits;

        private Parameters(ProblemFactory problemFactory, RuleLimits limits) {
            this.problemFactory = problemFactory;
            this.limits = limits;
        }

        /** As constants, sorted by name. */
        static Map<String, Constant> of(Map<String, ?> values, ProblemFactory problemFactory, RuleLimits limits)
                throws RuleException {
            Parameters parameters = new Parameters(problemFactory, limits);
            Map<String, Constant> constants = new TreeMap<>();
            for (Map.Entry<String, ?> value : values.entrySet()) {
                constants.put(value.getKey(), parameters.constant(value.getKey(), value.getValue()));
            }
            return Collections.unmodifiableMap(constants);
        }

        private Constant constant(String name, Object value) throws RuleException {
            if (value instanceof List<?> list) {
                List<Object> items = new ArrayList<>();
                RuleType type = RuleType.STRING;
                for (Object item : list) {
                    Constant one = constant(name, item);
                    boolean mixed = !items.isEmpty() && one.type() != type;
                    type = one.type();
                    if (mixed || type == RuleType.BOOL || !type.isScalar()) {
                        throw problemFactory.at(
                                RuleCode.LIST,
                                0,
                                "params." + name + " mixes types",
                                "use only strings or only numbers");
                    }
                    items.add(one.value());
                }
                if (items.isEmpty() || items.size() > limits.listItems()) {
                    throw problemFactory.at(
                            RuleCode.LIST,
                            0,
                            "params." + name + " has " + items.size() + " items; the limits are 1 and "
                                    + limits.listItems(),
                            null);
                }
                return new Constant(type == RuleType.NUMBER ? RuleType.NUMBERS : RuleType.STRINGS, List.copyOf(items));
            }
            if (value instanceof Boolean bool) {
                return Constant.of(bool);
            }
            if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
                return Constant.of(number.doubleValue() + 0.0);
            }
            if (value instanceof String text && text.length() <= limits.length() && isPrintable(text)) {
                return Constant.of(text);
            }
            throw problemFactory.at(
                    RuleCode.PARAMETER,
                    0,
                    "params." + name + " has an unsupported value",
                    "use bools, numbers, strings of printable ASCII, or lists of numbers or strings");
        }

        private static boolean isPrintable(String text) {
            return text.chars().allMatch(c -> c >= ' ' && c <= '~');
        }
    }
}
