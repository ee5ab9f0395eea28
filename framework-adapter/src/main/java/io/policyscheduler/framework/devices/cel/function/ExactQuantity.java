package io.policyscheduler.framework.devices.cel.function;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import io.policyscheduler.engine.cluster.resource.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A quantity in expressions, exact. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/quantity.go}.
 *
 * @param amount without trailing zeros, so that equal amounts are equal
 */
public record ExactQuantity(BigDecimal amount) implements Comparable<ExactQuantity> {
    private static final String SYNTAX = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
    private static final Pattern SHAPE = Pattern.compile(SYNTAX);
    private static final CelType Q = ValueTypes.QUANTITY;

    /** Whatever zeros it is written with. */
    public ExactQuantity {
        amount = amount.stripTrailingZeros();
    }

    /** @throws FunctionFailure when the text is no quantity */
    public static ExactQuantity parse(String text) {
        try {
            return new ExactQuantity(Quantity.parse(text).exact());
        } catch (IllegalArgumentException e) {
            throw new FunctionFailure(
                    SHAPE.matcher(text).matches()
                            ? "unable to parse quantity's suffix"
                            : "quantities must match the regular expression '" + SYNTAX + "'");
        }
    }

    @Override
    public int compareTo(ExactQuantity other) {
        return amount.compareTo(other.amount);
    }

    private boolean isWhole() {
        return amount.scale() <= 0
                && amount.precision() - amount.scale() <= 19
                && amount.toBigInteger().bitLength() < 64;
    }

    private long whole() {
        if (!isWhole()) {
            throw new FunctionFailure("cannot convert value to integer");
        }
        return amount.longValueExact();
    }

    private ExactQuantity plus(BigDecimal other) {
        return new ExactQuantity(amount.add(other));
    }

    /** The functions of quantities. */
    public static FunctionSet functions() {
        return new FunctionSet()
                .global("quantity", Q, List.of(SimpleType.STRING), a -> parse((String) a[0]))
                .global("isQuantity", SimpleType.BOOL, List.of(SimpleType.STRING), a -> isQuantity((String) a[0]))
                .global("sign", SimpleType.INT, List.of(Q), a ->
                        (long) of(a[0]).amount.signum())
                .member("isInteger", SimpleType.BOOL, List.of(Q), a -> of(a[0]).isWhole())
                .member("asInteger", SimpleType.INT, List.of(Q), a -> of(a[0]).whole())
                .member(
                        "asApproximateFloat",
                        SimpleType.DOUBLE,
                        List.of(Q),
                        a -> of(a[0]).amount.doubleValue())
                .member("isGreaterThan", SimpleType.BOOL, List.of(Q, Q), a -> of(a[0]).compareTo(of(a[1])) > 0)
                .member("isLessThan", SimpleType.BOOL, List.of(Q, Q), a -> of(a[0]).compareTo(of(a[1])) < 0)
                .member("compareTo", SimpleType.INT, List.of(Q, Q), a -> (long) of(a[0]).compareTo(of(a[1])))
                .member("add", Q, List.of(Q, Q), a -> of(a[0]).plus(of(a[1]).amount))
                .member("add", Q, List.of(Q, SimpleType.INT), a -> of(a[0]).plus(BigDecimal.valueOf((Long) a[1])))
                .member(
                        "sub",
                        Q,
                        List.of(Q, Q),
                        a -> of(a[0]).plus(of(a[1]).amount.negate()))
                .member(
                        "sub",
                        Q,
                        List.of(Q, SimpleType.INT),
                        a -> of(a[0]).plus(BigDecimal.valueOf((Long) a[1]).negate()));
    }

    private static boolean isQuantity(String text) {
        try {
            parse(text);
            return true;
        } catch (FunctionFailure e) {
            return false;
        }
    }

    private static ExactQuantity of(Object value) {
        return (ExactQuantity) value;
    }
}
