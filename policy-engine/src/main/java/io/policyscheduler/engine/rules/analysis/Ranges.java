package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Set;

/** Computes the range of the numbers of a term. Unknown terms have an unlimited range. */
final class Ranges {
    /** Amounts and counts that are never negative. */
    private static final Set<String> NOT_NEGATIVE = Set.of(
            "allocatable",
            "allocatableCpu",
            "allocatableMemory",
            "cpu",
            "cpuLimit",
            "ephemeralStorage",
            "hostPorts",
            "maxPods",
            "maxPodsInTopology",
            "memory",
            "memoryLimit",
            "minPodsInTopology",
            "nodeCount",
            "nodesInTopology",
            "nodesWithLabel",
            "podCount",
            "podsInNamespace",
            "podsInTopology",
            "podsWithImage",
            "podsWithLabel",
            "request",
            "requested",
            "requestedCpu",
            "requestedMemory",
            "requests",
            "size",
            "topologyCount",
            "volumeClaims");

    private Ranges() {}

    /** The range of a term of type NUMBER. */
    static Interval of(Term term) {
        if (term instanceof Term.Constant constant && constant.value() instanceof Double number) {
            return Interval.of(number);
        }
        if (term instanceof Term.Access access) {
            return of(access);
        }
        if (term instanceof Term.Arithmetic arithmetic) {
            Interval left = of(arithmetic.left());
            Interval right = of(arithmetic.right());
            return switch (arithmetic.operator()) {
                case '+' -> left.plus(right);
                case '-' -> left.minus(right);
                case '*' -> left.times(right);
                case '/' -> left.dividedBy(right);
                default -> left.remainder(right);
            };
        }
        if (term instanceof Term.Choice choice) {
            Boolean result = BooleanEquivalence.of(choice.condition());
            if (result != null) {
                return of(result ? choice.yes() : choice.no());
            }
            return of(choice.yes()).or(of(choice.no()));
        }
        if (term instanceof Term.Let let) {
            return of(let.body());
        }
        if (term instanceof Term.Calculation calculation) {
            return of(calculation);
        }
        if (term instanceof Term.Fold fold) {
            return of(fold);
        }
        return term instanceof Term.Size || term instanceof TextTerm.Length ? Interval.NOT_NEGATIVE : Interval.ALL;
    }

    private static Interval of(Term.Access access) {
        Member member = access.member();
        if (member.receiver() == RuleType.AMOUNTS) {
            return access.receiver() instanceof Term.Access map ? known(map.member()) : Interval.ALL;
        }
        if (member.receiver() == RuleType.POD && member.name().equals("priority")) {
            return new Interval(Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
        return known(member);
    }

    private static Interval known(Member member) {
        return NOT_NEGATIVE.contains(member.name()) ? Interval.NOT_NEGATIVE : Interval.ALL;
    }

    private static Interval of(Term.Calculation calculation) {
        Interval first = of(calculation.arguments().get(0));
        return switch (calculation.function()) {
            case MIN -> {
                Interval second = of(calculation.arguments().get(1));
                yield new Interval(Math.min(first.low(), second.low()), Math.min(first.high(), second.high()));
            }
            case MAX -> {
                Interval second = of(calculation.arguments().get(1));
                yield new Interval(Math.max(first.low(), second.low()), Math.max(first.high(), second.high()));
            }
            case ABS -> {
                double most = Math.max(Math.abs(first.low()), Math.abs(first.high()));
                yield new Interval(Math.max(0, Math.max(first.low(), -first.high())), most);
            }
            case FLOOR -> new Interval(Math.floor(first.low()), Math.floor(first.high()));
            case CEIL -> new Interval(Math.ceil(first.low()), Math.ceil(first.high()));
            // Half a unit more than any rounding mode.
            case ROUND -> new Interval(Math.floor(first.low()), Math.ceil(first.high()));
            case SQRT -> Interval.NOT_NEGATIVE;
            case LOG -> Interval.ALL;
        };
    }

    private static Interval of(Term.Fold fold) {
        return switch (fold.operation()) {
            case COUNT ->
                Boolean.FALSE.equals(BooleanEquivalence.of(fold.body())) ? Interval.of(0) : Interval.NOT_NEGATIVE;
            case SUM -> {
                Interval body = of(fold.body());
                yield new Interval(
                        body.low() >= 0 ? 0 : Double.NEGATIVE_INFINITY,
                        body.high() <= 0 ? 0 : Double.POSITIVE_INFINITY);
            }
            // 0 for an empty list.
            case MAX -> of(fold.body()).or(Interval.of(0));
            default -> Interval.ALL;
        };
    }

    /**
     * A range of numbers, both ends included; an end may be infinite. Ends are computed with the arithmetic of rules: rounding is
     * monotonic, so no value is outside.
     */
    record Interval(double low, double high) {
        static final Interval ALL = new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
        static final Interval NOT_NEGATIVE = new Interval(0, Double.POSITIVE_INFINITY);

        static Interval of(double number) {
            return new Interval(number, number);
        }

        /** The range between the smallest and the greatest end; unlimited if one of them is NaN, as with 0 times infinity. */
        private static Interval around(double... ends) {
            double low = ends[0];
            double high = ends[0];
            for (double end : ends) {
                if (Double.isNaN(end)) {
                    return ALL;
                }
                low = Math.min(low, end);
                high = Math.max(high, end);
            }
            return new Interval(low, high);
        }

        boolean isOne() {
            return low == high;
        }

        Interval or(Interval other) {
            return new Interval(Math.min(low, other.low), Math.max(high, other.high));
        }

        Interval plus(Interval other) {
            return around(low + other.low, high + other.high);
        }

        Interval minus(Interval other) {
            return around(low - other.high, high - other.low);
        }

        Interval times(Interval other) {
            return around(low * other.low, low * other.high, high * other.low, high * other.high);
        }

        /** A division by 0 fails, so it has no value; close to 0 any result is possible. */
        Interval dividedBy(Interval other) {
            return other.low > 0 || other.high < 0
                    ? around(low / other.low, low / other.high, high / other.low, high / other.high)
                    : ALL;
        }

        /** The remainder has the sign of the left side and is smaller than both. */
        Interval remainder(Interval other) {
            double most = Math.max(Math.abs(other.low), Math.abs(other.high));
            return new Interval(low >= 0 ? 0 : Math.max(low, -most), high <= 0 ? 0 : Math.min(high, most));
        }
    }
}
