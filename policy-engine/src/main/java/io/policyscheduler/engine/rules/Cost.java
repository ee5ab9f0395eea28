package io.policyscheduler.engine.rules;

/** Upper bound of the work of one evaluation, in units of about one member access. */
final class Cost {
    private static final long PATTERN = 50;
    private static final long READ_NUMBER = 10;

    private Cost() {}

    static long of(Term term) {
        long cost = 1;
        if (term instanceof Term.Fold fold) {
            return 1 + of(fold.list()) + fold.limit() * (1 + of(fold.body()));
        }
        if (term instanceof Term.Access access) {
            cost = access.member().cost() + of(access.receiver());
        } else if (term instanceof Term.Matches) {
            cost = PATTERN;
        } else if (term instanceof Term.ToNumber) {
            cost = READ_NUMBER;
        } else if (term instanceof Term.Choice choice) {
            return 1 + of(choice.condition()) + Math.max(of(choice.yes()), of(choice.no()));
        }
        for (Term part : term.parts()) {
            cost += of(part);
        }
        return cost;
    }
}
