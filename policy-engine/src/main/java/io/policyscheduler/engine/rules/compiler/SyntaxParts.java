package io.policyscheduler.engine.rules.compiler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Knows which parts of a form are values: names of elements, of functions and of parameters are not. */
final class SyntaxParts {
    private SyntaxParts() {}

    /** In the order in which they are evaluated. */
    static List<Syntax> of(Syntax syntax) {
        if (syntax instanceof Syntax.ListLiteral list) {
            return list.items();
        }
        if (syntax instanceof Syntax.Select select) {
            return target(select.target());
        }
        if (syntax instanceof Syntax.Index index) {
            return join(target(index.target()), List.of(index.key()));
        }
        if (syntax instanceof Syntax.MethodCall call) {
            boolean declares = call.arguments().size() == 2
                    && call.arguments().get(0) instanceof Syntax.Name
                    && Arrays.stream(ListOperation.values())
                            .anyMatch(operation -> operation.method().equals(call.name()));
            boolean math =
                    call.target() instanceof Syntax.Name name && name.name().equals("Math");
            return join(
                    target(call.target()), declares && !math ? call.arguments().subList(1, 2) : call.arguments());
        }
        if (syntax instanceof Syntax.FunctionCall call) {
            return call.arguments();
        }
        if (syntax instanceof Syntax.Unary unary) {
            return List.of(unary.operand());
        }
        if (syntax instanceof Syntax.Binary binary) {
            return List.of(binary.left(), binary.right());
        }
        if (syntax instanceof Syntax.Projection projection) {
            return projection.condition() == null
                    ? List.of(projection.list(), projection.value())
                    : List.of(projection.list(), projection.condition(), projection.value());
        }
        if (syntax instanceof Syntax.Conditional conditional) {
            return List.of(conditional.condition(), conditional.yes(), conditional.no());
        }
        return syntax instanceof Syntax.Local local ? List.of(local.value(), local.body()) : List.of();
    }

    /** A name before a dot is no part: pod, node, params, Math, an element. */
    private static List<Syntax> target(Syntax target) {
        return target instanceof Syntax.Name ? List.of() : List.of(target);
    }

    private static List<Syntax> join(List<Syntax> first, List<Syntax> second) {
        List<Syntax> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }
}
