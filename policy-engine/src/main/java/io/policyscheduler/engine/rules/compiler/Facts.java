package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.TableSchema;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which entries of maps and tables are there when a condition has been answered. */
final class Facts {
    private Facts() {}

    /** The terms that may be missing and are there when a condition came to this answer. */
    static Set<Term> of(Term condition, boolean answer) {
        if (condition instanceof Term.Not not) {
            return of(not.operand(), !answer);
        }
        if (condition instanceof Term.Logic logic) {
            Set<Term> left = of(logic.left(), answer);
            Set<Term> right = of(logic.right(), answer);
            Set<Term> both = new HashSet<>(left);
            if (logic.and() == answer) {
                both.addAll(right);
            } else {
                both.retainAll(right);
            }
            return both;
        }
        if (condition instanceof TextTerm.Blank blank) {
            return answer ? Set.of() : maybe(blank.text());
        }
        if (condition instanceof Term.Equality equality) {
            return equality.equal() == answer ? equal(equality.left(), equality.right()) : Set.of();
        }
        return answer ? ofTrue(condition) : Set.of();
    }

    private static Set<Term> ofTrue(Term condition) {
        if (condition instanceof TextTerm.Present present) {
            return maybe(present.text());
        }
        if (condition instanceof MaybeTerm.Present present) {
            return maybe(present.value());
        }
        if (condition instanceof TableTerm.Has has && !has.table().isRecord()) {
            return maybe(new TableTerm.Entry(has.table(), TableSchema.VALUE, has.key()));
        }
        if (condition instanceof Term.In in) {
            return maybe(in.value());
        }
        if (condition instanceof Term.Access access
                && access.receiver().type() == RuleType.LABELS
                && access.member().name().equals("containsKey")) {
            Member entry = Members.find(RuleType.LABELS, "get", 1);
            return entry == null ? Set.of() : Set.of(new Term.Access(access.receiver(), entry, access.arguments()));
        }
        return Set.of();
    }

    /** What equals a string that is there is there, too. */
    private static Set<Term> equal(Term left, Term right) {
        if (left.type() == RuleType.STRING) {
            return maybe(right);
        }
        return right.type() == RuleType.STRING ? maybe(left) : Set.of();
    }

    private static Set<Term> maybe(Term term) {
        return term.type().isMaybe() ? Set.copyOf(List.of(term)) : Set.of();
    }
}
