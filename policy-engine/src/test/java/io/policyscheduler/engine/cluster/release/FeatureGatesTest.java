package io.policyscheduler.engine.cluster.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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

    /** Release, fields that are switched off, and whether sidecars, gates and newer fields at all count, and preemptionPolicy. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.17 | '' | false false false | false",
                "1.16 | '' | false false false | false",
                "1.18 | '' | false false true | false",
                "1.19 | '' | false false true | true",
                "1.27 | '' | false true true | true",
                "1.29 | '' | true true true | true",
                "1.34 | '' | true true true | true",
                "1.34 | sidecars | false true true | true",
                "1.34 | schedulingGates,preemptionPolicy | true false true | false",
            })
    void releaseAndIgnoredFieldsDecideWhatCounts(String release, String ignored, String counts, boolean preemption) {
        Set<NewerField> fields = Stream.of(ignored.split(",", -1))
                .flatMap(key -> NewerField.find(key).stream())
                .collect(Collectors.toSet());
        FeatureGates gates = FeatureGates.defaults().at(Release.parse(release)).ignoring(fields);
        assertEquals(
                counts,
                gates.honours(NewerField.SIDECARS) + " " + gates.honours(NewerField.SCHEDULING_GATES) + " "
                        + gates.honoursNewerFields());
        assertEquals(preemption, gates.enabled(FeatureGates.NON_PREEMPTING_PRIORITY));
        assertEquals(fields, gates.ignored());
        assertEquals(Release.parse(release), gates.release());
    }

    @Test
    void aChosenGateWinsOverTheRelease() {
        FeatureGates gates = FeatureGates.parse("NonPreemptingPriority=false").at(Release.NEWEST);
        assertEquals(false, gates.enabled(FeatureGates.NON_PREEMPTING_PRIORITY));
        assertEquals("NonPreemptingPriority=false", gates.toString());
        assertEquals(gates, FeatureGates.defaults().at(Release.NEWEST).with("NonPreemptingPriority", false));
        assertNotEquals(gates, gates.at(Release.V1_17));
        assertNotEquals(gates, gates.ignoring(Set.of(NewerField.SIDECARS)));
        assertEquals(
                gates.hashCode(), gates.at(Release.V1_17).at(Release.NEWEST).hashCode());
    }
}
