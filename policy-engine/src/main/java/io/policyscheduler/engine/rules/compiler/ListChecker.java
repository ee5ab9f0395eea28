package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.AccessChecker.MemberProblems;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term.Variable;
import io.policyscheduler.engine.rules.compiler.VariableScope.FreeNames;
import io.policyscheduler.engine.rules.compiler.VariableScope.NullChecks;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The checker of list operations and projections. */
final class ListChecker {
    private final Checker checker;
    private final ProblemFactory problemFactory;
    private final RuleLimits limits;
    private final VariableScope scope;
    private final MemberProblems problems;

    ListChecker(Checker checker, ProblemFactory problemFactory, RuleLimits limits) {
        this.checker = checker;
        this.problemFactory = problemFactory;
        this.limits = limits;
        this.scope = checker.scope();
        this.problems = new MemberProblems(problemFactory);
    }

    /** The list operation with this name, null for none. */
    static @Nullable ListOperation operation(String name) {
        for (ListOperation operation : ListOperation.values()) {
            if (operation.method().equals(name)) {
                return operation;
            }
        }
        return null;
    }

    /** Number of elements of any list. */
    Term size(Term list) {
        if (list instanceof Constant constant && constant.value() instanceof List<?> values) {
            return Constant.of(values.size());
        }
        boolean filters = list instanceof Term.Fold fold && fold.operation() == ListOperation.FILTER;
        return filters ? with(ListOperation.COUNT, (Term.Fold) list) : new Term.Size(list);
    }

    /** Whether any list is empty. */
    Term isEmpty(Term list) {
        if (list instanceof Constant) {
            return Constant.of(false);
        }
        if (list instanceof Term.Fold fold && fold.operation() == ListOperation.FILTER) {
            return new Term.Not(with(ListOperation.ANY, fold));
        }
        return new Term.Equality(true, size(list), Constant.of(0));
    }

    /** Counts without evaluating elements. */
    private static Term with(ListOperation operation, Term.Fold filter) {
        return new Term.Fold(operation, filter.list(), filter.element(), filter.body(), filter.limit());
    }

    /** {@code list.operation(x, body)}. */
    Term fold(Syntax.MethodCall call, ListOperation operation, Term list) throws RuleException {
        boolean named = call.arguments().size() == 2 && call.arguments().get(0) instanceof Syntax.Name;
        if (!named) {
            throw problemFactory.at(
                    RuleCode.ARGUMENTS,
                    call.at(),
                    "'" + call.name() + "' needs a name for the element and an expression",
                    "write ." + call.name() + "(x, x...)");
        }
        Syntax.Name name = (Syntax.Name) call.arguments().get(0);
        Variable element = element(list, name.name(), name.at());
        Syntax bodySyntax = call.arguments().get(1);
        String where = "'" + call.name() + "'";
        scope.bind(element);
        Term body;
        if (operation == ListOperation.MAP) {
            body = mapped(checker.term(bodySyntax), bodySyntax.at());
        } else {
            body = operation.returnsBool() ? checker.bool(bodySyntax, where) : checker.number(bodySyntax, where);
        }
        scope.unbind();
        return new Term.Fold(operation, list, element, body, limits.elements(list.type()));
    }

    private Variable element(Term list, String name, int at) throws RuleException {
        if (checker.isBound(name)) {
            throw problemFactory.at(
                    RuleCode.ARGUMENTS,
                    at,
                    "the name '" + PrintableText.text(name) + "' is already used",
                    "use another name for the element");
        }
        RuleType type = list.type().element();
        if (type == null) {
            throw new IllegalStateException(list.type() + " has no elements");
        }
        if (MemberProblems.isForeign(name)) {
            throw problems.unknownName(name, at, Set.of(), false);
        }
        return scope.next(type, name);
    }

    private Term mapped(Term value, int at) throws RuleException {
        if (value.type().isMaybeNumber()) {
            throw checker.missing(value, at);
        }
        if (value.type() != RuleType.NUMBER && !value.type().isText()) {
            throw problemFactory.at(
                    RuleCode.TYPE,
                    at,
                    "a list of values must contain numbers or strings, not a "
                            + value.type().label(),
                    value.type() == RuleType.BOOL
                            ? "use any, all, or count, or a filter: (x in list if ...)"
                            : "use one of its members");
        }
        return value;
    }

    /** {@code (value in list if condition)} over a list of objects. */
    Term projection(Syntax.Projection projection, Term list) throws RuleException {
        Syntax.Name name = projection.value() instanceof Syntax.Name alone ? alone : null;
        boolean ofElement = name != null
                && !name.name().equals(FreeNames.ELEMENT)
                && !checker.isBound(name.name())
                && property(list, name.name()) != null;
        String elementName = ofElement ? FreeNames.ELEMENT : elementName(projection, list);
        Variable element = element(list, elementName, projection.value().at());
        int limit = limits.elements(list.type());
        scope.bind(element);
        Term filtered = list;
        Set<Term> before = scope.assume(Set.of());
        if (projection.condition() != null) {
            Term condition = checker.bool(projection.condition(), "the condition of a projection");
            filtered = new Term.Fold(ListOperation.FILTER, list, element, condition, limit);
            scope.assume(NullChecks.of(condition, true));
        }
        Term value = ofElement && name != null
                ? new Term.Access(element, requireProperty(list, name.name()), List.of())
                : checker.term(projection.value());
        if (!value.equals(element)) {
            Term mapped = mapped(value, projection.value().at());
            filtered = new Term.Fold(ListOperation.MAP, filtered, element, mapped, limit);
        }
        scope.forget(before);
        scope.unbind();
        return filtered;
    }

    private String elementName(Syntax.Projection projection, Term list) throws RuleException {
        if (projection.value() instanceof Syntax.Name bound && checker.isBound(bound.name())) {
            // Reports the error.
            element(list, bound.name(), bound.at());
        }
        String name = FreeNames.element(projection.value(), checker::isBound);
        if (name == null) {
            // Errors in the value itself come first.
            checker.term(projection.value());
            throw problemFactory.at(
                    RuleCode.TYPE,
                    projection.list().at(),
                    "'in' needs a list of values on its right, not a "
                            + list.type().label(),
                    "use any: list.any(x, x.name == ...)");
        }
        return name;
    }

    /** In MVEL, a bare name is a property of the element: {@code (name in node.pods)} are the names of the pods. */
    private static @Nullable Member property(Term list, String name) {
        RuleType element = list.type().element();
        Member member = element == null ? null : Members.find(element, name, 0);
        return member != null && member.property() ? member : null;
    }

    private static Member requireProperty(Term list, String name) {
        Member member = property(list, name);
        if (member == null) {
            throw new IllegalStateException("no member " + name);
        }
        return member;
    }
}
