package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelEvaluationListener;
import dev.cel.runtime.CelRuntime;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.framework.devices.cel.EvaluationErrors.CallTrace;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Semver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A compiled CEL selector of devices. Thread-safe. */
public final class Selector {
    /** A shorter expression without comprehensions cannot reach the cost limit, so its cost is not measured. */
    static final int LONG = 1000;

    private static final int CHARACTERS_PER_CALL = 4;

    private final CelRuntime.Program program;
    private final CelAbstractSyntaxTree ast;
    private final boolean metered;
    /** A lookup or call costs 1, and takes about this many characters. */
    private final long estimate;

    Selector(CelRuntime.Program program, CelAbstractSyntaxTree ast, boolean metered, int length) {
        this.program = program;
        this.ast = ast;
        this.metered = metered;
        this.estimate = 1 + length / CHARACTERS_PER_CALL;
    }

    /**
     * Returns whether the selector matches the device.
     *
     * @throws SelectorException if the evaluation fails or does not return a bool
     */
    public boolean matches(String driver, Device device) throws SelectorException {
        return matches(driver, device, true, cost -> {});
    }

    /**
     * Returns whether the selector matches the device.
     *
     * @param readsSharing whether {@code device.allowMultipleAllocations} is the value of the device, or false
     * @param costs receives the CEL cost of the evaluation, also if it fails; an estimate for expressions that are not metered
     * @throws SelectorException if the evaluation fails or does not return a bool
     */
    public boolean matches(String driver, Device device, boolean readsSharing, LongConsumer costs)
            throws SelectorException {
        Map<String, Object> variables;
        try {
            variables = ImmutableMap.of("device", DeviceVariable.of(driver, device, readsSharing));
        } catch (FunctionException e) {
            throw runtime(String.valueOf(e.getMessage()));
        }
        try {
            Object result = evaluate(variables, costs);
            if (result instanceof Boolean verdict) {
                return verdict;
            }
            throw runtime(notBool(result));
        } catch (CelEvaluationException e) {
            throw runtime(EvaluationErrors.of(e, failedCall(variables)));
        } catch (FunctionException e) {
            throw runtime(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the call that fails. Evaluates again, because not every exception names the call. */
    private Optional<CallTrace.Failed> failedCall(Map<String, Object> variables) {
        CallTrace trace = new CallTrace(ast);
        try {
            program.trace(variables, trace);
        } catch (CelEvaluationException | FunctionException e) {
            return trace.failed();
        }
        return Optional.empty();
    }

    private Object evaluate(Map<String, Object> variables, LongConsumer costs)
            throws CelEvaluationException, SelectorException {
        if (!metered) {
            costs.accept(estimate);
            return program.eval(variables);
        }
        CostMeter meter = new CostMeter();
        try {
            Object result = program.trace(variables, meter);
            if (meter.isExceeded()) {
                throw runtime(CostMeter.EXCEEDED);
            }
            return result;
        } catch (CelEvaluationException e) {
            if (meter.isExceeded()) {
                throw runtime(CostMeter.EXCEEDED);
            }
            throw e;
        } finally {
            costs.accept(meter.cost());
        }
    }

    private static SelectorException runtime(String text) {
        return new SelectorException("CEL runtime error: " + text);
    }

    private static String notBool(Object result) {
        String why;
        String type;
        if (result instanceof Semver) {
            type = "kubernetes.Semver";
            why = "type conversion error from 'Semver' to 'bool'";
        } else if (result instanceof String) {
            type = "string";
            why = "unsupported native conversion from string to 'bool'";
        } else {
            type = result instanceof Long ? "int" : result instanceof Double ? "double" : "any";
            why = "unsupported type conversion from '" + type + "' to bool";
        }
        return "CEL result of type " + type + " could not be converted to bool: " + why;
    }

    /**
     * Thrown if an expression does not compile, or if its evaluation for a device fails. The message is that of Kubernetes,
     * without the location of the expression.
     */
    public static final class SelectorException extends Exception {
        private static final long serialVersionUID = 1L;

        SelectorException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * A listener that sums the cost of one evaluation and ends the evaluation at the limit. A lookup or call costs 1;
     * functions of strings and lists cost more. Mirrors {@code interpreter/runtimecost.go} of cel-go with the limit of
     * {@code resource.k8s.io}'s {@code CELSelectorExpressionMaxCost}. Owned by one thread.
     */
    public static final class CostMeter implements CelEvaluationListener {
        /** The maximum cost of an evaluation. */
        static final long LIMIT = 1_000_000;

        /** The error message above the limit. */
        public static final String EXCEEDED = "operation cancelled: actual cost limit exceeded";

        private static final int LIST = 10;
        private static final int MAP = 30;
        private static final int STRUCT = 40;

        private final Map<Long, Object> values = new HashMap<>();
        private long cost;

        /** Returns whether the cost exceeded the limit, even if the expression absorbed the failure. */
        public boolean isExceeded() {
            return cost > LIMIT;
        }

        /** Returns the cost so far. */
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
                throw new FunctionException(EXCEEDED);
            }
        }

        private long call(CelExpr.CelCall call, Object result) {
            return switch (call.function()) {
                // cel-go counts only their arguments.
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
            return behindTarget < args.size()
                    ? values.get(args.get(behindTarget).id())
                    : null;
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
}
