package io.policyscheduler.engine.rules;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Coverage-guided fuzzing of the rule compiler. Without {@code JAZZER_FUZZ=1} in the environment only the stored inputs are
 * tried; with it Jazzer searches for ten minutes:
 * {@code JAZZER_FUZZ=1 mvn -pl policy-engine test -Dtest=RuleFuzzTest}.
 */
class RuleFuzzTest {
    private final RuleFuzzTarget target = new RuleFuzzTarget();

    @FuzzTest(maxDuration = "10m")
    void refusesOrRuns(String text) {
        target.run(text == null ? "" : text);
    }
}
