package io.policyscheduler.framework.devices.cel;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSource;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.SimpleType;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Constants that can only fail, which Kubernetes says when it compiles. Mirrors cel-go's {@code cel/validator.go} and the folding of
 * constants when a program is made.
 */
final class LiteralChecks {
    private static final java.util.regex.Pattern DURATION =
            java.util.regex.Pattern.compile("[-+]?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+");

    private static final double TWO_TO_THE_63 = 0x1p63;

    /** A finding: where in the expression, and what. */
    record Finding(long exprId, String message) {
        /** As the compiler reports. */
        CelIssue in(CelAbstractSyntaxTree ast) {
            CelSource source = ast.getSource();
            int offset = source.getPositionsMap().getOrDefault(exprId, 0);
            CelSourceLocation place = source.getOffsetLocation(offset).orElse(CelSourceLocation.NONE);
            return CelIssue.formatError(exprId, place, message);
        }
    }

    private LiteralChecks() {}

    /** Arguments that no value can come of. */
    static List<Finding> invalid(CelAbstractSyntaxTree ast) {
        List<Finding> findings = new ArrayList<>();
        calls(ast).forEach(call -> {
            int last = call.args().size() - 1;
            if (last < 0) {
                return;
            }
            CelExpr argument = call.args().get(last);
            String text = text(argument);
            if (text == null) {
                return;
            }
            boolean valid = switch (call.function()) {
                case "matches" -> isRegex(text);
                case "timestamp" -> isTimestamp(text);
                case "duration" -> DURATION.matcher(text).matches();
                default -> true;
            };
            if (!valid) {
                findings.add(new Finding(argument.id(), "invalid " + call.function() + " argument"));
            }
        });
        mixed(ast, findings);
        callExpressions(ast).forEach(expr -> FormatChecks.of(ast, expr).ifPresent(findings::add));
        return findings;
    }

    /** Lists and maps whose members differ in type; what is written into a text may. */
    private static void mixed(CelAbstractSyntaxTree ast, List<Finding> findings) {
        Set<Long> formatted = CelNavigableAst.fromAst(ast)
                .getRoot()
                .allNodes()
                .filter(node -> node.getKind() == CelExpr.ExprKind.Kind.CALL
                        && node.expr().call().function().equals("format"))
                .flatMap(CelNavigableExpr::descendants)
                .map(CelNavigableExpr::id)
                .collect(Collectors.toSet());
        CelNavigableAst.fromAst(ast)
                .getRoot()
                .allNodes()
                .map(CelNavigableExpr::expr)
                .forEach(expr -> {
                    if (expr.exprKind().getKind() == CelExpr.ExprKind.Kind.LIST && !formatted.contains(expr.id())) {
                        alike(ast, expr.list().elements(), findings);
                    } else if (expr.exprKind().getKind() == CelExpr.ExprKind.Kind.MAP
                            && !formatted.contains(expr.id())) {
                        List<CelExpr.CelMap.Entry> entries = expr.map().entries();
                        alike(
                                ast,
                                entries.stream().map(CelExpr.CelMap.Entry::key).toList(),
                                findings);
                        alike(
                                ast,
                                entries.stream()
                                        .map(CelExpr.CelMap.Entry::value)
                                        .toList(),
                                findings);
                    }
                });
    }

    private static void alike(CelAbstractSyntaxTree ast, List<CelExpr> members, List<Finding> findings) {
        CelType first = members.isEmpty() ? SimpleType.DYN : type(ast, members.get(0));
        for (CelExpr member : members) {
            CelType type = type(ast, member);
            if (!type.equals(first) && !mayBeAnything(type) && !mayBeAnything(first)) {
                findings.add(new Finding(
                        member.id(),
                        "expected type '" + CelTypes.format(first) + "' but found '" + CelTypes.format(type) + "'"));
                return;
            }
        }
    }

    private static CelType type(CelAbstractSyntaxTree ast, CelExpr expr) {
        return ast.getType(expr.id()).orElse(SimpleType.DYN);
    }

    private static boolean mayBeAnything(CelType type) {
        return switch (type.kind()) {
            case DYN, ANY, TYPE_PARAM -> true;
            case LIST, MAP, OPAQUE -> type.parameters().stream().anyMatch(LiteralChecks::mayBeAnything);
            default -> false;
        };
    }

    /** Why folding the constants fails, or null. */
    static @Nullable String unfoldable(CelAbstractSyntaxTree ast) {
        return calls(ast)
                .map(call -> isSearch(call) ? search(call) : conversion(call))
                .filter(problem -> !problem.isEmpty())
                .findFirst()
                .orElse(null);
    }

    private static boolean isSearch(CelExpr.CelCall call) {
        return call.target().isPresent()
                && !call.args().isEmpty()
                && (call.function().equals("find") || call.function().equals("findAll"));
    }

    private static String search(CelExpr.CelCall call) {
        String regex = text(call.args().get(0));
        try {
            Pattern.compile(regex == null ? "" : regex);
            return "";
        } catch (PatternSyntaxException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static String conversion(CelExpr.CelCall call) {
        if (call.args().size() != 1 || call.target().isPresent()) {
            return "";
        }
        CelExpr argument = call.args().get(0);
        while (argument.exprKind().getKind() == CelExpr.ExprKind.Kind.CALL
                && argument.call().function().equals("dyn")) {
            argument = argument.call().args().get(0);
        }
        if (argument.exprKind().getKind() != CelExpr.ExprKind.Kind.CONSTANT) {
            return "";
        }
        String function = call.function();
        if (function.equals("int") && isBeyondInt(argument.constant())) {
            return "integer overflow";
        }
        if (function.equals("uint") && isBeyondUint(argument.constant())) {
            return "unsigned integer overflow";
        }
        String text = text(argument);
        if (text == null) {
            return "";
        }
        try {
            switch (function) {
                case "int" -> Long.parseLong(text);
                case "uint" -> Long.parseUnsignedLong(text);
                case "double" -> Double.parseDouble(text);
                default -> {
                    // Others fail when they are evaluated, if at all.
                }
            }
            return "";
        } catch (NumberFormatException e) {
            return "type conversion error from 'string' to '" + function + "'";
        }
    }

    private static boolean isBeyondInt(CelConstant number) {
        return switch (number.getKind()) {
            case UINT64_VALUE -> number.uint64Value().longValue() < 0;
            case DOUBLE_VALUE -> !(Math.abs(number.doubleValue()) < TWO_TO_THE_63);
            default -> false;
        };
    }

    private static boolean isBeyondUint(CelConstant number) {
        return switch (number.getKind()) {
            case INT64_VALUE -> number.int64Value() < 0;
            case DOUBLE_VALUE -> !(number.doubleValue() >= 0 && number.doubleValue() < 2 * TWO_TO_THE_63);
            default -> false;
        };
    }

    private static Stream<CelExpr.CelCall> calls(CelAbstractSyntaxTree ast) {
        return callExpressions(ast).map(CelExpr::call);
    }

    private static Stream<CelExpr> callExpressions(CelAbstractSyntaxTree ast) {
        return CelNavigableAst.fromAst(ast)
                .getRoot()
                .allNodes()
                .filter(node -> node.getKind() == CelExpr.ExprKind.Kind.CALL)
                .map(CelNavigableExpr::expr);
    }

    private static @Nullable String text(CelExpr expr) {
        return expr.exprKind().getKind() == CelExpr.ExprKind.Kind.CONSTANT
                        && expr.constant().getKind() == CelConstant.Kind.STRING_VALUE
                ? expr.constant().stringValue()
                : null;
    }

    private static boolean isRegex(String text) {
        try {
            Pattern.compile(text);
            return true;
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    private static boolean isTimestamp(String text) {
        try {
            Instant.parse(text);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }
}
