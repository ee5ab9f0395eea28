package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.Meter;

/**
 * Estimated work of one evaluation, in units of about one member access: an upper bound as long as lists have no more elements
 * than estimated and strings are no longer than labels. What an evaluation really costs is charged to its {@link Meter}.
 */
public final class Cost {
    private static final long PATTERN = 50;
    private static final long READ_NUMBER = 10;
    /** Looking a key up. */
    private static final long TABLE = 3;

    private Cost() {}

    public static long of(Term term) {
        return of(term, true);
    }

    /** What one element of a list operation is charged; those of list operations in its body are charged there. */
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
}
