package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricFields;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyNameHistoryTest {
    /** Names of this program, and names that exist only with an argument. */
    private static final Set<String> OF_ARGUMENTS = Set.of("NodeLabel", "ServiceAffinity", "RequestedToCapacityRatio");

    static Stream<HistoricName> all() {
        return Stream.concat(PolicyNameHistory.all().stream(), HistoricFields.all().stream());
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyRowIsSound(HistoricName row) {
        assertAll(
                () -> assertTrue(row.first().compareTo(row.last()) <= 0, row.releases()),
                () -> assertTrue(row.last().compareTo(new Release(22)) <= 0, row.releases()),
                () -> assertEquals(
                        row.meaning() == HistoricName.Meaning.NOTHING,
                        row.successors().isEmpty(),
                        row.toString()),
                () -> assertEquals(
                        row.meaning() == HistoricName.Meaning.SAME || row.meaning() == HistoricName.Meaning.UNGATED,
                        row.successors().contains(row.name()),
                        row.toString()));
    }

    @Test
    void whatNamesMeanTodayIsKnown() {
        for (HistoricName row : PolicyNameHistory.all()) {
            Set<String> known = row.kind() == HistoricName.Kind.PREDICATE
                    ? KnownAlgorithms.predicates()
                    : KnownAlgorithms.priorities();
            assertTrue(known.containsAll(row.successors()), row.toString());
        }
    }

    @Test
    void everyAlgorithmOfV117HasARow() {
        Set<String> missing = new TreeSet<>();
        KnownAlgorithms.predicates().stream()
                .filter(name -> PolicyNameHistory.predicate(name).isEmpty())
                .forEach(missing::add);
        KnownAlgorithms.priorities().stream()
                .filter(name -> PolicyNameHistory.priority(name).isEmpty())
                .forEach(missing::add);
        missing.removeAll(OF_ARGUMENTS);
        assertEquals(Set.of(), missing);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CheckNodeMemoryPressure | CheckNodeMemoryPressure (1.3 to 1.16) is part of PodToleratesNodeTaints,"
                        + " which every policy runs: since 1.12, the condition is a taint that pods of every QoS class must tolerate",
                "CheckNodeCondition | CheckNodeCondition (1.8 to 1.16) is part of PodToleratesNodeTaints"
                        + " and CheckNodeUnschedulable, which every policy runs: the conditions are taints since 1.12",
                "NoVolumeNodeConflict | NoVolumeNodeConflict (1.7 to 1.9) is now CheckVolumeBinding",
                "EvenPodsSpread | EvenPodsSpread (1.16 to 1.22) runs here without a feature gate: only releases up to 1.17"
                        + " required the gate EvenPodsSpread",
                "CheckServiceAffinity | CheckServiceAffinity (1.18 to 1.22) has no effect and is ignored: without"
                        + " serviceAffinity there are no labels to compare",
                "HostName | HostName (1.0 to 1.22) is unchanged",
            })
    void tellsWhatAPredicateIsToday(String name, String text) {
        assertEquals(Optional.of(text), PolicyNameHistory.predicate(name).map(HistoricName::describe));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PodFitsHost", "hostname", "PodToleratesNodeNoExecuteTaints", "PodFitsLocalDisk", ""})
    void knowsNoNameThatNoReleaseHad(String name) {
        assertEquals(Optional.empty(), PolicyNameHistory.predicate(name));
        assertEquals(Optional.empty(), PolicyNameHistory.priority(name));
    }
}
