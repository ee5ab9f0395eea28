package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricFields;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoricFieldsTest {
    @ParameterizedTest
    @CsvSource({
        "EXTENDERS[].BindVerb,extenders[].bindVerb (1.7 to 1.22) is unchanged",
        "ExtenderConfigs,extenderConfigs (1.2 to 1.16) is now extenders",
    })
    void findsInAnyCase(String path, String text) {
        assertEquals(Optional.of(text), HistoricFields.find(path).map(HistoricName::describe));
    }

    @Test
    void findsNothingWhereNoReleaseHadAnything() {
        assertEquals(Optional.empty(), HistoricFields.find("builtin_extenders"));
    }
}
