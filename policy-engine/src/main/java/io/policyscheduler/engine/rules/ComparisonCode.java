package io.policyscheduler.engine.rules;

/** Code for comparisons of numbers. What predicates mostly ask is a view's number against one that is known by then. */
final class ComparisonCode {
    private ComparisonCode() {}

    /** Compares what two codes give. */
    static Code of(String operator, Code left, Code right) {
        if (left instanceof NumberAccess access && right instanceof NumberMemo memo) {
            return withMemo(operator, access, memo);
        }
        return switch (operator) {
            case "<" -> Code.ofBool(frame -> left.number(frame) < right.number(frame));
            case "<=" -> Code.ofBool(frame -> left.number(frame) <= right.number(frame));
            case ">" -> Code.ofBool(frame -> left.number(frame) > right.number(frame));
            default -> Code.ofBool(frame -> left.number(frame) >= right.number(frame));
        };
    }

    private static Code withMemo(String operator, NumberAccess left, NumberMemo right) {
        return switch (operator) {
            case "<" -> Code.ofBool(frame -> left.number(frame) < right.number(frame));
            case "<=" -> Code.ofBool(frame -> left.number(frame) <= right.number(frame));
            case ">" -> Code.ofBool(frame -> left.number(frame) > right.number(frame));
            default -> Code.ofBool(frame -> left.number(frame) >= right.number(frame));
        };
    }

    /** Compares what a code gives with a constant. */
    static Code of(String operator, Code left, double value) {
        if (left instanceof NumberAccess access) {
            return withConstant(operator, access, value);
        }
        return switch (operator) {
            case "<" -> Code.ofBool(frame -> left.number(frame) < value);
            case "<=" -> Code.ofBool(frame -> left.number(frame) <= value);
            case ">" -> Code.ofBool(frame -> left.number(frame) > value);
            default -> Code.ofBool(frame -> left.number(frame) >= value);
        };
    }

    private static Code withConstant(String operator, NumberAccess left, double value) {
        return switch (operator) {
            case "<" -> Code.ofBool(frame -> left.number(frame) < value);
            case "<=" -> Code.ofBool(frame -> left.number(frame) <= value);
            case ">" -> Code.ofBool(frame -> left.number(frame) > value);
            default -> Code.ofBool(frame -> left.number(frame) >= value);
        };
    }
}
