package io.policyscheduler.framework.insight.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.modern.ModernProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlgorithmConceptTest {
    private static final SchedulerSpec POLICY = source(
            List.of(
                    "CheckNodeUnschedulable",
                    "GeneralPredicates",
                    "PodFitsResources",
                    "MaxEBSVolumeCount",
                    "MaxCSIVolumeCountPred"),
            Map.of("SelectorSpreadPriority", 1L, "ServiceAffinity", 2L, "MyRule", 3L));

    private static SchedulerSpec source(List<String> filters, Map<String, Long> scores) {
        return new SchedulerSpec(
                "policy",
                SchedulerSpec.Kind.FUNCTIONS,
                filters,
                scores,
                (cluster, tieBreak, adjustment) -> {
                    throw new UnsupportedOperationException();
                },
                SchedulerSpec.Volumes.NONE);
    }

    private static AlgorithmConcept filter(String name) {
        return new AlgorithmConcept(AlgorithmConcept.Role.FILTER, name);
    }

    private static AlgorithmConcept score(String name) {
        return new AlgorithmConcept(AlgorithmConcept.Role.SCORE, name);
    }

    @Test
    void membersOfAPolicy() {
        assertEquals(Set.of("PodFitsResources"), AlgorithmConcept.members(POLICY, filter("NodeResourcesFit")));
        assertEquals(Set.of("MatchNodeSelector"), AlgorithmConcept.members(POLICY, filter("NodeAffinity")));
        assertEquals(
                Set.of("MaxEBSVolumeCount", "MaxCSIVolumeCountPred"),
                AlgorithmConcept.members(POLICY, filter("NodeVolumeLimits")));
        assertEquals(Set.of(), AlgorithmConcept.members(POLICY, filter("TaintToleration")));
        assertEquals(
                Set.of("SelectorSpreadPriority", "ServiceAffinity"),
                AlgorithmConcept.members(POLICY, score("PodTopologySpread")));
        assertEquals(Set.of("MyRule"), AlgorithmConcept.members(POLICY, score("MyRule")));
    }

    @Test
    void leavesConceptsOut() {
        assertEquals(
                new Adjustment(Set.of("HostName"), Set.of("MyRule"), Map.of()),
                AlgorithmConcept.without(
                        POLICY, List.of(filter("NodeName"), score("MyRule"), score("TaintToleration"))));
    }

    /** Every algorithm of a v1.17 policy has a modern counterpart, except for the listed ones. */
    @Test
    void oldAlgorithmsMeetTodaysPlugins() {
        SchedulerSpec modern =
                ProfileSchedulers.of("modern", ModernProfile::defaults, SchedulerSpec.Volumes.NONE, Extenders.NONE);
        Set<String> lonely = KnownAlgorithms.predicates().stream()
                .flatMap(name -> AlgorithmConcept.ofFilter(name).stream())
                .filter(concept -> AlgorithmConcept.members(modern, concept).isEmpty())
                .map(AlgorithmConcept::name)
                .collect(Collectors.toSet());
        assertEquals(Set.of("NodeLabel", "ServiceAffinity"), lonely);
        Set<String> lonelyScores = KnownAlgorithms.priorities().stream()
                .map(AlgorithmConcept::ofScore)
                .filter(concept -> AlgorithmConcept.members(modern, concept).isEmpty())
                .map(AlgorithmConcept::name)
                .collect(Collectors.toSet());
        assertEquals(Set.of("NodeLabel", "NodePreferAvoidPods", "NodeResourceLimits"), lonelyScores);
    }

    /** A policy run as functions and as plugins consists of the same concepts. */
    @Test
    void pluginsOfV117AreTheirAlgorithms() {
        KnownAlgorithms.predicates().forEach(predicate -> {
            List<String> plugins = KnownAlgorithms.filterPlugins(predicate);
            Set<AlgorithmConcept> ofPlugins = plugins.stream()
                    .flatMap(plugin -> AlgorithmConcept.ofFilter(plugin).stream())
                    .collect(Collectors.toSet());
            assertTrue(plugins.isEmpty() || ofPlugins.equals(AlgorithmConcept.ofFilter(predicate)), predicate);
        });
        for (String priority : KnownAlgorithms.priorities()) {
            String plugin = KnownAlgorithms.scorePlugin(priority);
            assertTrue(
                    plugin.isEmpty() || AlgorithmConcept.ofScore(plugin).equals(AlgorithmConcept.ofScore(priority)),
                    priority);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TaintToleration | node(s) had untolerated taint {a: b} | TaintToleration",
                "GeneralPredicates | Insufficient cpu | NodeResourcesFit",
                "GeneralPredicates | node(s) didn't match the requested hostname | NodeName",
                "GeneralPredicates | node(s) didn't have free ports for the requested pod ports | NodePorts",
                "GeneralPredicates | node(s) didn't match node selector | NodeAffinity",
                "GeneralPredicates | something else | NodeResourcesFit NodeName NodePorts NodeAffinity",
                "PodFitsHostPorts | Insufficient cpu | NodePorts",
                "'' | node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding] | NodeAffinity VolumeBinding",
                "NodeAffinity | node(s) didn't satisfy plugin NodeAffinity | NodeAffinity",
                "A | node(s) didn't satisfy plugin(s) [A B] simultaneously | A B",
                "'' | node being deleted | ''",
            })
    void whoRejected(String plugin, String reason, String expected) {
        NodeFailure failure = new NodeFailure(List.of(reason), false, plugin.isEmpty() ? null : plugin);
        Set<String> names = AlgorithmConcept.rejecting(failure).stream()
                .map(AlgorithmConcept::name)
                .collect(Collectors.toSet());
        assertEquals(expected.isEmpty() ? Set.of() : Set.of(expected.split(" ")), names);
    }
}
