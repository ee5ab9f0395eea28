package io.policyscheduler.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeatureGatesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|EvenPodsSpread|false",
                "''|PodDisruptionBudget|true",
                "''|CSIMigration|true",
                "''|CSIMigrationAWS|false",
                "''|TaintNodesByCondition|true",
                "EvenPodsSpread=true|EvenPodsSpread|true",
                " EvenPodsSpread = T ,,PodOverhead=0|EvenPodsSpread|true",
                "PodOverhead=true,PodOverhead=false|PodOverhead|false",
                "AllAlpha=true|PodOverhead|true",
                "AllAlpha=true,PodOverhead=false|PodOverhead|false",
                "PodOverhead=false,AllAlpha=true|PodOverhead|false",
                "AllAlpha=true|CSIMigrationAWS|false",
                "AllBeta=true|CSIMigrationAWS|true",
                "AllBeta=false|PodDisruptionBudget|false",
                "AllBeta=false|TaintNodesByCondition|true",
                "PodPriority=true|PodPriority|true",
            })
    void answersWithChosenBulkOrDefaultValue(String text, String gate, boolean expected) {
        assertEquals(expected, FeatureGates.parse(text).enabled(gate));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Nope=true|unrecognized feature gate: Nope",
                "PodPriority=false|cannot set feature gate PodPriority to false, feature is locked to true",
                "PodOverhead=v|invalid value of PodOverhead=v, err: strconv.ParseBool: parsing \"v\": invalid syntax",
                "PodOverhead|missing bool value for PodOverhead",
            })
    void refusesWithTheTextOfV117(String text, String message) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> FeatureGates.parse(text))
                        .getMessage());
    }
}
