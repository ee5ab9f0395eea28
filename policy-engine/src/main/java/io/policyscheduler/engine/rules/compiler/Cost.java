package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.StringOperator;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The estimated cost of one evaluation, in units of about one member access: an upper bound as long as lists and strings have at
 * most the assumed size. The {@link Meter} charges the actual cost.
 */
public final class Cost {
    private static final long PATTERN = 50;
    private static final long READ_NUMBER = 10;
    /** The cost of a table lookup. */
    private static final long TABLE = 3;

    private Cost() {}

    public static long of(Term term) {
        return of(term, true);
    }

    /** The cost of one element of a list operation, without nested list operations. */
    public static long ofElement(Term.Fold fold) {
        return 1 + of(fold.body(), false);
    }

    private static long of(Term term, boolean elements) {
        long cost = 1;
        if (term instanceof Term.Fold fold) {
            long body = elements ? fold.limit() * (1 + of(fold.body(), true)) : 0;
            return 1 + of(fold.list(), elements) + body;
        }
        if (term instanceof Term.Access access) {
            cost = access.member().cost() + of(access.receiver(), elements);
        } else if (term instanceof Term.Matches) {
            cost = PATTERN;
        } else if (term instanceof TableTerm) {
            cost = TABLE;
        } else if (term instanceof Term.ToNumber) {
            cost = READ_NUMBER;
        } else if (term instanceof Term.Choice choice) {
            return 1
                    + of(choice.condition(), elements)
                    + Math.max(of(choice.yes(), elements), of(choice.no(), elements));
        }
        for (Term part : term.parts()) {
            cost += of(part, elements);
        }
        return cost;
    }

    /** Finds the parts of a rule whose cost depends on the size of objects, so that it can exceed the budget. */
    public static final class Sizes {
        /** Members that iterate over a list of the pod or node. */
        private static final Set<String> WALKING = Set.of(
                "tolerates",
                "hostPorts",
                "volumeClaims",
                "podsWithImage",
                "conditions",
                "claims",
                "volumeZone",
                "budgets",
                "disruptionsAllowed");

        private static final Set<String> KEYS = Set.of("key", "topologyKey");
        private static final int LABEL = 63;

        private Sizes() {}

        /** The parts, with all parentheses, sorted. */
        public static List<String> parts(Term term) {
            Set<String> parts = new TreeSet<>();
            collect(term, parts);
            return List.copyOf(parts);
        }

        private static void collect(Term term, Set<String> into) {
            if (term instanceof Term.Fold fold) {
                into.add("elements of " + TermText.of(fold.list()));
            } else if (term instanceof Term.Access access) {
                if (varies(access)) {
                    into.add("pods and nodes for " + TermText.of(access));
                } else if (WALKING.contains(access.member().name())) {
                    into.add("lists for " + TermText.of(access));
                }
                collect(access.receiver(), into);
            } else if (TermReads.isPlaced(term)) {
                into.add("pods of the node for " + TermText.of(term));
            } else {
                longTexts(term).forEach(text -> into.add("length of " + TermText.of(text)));
            }
            term.parts().forEach(part -> collect(part, into));
        }

        /** True if the part itself, without its operands, is charged. */
        private static boolean isCharged(Term term) {
            if (term instanceof Term.Access access) {
                return varies(access) || WALKING.contains(access.member().name());
            }
            return term instanceof Term.Fold
                    || TermReads.isPlaced(term)
                    || !longTexts(term).isEmpty();
        }

        /** True if evaluating the term or one of its parts is charged. */
        public static boolean grows(Term term) {
            if (isCharged(term) || (term instanceof Term.Access access && grows(access.receiver()))) {
                return true;
            }
            return term.parts().stream().anyMatch(Sizes::grows);
        }

        /** True if an evaluation can fail: it calculates, or it is charged. */
        public static boolean mayFail(Term term) {
            if (term instanceof Term.Arithmetic || term instanceof Term.Calculation || isCharged(term)) {
                return true;
            }
            if (term instanceof Term.Access access && mayFail(access.receiver())) {
                return true;
            }
            return term.parts().stream().anyMatch(Sizes::mayFail);
        }

        /** The strings that a term iterates over and that can be longer than a label. */
        private static List<Term> longTexts(Term term) {
            if (term instanceof Term.Matches matches) {
                return longer(List.of(matches.value()));
            }
            if (term instanceof Term.StringCheck check) {
                boolean searches = check.test() == StringOperator.CONTAINS;
                return longer(searches ? List.of(check.left()) : List.of(check.right()));
            }
            if (term instanceof TextTerm.Blank
                    || term instanceof TextTerm.OrElse
                    || term instanceof TextTerm.Converted) {
                return longer(List.of(((TextTerm) term).text()));
            }
            if (term instanceof Term.Contains contains && contains.value().type() == RuleType.STRING) {
                return longer(List.of(contains.value()));
            }
            if (term instanceof Term.Equality equality && equality.left().type().isText()) {
                return compared(equality.left(), equality.right());
            }
            if (term instanceof Term.In in && in.value().type().isText()) {
                List<Term> texts = new ArrayList<>();
                in.items().forEach(item -> texts.addAll(compared(in.value(), item)));
                return texts;
            }
            return List.of();
        }

        /** Strings of different lengths are not compared by character. */
        private static List<Term> compared(Term left, Term right) {
            List<Term> both = longer(List.of(left, right));
            return both.size() == 2 ? both : List.of();
        }

        private static List<Term> longer(List<Term> texts) {
            return texts.stream().filter(Sizes::mayBeLong).toList();
        }

        private static boolean mayBeLong(Term text) {
            if (text instanceof Constant constant) {
                return String.valueOf(constant.value()).length() > LABEL;
            }
            if (text instanceof Term.Choice choice) {
                return mayBeLong(choice.yes()) || mayBeLong(choice.no());
            }
            if (text instanceof TextTerm.Known known) {
                return mayBeLong(known.text());
            }
            return true;
        }

        /** True for a count by a label that differs between nodes or elements, so that it has no index. */
        public static boolean varies(Term.Access access) {
            Member member = access.member();
            boolean counts = (member.receiver() == RuleType.NODE || member.receiver() == RuleType.CLUSTER)
                    && member.result() == RuleType.NUMBER;
            for (int i = 0; counts && i < access.arguments().size(); i++) {
                Term argument = access.arguments().get(i);
                if (KEYS.contains(member.parameters().get(i))
                        && !(argument instanceof Constant)
                        && !TermReads.aboutPodOnly(argument)) {
                    return true;
                }
            }
            return false;
        }
    }
}
