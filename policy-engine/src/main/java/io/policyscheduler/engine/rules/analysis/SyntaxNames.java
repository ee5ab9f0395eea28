package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.Syntax;
import java.util.HashSet;
import java.util.Set;

/** Finds the names and parameters that a rule mentions, also those that folding has taken away. */
final class SyntaxNames {
    private static final String PARAMETERS = "params";

    private final Set<String> names = new HashSet<>();
    private final Set<String> parameters = new HashSet<>();

    private SyntaxNames() {}

    static Set<String> names(Syntax syntax) {
        SyntaxNames found = new SyntaxNames();
        found.visit(syntax);
        return found.names;
    }

    /** The names of {@code params.NAME}. */
    static Set<String> parameters(Syntax syntax) {
        SyntaxNames found = new SyntaxNames();
        found.visit(syntax);
        return found.parameters;
    }

    private void visit(Syntax syntax) {
        if (syntax instanceof Syntax.Name name) {
            names.add(name.name());
        } else if (syntax instanceof Syntax.Select select) {
            if (select.target() instanceof Syntax.Name name && name.name().equals(PARAMETERS)) {
                parameters.add(select.name());
            }
            visit(select.target());
        } else if (syntax instanceof Syntax.Index index) {
            visit(index.target());
            visit(index.key());
        } else if (syntax instanceof Syntax.MethodCall call) {
            visit(call.target());
            call.arguments().forEach(this::visit);
        } else if (syntax instanceof Syntax.FunctionCall call) {
            call.arguments().forEach(this::visit);
        } else if (syntax instanceof Syntax.ListLiteral list) {
            list.items().forEach(this::visit);
        } else {
            visitOperator(syntax);
        }
    }

    private void visitOperator(Syntax syntax) {
        if (syntax instanceof Syntax.Unary unary) {
            visit(unary.operand());
        } else if (syntax instanceof Syntax.Binary binary) {
            visit(binary.left());
            visit(binary.right());
        } else if (syntax instanceof Syntax.Conditional conditional) {
            visit(conditional.condition());
            visit(conditional.yes());
            visit(conditional.no());
        } else if (syntax instanceof Syntax.Local local) {
            visit(local.value());
            visit(local.body());
        } else if (syntax instanceof Syntax.Projection projection) {
            visit(projection.value());
            visit(projection.list());
            if (projection.condition() != null) {
                visit(projection.condition());
            }
        }
    }
}
