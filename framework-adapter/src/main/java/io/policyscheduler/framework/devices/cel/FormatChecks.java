package io.policyscheduler.framework.devices.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import io.policyscheduler.framework.devices.cel.LiteralChecks.Finding;
import io.policyscheduler.framework.devices.cel.function.FormatClauses;
import io.policyscheduler.framework.devices.cel.function.FunctionFailure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code format} of a constant text with values of known types. Mirrors {@code stringFormatValidator} of cel-go. */
final class FormatChecks {
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
    /** Those of which nothing is known before they are evaluated. */
    private static final Set<CelKind> OPEN = Set.of(CelKind.DYN, CelKind.TYPE_PARAM, CelKind.ERROR);

    private final CelAbstractSyntaxTree ast;

    private FormatChecks(CelAbstractSyntaxTree ast) {
        this.ast = ast;
    }

    /** What is wrong with a call, if anything is. */
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
                    // Needs no value.
                }

                @Override
                public void clause(char verb, int precision, int value) {
                    require(verb, values.get(value), place);
                }
            });
            return Optional.empty();
        } catch (FunctionFailure e) {
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

    /** The type that cannot be written, or null. */
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
