package io.policyscheduler.cmd.rule;

import io.policyscheduler.engine.rules.RuleProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What became of a case.
 *
 * @param differences from what is expected, in the order of nodes; empty when it passed
 */
record CaseResult(RuleCase of, List<Difference> differences) {
    /**
     * One thing that is not as expected.
     *
     * @param part a word of {@link CasePart}, or {@code mvel} where the executors differ: then what the direct one gives is
     *     expected
     */
    record Difference(String node, String part, String expected, String actual) {
        private String text() {
            return node + " " + part + ": expected " + expected + ", got " + actual;
        }
    }

    CaseResult {
        differences = List.copyOf(differences);
    }

    /** Runs a case by both executors. */
    static CaseResult of(RuleCase about) {
        return compare(
                about,
                CaseOutcome.run(about, RuleProgram.Executor.DIRECT),
                CaseOutcome.run(about, RuleProgram.Executor.MVEL));
    }

    /** Compares what is expected with what the executors gave, both in the order of nodes. */
    static CaseResult compare(RuleCase about, List<CaseOutcome> direct, List<CaseOutcome> mvel) {
        List<Difference> differences = new ArrayList<>();
        for (int i = 0; i < direct.size(); i++) {
            CaseOutcome outcome = direct.get(i);
            for (RuleCase.Expected expected : about.of(outcome.node())) {
                String actual = outcome.value(expected.part());
                if (!expected.value().equals(actual)) {
                    differences.add(
                            new Difference(outcome.node(), expected.part().word(), expected.value(), actual));
                }
            }
            if (!outcome.equals(mvel.get(i))) {
                differences.add(new Difference(
                        outcome.node(),
                        RuleProgram.Executor.MVEL.toString(),
                        outcome.text(),
                        mvel.get(i).text()));
            }
        }
        return new CaseResult(about, differences);
    }

    boolean passed() {
        return differences.isEmpty();
    }

    /** All differences in one line. */
    String text() {
        return differences.stream().map(Difference::text).collect(Collectors.joining("; "));
    }
}
