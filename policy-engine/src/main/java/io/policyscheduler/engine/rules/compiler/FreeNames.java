package io.policyscheduler.engine.rules.compiler;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds the name that a projection uses for the element: nothing declares it. */
final class FreeNames {
    /** MVEL's own name for the element. */
    static final String ELEMENT = "$";

    private final Predicate<String> bound;
    private @Nullable String first;
    private boolean element;

    private FreeNames(Predicate<String> bound) {
        this.bound = bound;
    }

    /**
     * The name of the element in a part of a projection: {@code $} if it is there, else the first name that stands for nothing
     * else, or null.
     */
    static @Nullable String element(Syntax part, Predicate<String> bound) {
        FreeNames names = new FreeNames(bound);
        names.visit(part);
        return names.element ? ELEMENT : names.first;
    }

    private void visit(Syntax syntax) {
        if (syntax instanceof Syntax.Name name) {
            boolean free = !bound.test(name.name());
            element |= free && name.name().equals(ELEMENT);
            first = first == null && free ? name.name() : first;
        } else if (syntax instanceof Syntax.Select select) {
            visit(select.target());
        } else if (syntax instanceof Syntax.Index index) {
            visit(index.target());
            visit(index.key());
        } else if (syntax instanceof Syntax.MethodCall call) {
            visit(call.target());
            call.arguments().forEach(this::visit);
        } else if (syntax instanceof Syntax.FunctionCall call) {
            call.arguments().forEach(this::visit);
        } else if (syntax instanceof Syntax.Unary unary) {
            visit(unary.operand());
        } else if (syntax instanceof Syntax.Binary binary) {
            visit(binary.left());
            visit(binary.right());
        } else if (syntax instanceof Syntax.Conditional conditional) {
            visit(conditional.condition());
            visit(conditional.yes());
            visit(conditional.no());
        } else if (syntax instanceof Syntax.Projection projection) {
            // The rest of it has an element of its own.
            visit(projection.list());
        }
    }
}
