package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableList;
import dev.cel.common.CelIssue;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.SimpleType;
import dev.cel.parser.CelMacro;
import dev.cel.parser.CelMacroExprFactory;
import io.policyscheduler.framework.devices.cel.function.FunctionFailure;
import io.policyscheduler.framework.devices.cel.function.FunctionSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code has(x.y)}. What can have no fields has none: where {@code x} may turn out to be something else than a map or an object, that
 * is asked first. Mirrors {@code makeHas} of cel-go's {@code parser/macro.go} and how its attributes are tested for presence.
 */
final class HasMacro {
    /** Whether a value can have fields; a name that no expression can write. */
    private static final String FIELDED = "@fielded";

    private static final String CONDITIONAL = "_?_:_";
    private static final String INDEX = "_[_]";

    private HasMacro() {}

    static CelMacro macro() {
        return CelMacro.newGlobalMacro("has", 1, HasMacro::expand);
    }

    static FunctionSet functions() {
        return new FunctionSet().global(FIELDED, SimpleType.BOOL, List.of(SimpleType.DYN), a -> isFielded(a[0]));
    }

    private static boolean isFielded(Object value) {
        if (value instanceof List) {
            throw new FunctionFailure("unsupported index type 'string' in list");
        }
        return value instanceof Map;
    }

    private static Optional<CelExpr> expand(
            CelMacroExprFactory factory, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr argument = arguments.get(0);
        if (argument.exprKind().getKind() != CelExpr.ExprKind.Kind.SELECT) {
            return Optional.of(factory.reportError(CelIssue.formatError(
                    argument.id(), factory.getSourceLocation(argument), "invalid argument to has() macro")));
        }
        CelExpr.CelSelect select = argument.select();
        CelExpr test = factory.newSelect(select.operand(), select.field(), true);
        if (isMap(select.operand())) {
            return Optional.of(test);
        }
        return Optional.of(factory.newGlobalCall(
                CONDITIONAL,
                factory.newGlobalCall(FIELDED, factory.copy(select.operand())),
                test,
                factory.newConstant(CelConstant.ofValue(false))));
    }

    /** True of the device, of its attributes and capacities, and of one domain of them. */
    private static boolean isMap(CelExpr expr) {
        return switch (expr.exprKind().getKind()) {
            case IDENT -> true;
            case SELECT -> expr.select().operand().exprKind().getKind() == CelExpr.ExprKind.Kind.IDENT;
            case CALL ->
                expr.call().function().equals(INDEX)
                        && expr.call().args().get(0).exprKind().getKind() == CelExpr.ExprKind.Kind.SELECT
                        && isMap(expr.call().args().get(0));
            default -> false;
        };
    }
}
