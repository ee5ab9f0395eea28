package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.algorithm.NamedAlgorithms;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Names of other releases than 1.17 and what they become. */
class HistoricPolicyTest {
    private static final String DEFAULTS = ",\"priorities\":[]";

    private static EffectivePolicy resolve(String members, boolean strict) throws PolicyException {
        PolicyResolver resolver = new PolicyResolver(FeatureGates.defaults(), 1, strict, NamedAlgorithms.ofV117());
        return resolver.resolve(
                resolver.reader().read("{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\n" + members + "}", "p.cfg"));
    }

    private static Map<String, String> origins(EffectivePolicy policy) {
        Map<String, String> origins = new TreeMap<>();
        policy.predicates().forEach((name, origin) -> origins.put(name, origin.describe()));
        return origins;
    }

    static Stream<Arguments> predicates() {
        return Stream.of(
                Arguments.of(
                        List.of("GeneralPredicates", "CheckNodeMemoryPressure"),
                        Map.of(
                                "CheckNodeUnschedulable",
                                "mandatory",
                                "GeneralPredicates",
                                "line 3",
                                "PodToleratesNodeTaints",
                                "line 4 (CheckNodeMemoryPressure)"),
                        List.of("W021")),
                Arguments.of(
                        List.of(
                                "CheckNodePIDPressure",
                                "PodToleratesNodeTaints",
                                "GeneralPredicates",
                                "CheckNodeCondition"),
                        Map.of(
                                "CheckNodeUnschedulable",
                                "line 6 (CheckNodeCondition)",
                                "GeneralPredicates",
                                "line 5",
                                "PodToleratesNodeTaints",
                                "merged from lines 3 (CheckNodePIDPressure), 4, 6 (CheckNodeCondition)"),
                        List.of("W021", "W021")),
                Arguments.of(
                        List.of("CheckVolumeBinding", "NoVolumeNodeConflict", "GeneralPredicates"),
                        Map.of(
                                "CheckNodeUnschedulable",
                                "mandatory",
                                "CheckVolumeBinding",
                                "merged from lines 3, 4 (NoVolumeNodeConflict)",
                                "GeneralPredicates",
                                "line 5",
                                "PodToleratesNodeTaints",
                                "mandatory"),
                        List.of("W021")),
                Arguments.of(
                        List.of("EvenPodsSpread", "EvenPodsSpread", "PodFitsPorts", "PodFitsResources"),
                        Map.of(
                                "CheckNodeUnschedulable",
                                "mandatory",
                                "EvenPodsSpread",
                                "merged from lines 3, 4",
                                "PodFitsHostPorts",
                                "line 5 (PodFitsPorts)",
                                "PodFitsResources",
                                "line 6",
                                "PodToleratesNodeTaints",
                                "mandatory"),
                        List.of("W021", "W005", "W003")),
                Arguments.of(
                        List.of("CheckServiceAffinity", "CheckNodeLabelPresence", "GeneralPredicates"),
                        Map.of(
                                "CheckNodeUnschedulable",
                                "mandatory",
                                "GeneralPredicates",
                                "line 5",
                                "PodToleratesNodeTaints",
                                "mandatory"),
                        List.of("W021", "W021")));
    }

    private static String members(List<String> names) {
        List<String> entries =
                names.stream().map(name -> "{\"name\":\"" + name + "\"}").toList();
        return "\"predicates\":[\n" + String.join(",\n", entries) + "]" + DEFAULTS;
    }

    @ParameterizedTest
    @MethodSource("predicates")
    void takesPredicatesOfOtherReleases(List<String> names, Map<String, String> origins, List<String> codes)
            throws PolicyException {
        EffectivePolicy policy = resolve(members(names), false);
        assertEquals(new TreeMap<>(origins), origins(policy));
        assertEquals(codes, policy.warnings().stream().map(Warning::code).toList());
        assertThrows(PolicyException.class, () -> resolve(members(names), true));
    }

    @Test
    void takesPrioritiesWithoutTheirGates() throws PolicyException {
        EffectivePolicy policy = resolve(
                "\"priorities\":[{\"name\":\"EvenPodsSpreadPriority\",\"weight\":2},\n"
                        + "{\"name\":\"ResourceLimitsPriority\",\"weight\":3}]",
                false);
        assertEquals(Map.of("EvenPodsSpreadPriority", 2L, "ResourceLimitsPriority", 3L), policy.priorities());
        assertEquals(
                List.of("W021", "W021", "W011"),
                policy.warnings().stream().map(Warning::code).toList());
    }

    @Test
    void countsPreferencesOfDifferentWeightsByTheirOwn() throws PolicyException {
        String preference = "{\"name\":\"%s\",\"weight\":%d,\"argument\":{\"%s\":{\"label\":\"%s\"%s}}}";
        EffectivePolicy policy = resolve(
                "\"priorities\":["
                        + String.join(
                                ",\n",
                                preference.formatted("a", 2, "labelPreference", "ssd", ",\"presence\":true"),
                                preference.formatted("b", 1, "labelPreference", "old", ""),
                                preference.formatted("c", 1, "serviceAntiAffinity", "rack", ""),
                                preference.formatted("d", 3, "serviceAntiAffinity", "zone", ""))
                        + "]",
                false);
        assertEquals(Map.of("a", 2L, "b", 1L, "c", 1L, "d", 3L), policy.priorities());
        assertEquals(
                Map.of("NodeLabel", 3L, "ServiceAffinity", 4L),
                policy.withMergedLabels().priorities());
        assertEquals(List.of("ssd", "ssd"), policy.arguments().presentLabelsPreference());
        assertEquals(List.of("old"), policy.arguments().absentLabelsPreference());
        assertEquals(List.of("rack", "zone", "zone", "zone"), policy.arguments().antiAffinityLabels());
        assertEquals(
                List.of(
                        "p.cfg:3:54: warning W034: labelPreference without presence prefers nodes without the label old\n"
                                + "  set presence: true to prefer nodes with the label, or presence: false",
                        "p.cfg:3:1: warning W025: labelPreference entries have different weights, which v1.17 rejects; each"
                                + " entry keeps its own weight here, as up to 1.16\n"
                                + "  give all of them one weight if v1.17 must accept the policy",
                        "p.cfg:5:1: warning W025: serviceAntiAffinity entries have different weights, which v1.17 rejects;"
                                + " each entry keeps its own weight here, as up to 1.16\n"
                                + "  give all of them one weight if v1.17 must accept the policy"),
                policy.warnings().stream().map(warning -> warning.line("p.cfg")).toList());
    }

    @Test
    void refusesNamesThatNoReleaseHad() {
        PolicyException refusal = assertThrows(
                PolicyException.class,
                () -> resolve(members(List.of("CheckNodeCondition", "PodFitsHost", "CheckNodeMemoryPresure")), false));
        assertEquals(
                List.of(
                        "p.cfg:4:1: Invalid configuration: Predicate type not found for PodFitsHost (did you mean"
                                + " \"HostName\"?)",
                        "p.cfg:5:1: Invalid configuration: Predicate type not found for CheckNodeMemoryPresure (did you mean"
                                + " \"CheckNodeMemoryPressure\"?)"),
                refusal.problems().stream().map(Problem::line).toList());
    }
}
