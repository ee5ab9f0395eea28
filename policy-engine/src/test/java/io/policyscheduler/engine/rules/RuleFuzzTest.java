package io.policyscheduler.engine.rules;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Coverage-guided fuzzing of the rule compiler, from the hostile corpus and good expressions on. Not part of the build, which has
 * {@link RuleBriefFuzzTest}: {@code JAZZER_FUZZ=1 mvn -pl policy-engine test -Dtest=RuleFuzzTest} searches for ten minutes.
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
