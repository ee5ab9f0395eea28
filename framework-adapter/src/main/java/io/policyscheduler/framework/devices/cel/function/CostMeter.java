package io.policyscheduler.framework.devices.cel.function;

import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationListener;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Adds up what an evaluation costs, and ends it when that is too much: one for each look and call, more for what goes through texts
 * and lists. Mirrors {@code interpreter/runtimecost.go} of cel-go with the limit of
 * {@code resource.k8s.io}'s {@code CELSelectorExpressionMaxCost}. For one evaluation; owned by one thread.
 */
public final class CostMeter implements CelEvaluationListener {
    /** More than this and the evaluation ends. */
    static final long LIMIT = 1_000_000;

    /** What is said then. */
    public static final String EXCEEDED = "operation cancelled: actual cost limit exceeded";

    private static final int LIST = 10;
    private static final int MAP = 30;
    private static final int STRUCT = 40;

    private final Map<Long, Object> values = new HashMap<>();
    private long cost;

    /** True once the limit is passed, whatever an expression makes of the failure. */
    public boolean isExceeded() {
        return cost > LIMIT;
    }

    /** What the evaluation has cost so far. */
    public long cost() {
        return cost;
    }

    @Override
    public void callback(CelExpr expr, Object value) {
        cost += switch (expr.exprKind().getKind()) {
            case IDENT, SELECT -> 1;
            case LIST -> LIST;
            case MAP -> MAP;
            case STRUCT -> STRUCT;
            case CALL -> call(expr.call(), value);
            default -> 0;
        };
        values.put(expr.id(), value);
        if (isExceeded()) {
            throw new FunctionFailure(EXCEEDED);
        }
    }

    private long call(CelExpr.CelCall call, Object result) {
        return switch (call.function()) {
            // Cel-go counts their arguments alone.
            case "_&&_", "_||_", "_?_:_" -> 0;
            case "startsWith", "endsWith" -> tenth(size(call, 1));
            case "contains", "indexOf", "lastIndexOf", "find", "findAll", "matches" -> search(call);
            case "_+_" -> Math.max(1, tenth(textSize(result)));
            case "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_" ->
                Math.max(1, tenth(Math.min(size(call, 0), size(call, 1))));
            case "@in" -> Math.max(1, listSize(value(call, 1)));
            case "lists.range", "flatten", "distinct", "sort", "slice", "reverse" -> LIST + listSize(result);
            case "isSorted", "sum", "min", "max" -> Math.max(1, listSize(value(call, 0)));
            case "replace",
                    "split",
                    "join",
                    "substring",
                    "trim",
                    "lowerAscii",
                    "upperAscii",
                    "quantity",
                    "semver",
                    "url" -> Math.max(1, tenth(size(call, 0)));
            default -> 1;
        };
    }

    private long search(CelExpr.CelCall call) {
        long text = Math.max(1, tenth(size(call, 0) + 1));
        long pattern = Math.max(1, (size(call, 1) + 3) / 4);
        return text * pattern;
    }

    private static long tenth(long size) {
        return (size + 9) / 10;
    }

    private @Nullable Object value(CelExpr.CelCall call, int argument) {
        List<CelExpr> args = call.args();
        int behindTarget = call.target().isPresent() ? argument - 1 : argument;
        if (behindTarget < 0) {
            return call.target().map(target -> values.get(target.id())).orElse(null);
        }
        return behindTarget < args.size() ? values.get(args.get(behindTarget).id()) : null;
    }

    private long size(CelExpr.CelCall call, int argument) {
        return textSize(value(call, argument));
    }

    private static long textSize(@Nullable Object value) {
        if (value instanceof String text) {
            return text.length();
        }
        return value instanceof List<?> list ? list.size() : 0;
    }

    private static long listSize(@Nullable Object value) {
        return value instanceof List<?> list ? list.size() : value instanceof Map<?, ?> map ? map.size() : 0;
    }
}
