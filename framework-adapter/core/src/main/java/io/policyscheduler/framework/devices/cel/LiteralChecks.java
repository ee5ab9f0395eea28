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
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.SimpleType;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.LiteralChecks.Finding;
import io.policyscheduler.framework.devices.cel.StringFunctions.FormatClauses;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compile-time validators for constants that fail every evaluation. Mirrors cel-go's {@code cel/validator.go} and its
 * constant folding.
 */
final class LiteralChecks {
    private static final java.util.regex.Pattern DURATION =
            java.util.regex.Pattern.compile("[-+]?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+");

    private static final double TWO_TO_THE_63 = 0x1p63;

    /** A problem in an expression. */
    record Finding(long exprId, String message) {
        /** Returns the problem as an issue of the compiler. */
        CelIssue in(CelAbstractSyntaxTree ast) {
            CelSource source = ast.getSource();
            int offset = source.getPositionsMap().getOrDefault(exprId, 0);
            CelSourceLocation place = source.getOffsetLocation(offset).orElse(CelSourceLocation.NONE);
            return CelIssue.formatError(exprId, place, message);
        }
    }

    private LiteralChecks() {}

    /** Reports arguments that the function cannot convert. */
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

    /** Reports lists and maps with elements of different types, except for arguments of {@code format}. */
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

    /** Returns the error of constant folding, or null. */
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
                    // Other conversions fail only during evaluation.
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

    /** The validator of {@code format} calls on constant strings. Mirrors {@code stringFormatValidator} of cel-go. */
    static final class FormatChecks {
        private static final Set<CelKind> INTEGERS = Set.of(CelKind.INT, CelKind.UINT);
        private static final Set<CelKind> DOUBLES = Set.of(CelKind.DOUBLE, CelKind.STRING);
        private static final Map<Character, Set<CelKind>> KINDS = Map.of(
                'd',
                INTEGERS,
                'o',
                INTEGERS,
                'b',
                Set.of(CelKind.INT, CelKind.UINT, CelKind.BOOL),
                'f',
                DOUBLES,
                'e',
                DOUBLES,
                'x',
                Set.of(CelKind.INT, CelKind.UINT, CelKind.STRING, CelKind.BYTES),
                'X',
                Set.of(CelKind.INT, CelKind.UINT, CelKind.STRING, CelKind.BYTES),
                's',
                Set.of(
                        CelKind.STRING,
                        CelKind.BOOL,
                        CelKind.BYTES,
                        CelKind.INT,
                        CelKind.UINT,
                        CelKind.DOUBLE,
                        CelKind.MAP,
                        CelKind.LIST,
                        CelKind.TYPE,
                        CelKind.NULL_TYPE,
                        CelKind.DURATION,
                        CelKind.TIMESTAMP));
        /** Types that only an evaluation determines. */
        private static final Set<CelKind> OPEN = Set.of(CelKind.DYN, CelKind.TYPE_PARAM, CelKind.ERROR);

        private final CelAbstractSyntaxTree ast;

        private FormatChecks(CelAbstractSyntaxTree ast) {
            this.ast = ast;
        }

        /** Returns the problem of a call, if any. */
        static Optional<Finding> of(CelAbstractSyntaxTree ast, CelExpr expr) {
            CelExpr.CelCall call = expr.call();
            boolean isLiteral = call.function().equals("format")
                    && call.target().map(FormatChecks::text).isPresent()
                    && call.args().get(0).exprKind().getKind() == CelExpr.ExprKind.Kind.LIST;
            return isLiteral ? new FormatChecks(ast).check(expr) : Optional.empty();
        }

        private static @Nullable String text(CelExpr expr) {
            return expr.exprKind().getKind() == CelExpr.ExprKind.Kind.CONSTANT
                            && expr.constant().getKind() == CelConstant.Kind.STRING_VALUE
                    ? expr.constant().stringValue()
                    : null;
        }

        private Optional<Finding> check(CelExpr expr) {
            String text = expr.call().target().map(FormatChecks::text).orElse("");
            List<CelExpr> values = expr.call().args().get(0).list().elements();
            List<Long> place = new ArrayList<>(List.of(expr.id()));
            try {
                FormatClauses.read(text, values.size(), new FormatClauses.Reader() {
                    @Override
                    public void text(char c) {
                        // Literal text consumes no value.
                    }

                    @Override
                    public void clause(char verb, int precision, int value) {
                        require(verb, values.get(value), place);
                    }
                });
                return Optional.empty();
            } catch (FunctionException e) {
                return Optional.of(new Finding(place.get(place.size() - 1), String.valueOf(e.getMessage())));
            }
        }

        private void require(char verb, CelExpr value, List<Long> place) {
            CelType type = ast.getType(value.id()).orElse(SimpleType.DYN);
            boolean isList = value.exprKind().getKind() == CelExpr.ExprKind.Kind.LIST;
            boolean isMap = value.exprKind().getKind() == CelExpr.ExprKind.Kind.MAP;
            CelType wrong = isList || isMap ? wrong(verb, type, 0) : wrong(verb, type, Integer.MAX_VALUE);
            if (wrong != null) {
                place.add(value.id());
                throw FormatClauses.unwritable(verb, wrong.name());
            }
            List<CelExpr> parts = new ArrayList<>();
            if (isList) {
                parts.addAll(value.list().elements());
            } else if (isMap) {
                value.map().entries().forEach(entry -> parts.addAll(List.of(entry.key(), entry.value())));
            }
            parts.sort(Comparator.comparingLong(CelExpr::id));
            parts.forEach(part -> require(verb, part, place));
        }

        /** Returns the type that the verb does not accept, or null. */
        private static @Nullable CelType wrong(char verb, CelType type, int depth) {
            if (OPEN.contains(type.kind())) {
                return null;
            }
            if (!KINDS.getOrDefault(verb, Set.of()).contains(type.kind())) {
                return type;
            }
            boolean hasParts = type.kind() == CelKind.LIST || type.kind() == CelKind.MAP;
            if (hasParts && depth > 0) {
                for (CelType part : type.parameters()) {
                    CelType wrong = wrong(verb, part, depth - 1);
                    if (wrong != null) {
                        return wrong;
                    }
                }
            }
            return null;
        }
    }
}
