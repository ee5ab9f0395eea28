package io.policyscheduler.engine.rules.compiler;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which way the conditions of one rule have gone in several evaluations, with whatever parameters. Not for several threads. */
public final class Coverage {
    /**
     * One way that a condition can go.
     *
     * @param condition the part that decides
     * @param way the answer that takes it
     * @param taken whether some evaluation took it
     */
    public record Branch(Part condition, boolean way, boolean taken) {}

    private static final class Ways {
        final Part condition;
        boolean whenTrue;
        boolean whenFalse;

        Ways(Part condition) {
            this.condition = condition;
        }
    }

    /** By where the condition stands: other parameters make other parts of the same text. */
    private final Map<Span, Ways> ways = new LinkedHashMap<>();

    /** Adds the conditions of a rule, without an evaluation. */
    public void add(Part rule) {
        Conditions.of(rule).forEach(condition -> ways.computeIfAbsent(condition.span(), span -> new Ways(condition)));
    }

    /** Adds an evaluation of the rule. */
    public void add(PartValue evaluated) {
        add(evaluated.part());
        Map<Part, Tally> tallies = new IdentityHashMap<>();
        collect(evaluated, tallies);
        Conditions.of(evaluated.part()).forEach(condition -> {
            Ways known = ways.get(condition.span());
            Tally tally = tallies.getOrDefault(condition, Tally.NONE);
            if (known != null) {
                known.whenTrue |= tally.trues() > 0;
                known.whenFalse |= tally.falses() > 0;
            }
        });
    }

    private static void collect(PartValue value, Map<Part, Tally> into) {
        into.put(value.part(), value.tally());
        value.parts().forEach(part -> collect(part, into));
    }

    /** Both ways of each condition, in the order of the text. */
    public List<Branch> branches() {
        List<Branch> branches = new ArrayList<>();
        for (Ways each : ways.values()) {
            branches.add(new Branch(each.condition, true, each.whenTrue));
            branches.add(new Branch(each.condition, false, each.whenFalse));
        }
        return List.copyOf(branches);
    }
}
