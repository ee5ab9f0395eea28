package io.policyscheduler.framework.devices.cel;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelErrorCode;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelEvaluationListener;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.TypeNames;
import io.policyscheduler.framework.devices.cel.Selector.CostMeter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Maps evaluation errors of the Java CEL library to the messages of cel-go. */
final class EvaluationErrors {
    private static final Pattern PLACE = Pattern.compile("evaluation error(?: at [^:]*:-?\\d+)?: ");
    private static final Pattern MISSING_KEY = Pattern.compile("key '(.*)' is not present in map\\.", Pattern.DOTALL);
    private static final Pattern NO_FIELD = Pattern.compile("Error resolving field '(.*)'\\. .*", Pattern.DOTALL);
    private static final Pattern LAST_NUMBER = Pattern.compile(".*?(-?\\d+)\\D*", Pattern.DOTALL);

    private static final String NO_OVERLOAD = "no such overload";
    /** Conversion functions from strings, with their result types. */
    private static final Map<String, String> CONVERSIONS = Map.of(
            "int", "int",
            "uint", "uint",
            "double", "double",
            "bool", "bool",
            "timestamp", TypeNames.TIMESTAMP,
            "duration", TypeNames.DURATION);
    /** Types that report a missing overload themselves for every operator. cel-go then omits the operator's name. */
    private static final Set<String> SELF_REPORTING = Set.of("string", TypeNames.TIMESTAMP, TypeNames.DURATION);

    private static final Set<String> NUMBERS = and(SELF_REPORTING, "int", "uint", "double");
    private static final Set<String> COMPARED = and(NUMBERS, "bool", "bytes");
    /** Operators, and the types of first operands that implement them. */
    private static final Map<String, Set<String>> OPERATORS = ImmutableMap.<String, Set<String>>builder()
            .put("_<_", COMPARED)
            .put("_<=_", COMPARED)
            .put("_>_", COMPARED)
            .put("_>=_", COMPARED)
            .put("_+_", and(NUMBERS, "bytes", "list"))
            .put("_-_", NUMBERS)
            .put("_*_", NUMBERS)
            .put("_/_", NUMBERS)
            .put("_%_", and(SELF_REPORTING, "int", "uint"))
            .put("-_", and(NUMBERS, "bool"))
            .buildOrThrow();
    /** Functions whose name cel-go omits from the error. */
    private static final Set<String> OMITTED_NAMES =
            Set.of("!_", "@in", "in", "startsWith", "endsWith", "contains", "matches");

    private EvaluationErrors() {}

    private static Set<String> and(Set<String> types, String... more) {
        return ImmutableSet.<String>builder().addAll(types).add(more).build();
    }

    /**
     * Returns the message of cel-go for an error.
     *
     * @param call the call that failed, if known
     */
    static String of(CelEvaluationException failure, Optional<CallTrace.Failed> call) {
        String plain = of(failure);
        if (call.isEmpty() || Throwables.getRootCause(failure) instanceof FunctionException) {
            return plain;
        }
        List<Object> args = call.get().args();
        String function = call.get().function();
        if (failure.getErrorCode() == CelErrorCode.OVERLOAD_NOT_FOUND) {
            return plain.equals(NO_OVERLOAD) ? noOverload(function, args) : plain;
        }
        if (failure.getErrorCode() == CelErrorCode.DIVIDE_BY_ZERO) {
            return function.equals("_%_") ? "modulus by zero" : "division by zero";
        }
        String expected = CONVERSIONS.get(function);
        return expected != null && args.get(0) instanceof String
                ? "type conversion error from 'string' to '" + expected + "'"
                : plain;
    }

    /** Returns the message for a function without an overload for these arguments. */
    private static String noOverload(String function, List<Object> args) {
        Object first = args.get(0);
        if (function.equals("_[_]")) {
            return first instanceof List
                    ? "unsupported index type '" + TypeNames.of(args.get(1)) + "' in list"
                    : "no such key: " + args.get(1);
        }
        Set<String> having = OPERATORS.get(function);
        if (having != null) {
            return having.contains(TypeNames.of(first)) ? NO_OVERLOAD : NO_OVERLOAD + ": " + function;
        }
        if (OMITTED_NAMES.contains(function)) {
            return NO_OVERLOAD;
        }
        return function.equals("size")
                ? NO_OVERLOAD + ": size"
                : args.stream()
                        .map(TypeNames::of)
                        .collect(Collectors.joining(", ", NO_OVERLOAD + ": " + function + "(", ")"));
    }

    static String of(CelEvaluationException failure) {
        for (Throwable cause : Throwables.getCausalChain(failure)) {
            if (cause instanceof FunctionException) {
                return String.valueOf(cause.getMessage());
            }
        }
        if (Throwables.getRootCause(failure) instanceof NoSuchElementException) {
            return "optional.none() dereference";
        }
        String message = PLACE.matcher(String.valueOf(failure.getMessage())).replaceFirst("");
        return of(failure.getErrorCode(), message);
    }

    private static String of(CelErrorCode code, String message) {
        return switch (code) {
            case ATTRIBUTE_NOT_FOUND -> "no such key: " + missing(message);
            case OVERLOAD_NOT_FOUND -> NO_OVERLOAD;
            case INVALID_ARGUMENT -> message.startsWith("expected boolean value") ? NO_OVERLOAD : message;
            case DIVIDE_BY_ZERO ->
                message.contains("modul") || message.contains("%") ? "modulus by zero" : "division by zero";
            case INDEX_OUT_OF_BOUNDS -> outOfBounds(message);
            case NUMERIC_OVERFLOW ->
                message.toLowerCase(Locale.ROOT).contains("unsigned") || message.contains("uint")
                        ? "unsigned integer overflow"
                        : "integer overflow";
            case ITERATION_BUDGET_EXCEEDED -> CostMeter.EXCEEDED;
            default -> message;
        };
    }

    private static String missing(String message) {
        Matcher key = MISSING_KEY.matcher(message);
        if (key.matches()) {
            return key.group(1);
        }
        Matcher field = NO_FIELD.matcher(message);
        return field.matches() ? field.group(1) : message;
    }

    private static String outOfBounds(String message) {
        Matcher number = LAST_NUMBER.matcher(message);
        String index = number.matches() ? number.group(1) : message;
        return (message.startsWith("Index out of bounds") ? "index out of bounds: " : "index out of range: ") + index;
    }

    /**
     * A listener that records the values of subexpressions during one evaluation, to find the call that failed. Owned by one
     * thread.
     */
    static final class CallTrace implements CelEvaluationListener {
        /** Operators that do not evaluate all arguments. */
        private static final Set<String> LAZY = Set.of("_&&_", "_||_", "_?_:_", "@not_strictly_false");

        /**
         * A call that returned no value.
         *
         * @param args its arguments in order; the receiver of a member function is the first
         */
        record Failed(String function, List<Object> args) {}

        private final List<CelNavigableExpr> nodes;
        private final Map<Long, CelNavigableExpr> byId = new HashMap<>();
        private final Map<Long, Object> values = new HashMap<>();

        CallTrace(CelAbstractSyntaxTree ast) {
            this.nodes = CelNavigableAst.fromAst(ast).getRoot().allNodes().toList();
            nodes.forEach(node -> byId.put(node.id(), node));
        }

        /** Removes the values of enclosing expressions, which in a loop are from an earlier iteration. */
        @Override
        public void callback(CelExpr expr, Object value) {
            values.put(expr.id(), value);
            Optional<CelNavigableExpr> above =
                    Optional.ofNullable(byId.get(expr.id())).flatMap(CelNavigableExpr::parent);
            while (above.isPresent()) {
                values.remove(above.get().id());
                above = above.get().parent();
            }
        }

        /** Returns the call that failed; empty if there is none or more than one candidate. */
        Optional<Failed> failed() {
            List<Failed> found = new ArrayList<>();
            for (CelNavigableExpr node : nodes) {
                if (node.getKind() != CelExpr.ExprKind.Kind.CALL || values.containsKey(node.id())) {
                    continue;
                }
                CelExpr.CelCall call = node.expr().call();
                List<CelExpr> args = new ArrayList<>();
                call.target().ifPresent(args::add);
                args.addAll(call.args());
                boolean isReady = args.stream().allMatch(arg -> values.containsKey(arg.id()));
                if (isReady && !LAZY.contains(call.function())) {
                    found.add(new Failed(
                            call.function(),
                            args.stream().map(arg -> values.get(arg.id())).toList()));
                }
            }
            return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
        }
    }
}
