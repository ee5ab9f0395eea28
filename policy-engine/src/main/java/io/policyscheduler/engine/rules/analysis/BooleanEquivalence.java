package io.policyscheduler.engine.rules.analysis;

import io.policyscheduler.engine.rules.analysis.Ranges.Interval;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds conditions with constant or equal results, independent of the inputs. */
final class BooleanEquivalence {
    private BooleanEquivalence() {}

    /** The only possible result of a term of type BOOL; null if both are possible, or unknown. */
    static @Nullable Boolean of(Term term) {
        if (term instanceof Term.Constant constant) {
            return (Boolean) constant.value();
        }
        if (term instanceof Term.Not not) {
            Boolean truth = of(not.operand());
            return truth == null ? null : (Boolean) !truth;
        }
        if (term instanceof Term.Logic logic) {
            return of(logic);
        }
        if (term instanceof Term.Comparison comparison) {
            return of(comparison);
        }
        if (term instanceof Term.Equality equality) {
            Boolean equal = equal(equality.left(), equality.right());
            return equal == null ? null : (Boolean) (equal == equality.equal());
        }
        if (term instanceof Term.Choice choice) {
            Boolean condition = of(choice.condition());
            if (condition != null) {
                return of(condition ? choice.yes() : choice.no());
            }
            Boolean yes = of(choice.yes());
            return yes != null && yes.equals(of(choice.no())) ? yes : null;
        }
        if (term instanceof Term.Let let) {
            return of(let.body());
        }
        if (term instanceof Term.Fold fold) {
            return of(fold);
        }
        return null;
    }

    private static @Nullable Boolean of(Term.Logic logic) {
        Boolean left = of(logic.left());
        Boolean right = of(logic.right());
        // One side determines the result.
        boolean decisive = !logic.and();
        if ((left != null && left == decisive) || (right != null && right == decisive)) {
            return decisive;
        }
        if (left != null && right != null) {
            return !decisive;
        }
        return Contradiction.is(logic, logic.and()) ? (Boolean) decisive : null;
    }

    private static @Nullable Boolean of(Term.Comparison comparison) {
        if (comparison.left().equals(comparison.right())) {
            return comparison.operator().endsWith("=");
        }
        Interval left = Ranges.of(comparison.left());
        Interval right = Ranges.of(comparison.right());
        return switch (comparison.operator()) {
            case "<" -> less(left, right);
            case ">" -> less(right, left);
            case "<=" -> not(less(right, left));
            default -> not(less(left, right));
        };
    }

    private static @Nullable Boolean not(@Nullable Boolean truth) {
        return truth == null ? null : (Boolean) !truth;
    }

    private static @Nullable Boolean less(Interval left, Interval right) {
        if (left.high() < right.low()) {
            return true;
        }
        return left.low() >= right.high() ? (Boolean) false : null;
    }

    private static @Nullable Boolean equal(Term left, Term right) {
        if (left.equals(right)) {
            return true;
        }
        if (left.type() != RuleType.NUMBER) {
            return null;
        }
        Interval first = Ranges.of(left);
        Interval second = Ranges.of(right);
        boolean apart = first.high() < second.low() || second.high() < first.low();
        return apart ? (Boolean) false : null;
    }

    private static @Nullable Boolean of(Term.Fold fold) {
        Boolean body = fold.operation().returnsBool() ? of(fold.body()) : null;
        if (fold.operation() == ListOperation.ANY && Boolean.FALSE.equals(body)) {
            return false;
        }
        return fold.operation() == ListOperation.ALL && Boolean.TRUE.equals(body) ? (Boolean) true : null;
    }

    /** A finder of conditions that cannot be true together: {@code a && !a}, {@code n > 5 && n < 3}, {@code x == 'a' && x == 'b'}. */
    static final class Contradiction {
        /** The bounds of one number: greater or less than, inclusive or exclusive. */
        private static final class Bounds {
            double low = Double.NEGATIVE_INFINITY;
            double high = Double.POSITIVE_INFINITY;
            boolean lowOpen;
            boolean highOpen;

            void atLeast(double number, boolean open) {
                if (number > low || (number == low && open)) {
                    low = number;
                    lowOpen = open;
                }
            }

            void atMost(double number, boolean open) {
                if (number < high || (number == high && open)) {
                    high = number;
                    highOpen = open;
                }
            }

            boolean isEmpty() {
                return low > high || (low == high && (lowOpen || highOpen));
            }
        }

        /** The possible values of one text. */
        private static final class Texts {
            /** The allowed values; null for any. */
            @Nullable
            Set<Object> among;

            final Set<Object> not = new HashSet<>();
            boolean missing;

            void among(Set<Object> values) {
                if (among == null) {
                    among = new HashSet<>(values);
                } else {
                    among.retainAll(values);
                }
            }

            boolean isEmpty() {
                return among != null && (missing || not.containsAll(among));
            }
        }

        private final Map<Term, Boolean> truths = new HashMap<>();
        private final Map<Term, Bounds> numbers = new HashMap<>();
        private final Map<Term, Texts> texts = new HashMap<>();
        private boolean found;

        private Contradiction() {}

        /** True if a condition cannot have this result. */
        static boolean is(Term condition, boolean truth) {
            Contradiction all = new Contradiction();
            all.collect(condition, truth);
            return all.found
                    || all.numbers.values().stream().anyMatch(Bounds::isEmpty)
                    || all.texts.values().stream().anyMatch(Texts::isEmpty);
        }

        private void collect(Term term, boolean truth) {
            if (term instanceof Term.Not not) {
                collect(not.operand(), !truth);
            } else if (term instanceof Term.Logic logic && logic.and() == truth) {
                collect(logic.left(), truth);
                collect(logic.right(), truth);
            } else if (term instanceof Term.Equality equality && !equality.equal()) {
                collect(new Term.Equality(true, equality.left(), equality.right()), !truth);
            } else {
                Boolean before = truths.putIfAbsent(term, truth);
                found |= before != null && before != truth;
                note(term, truth);
            }
        }

        private void note(Term term, boolean truth) {
            if (term instanceof Term.Comparison comparison) {
                compare(comparison.left(), comparison.operator(), comparison.right(), truth);
            } else if (term instanceof Term.Equality equality) {
                equal(equality.left(), equality.right(), truth);
                equal(equality.right(), equality.left(), truth);
            } else if (term instanceof Term.In in && in.items().stream().allMatch(Constant.class::isInstance)) {
                Set<Object> values = new HashSet<>();
                in.items().forEach(item -> values.add(((Constant) item).value()));
                Texts known = texts.computeIfAbsent(plain(in.value()), key -> new Texts());
                if (truth) {
                    known.among(values);
                } else {
                    known.not.addAll(values);
                }
            } else if (term instanceof TextTerm.Present present && !truth) {
                texts.computeIfAbsent(plain(present.text()), key -> new Texts()).missing = true;
            }
        }

        /** Unwraps a text that is known to exist. */
        private static Term plain(Term term) {
            return term instanceof TextTerm.Known known ? known.text() : term;
        }

        private void equal(Term value, Term constant, boolean truth) {
            if (!(constant instanceof Constant known) || value instanceof Constant) {
                return;
            }
            if (known.value() instanceof Double number) {
                if (truth) {
                    bounds(value).atLeast(number, false);
                    bounds(value).atMost(number, false);
                }
            } else if (known.value() instanceof String text) {
                Texts constraints = texts.computeIfAbsent(plain(value), key -> new Texts());
                if (truth) {
                    constraints.among(Set.of(text));
                } else {
                    constraints.not.add(text);
                }
            }
        }

        private void compare(Term left, String operator, Term right, boolean truth) {
            if (right instanceof Constant constant && constant.value() instanceof Double number) {
                boolean less = operator.startsWith("<") == truth;
                // !(a < 5) is a >= 5.
                boolean open = operator.endsWith("=") != truth;
                if (less) {
                    bounds(left).atMost(number, open);
                } else {
                    bounds(left).atLeast(number, open);
                }
            } else if (left instanceof Constant constant && constant.value() instanceof Double number) {
                boolean less = operator.startsWith(">") == truth;
                boolean open = operator.endsWith("=") != truth;
                if (less) {
                    bounds(right).atMost(number, open);
                } else {
                    bounds(right).atLeast(number, open);
                }
            }
        }

        private Bounds bounds(Term term) {
            return numbers.computeIfAbsent(term, key -> {
                Bounds bounds = new Bounds();
                Interval range = Ranges.of(term);
                bounds.atLeast(range.low(), false);
                bounds.atMost(range.high(), false);
                return bounds;
            });
        }
    }
}
