package io.policyscheduler.engine.rules;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Coverage-guided fuzzing of the rule compiler, from the hostile corpus and good expressions on. Without {@code JAZZER_FUZZ=1} in
 * the environment only those are tried; with it Jazzer searches for ten minutes:
 * {@code JAZZER_FUZZ=1 mvn -pl policy-engine test -Dtest=RuleFuzzTest}. {@link RuleBriefFuzzTest} is the same for every build.
 */
class RuleFuzzTest {
    private final RuleFuzzTarget target = new RuleFuzzTarget();

    @MethodSource
    @FuzzTest(maxDuration = "10m")
    void refusesOrRuns(String text) {
        target.run(text == null ? "" : text);
    }

    static List<String> refusesOrRuns() throws IOException {
        return RuleFuzzTarget.seeds();
    }
}
