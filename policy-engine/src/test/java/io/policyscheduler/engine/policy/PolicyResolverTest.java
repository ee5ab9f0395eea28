package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.NamedAlgorithms;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PolicyResolverTest {
    private static final String PREFIX = "couldn't create scheduler from policy: ";
    private static final String PREFERENCE =
            "{\"name\":\"p\",\"weight\":3,\"argument\":{\"labelPreference\":{\"label\":\"a\",\"presence\":true}}}";

    private static EffectivePolicy resolve(String members, FeatureGates gates, boolean strict) throws PolicyException {
        PolicyResolver resolver = new PolicyResolver(gates, 1, strict, NamedAlgorithms.ofV117());
        String text = "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"," + members + "}";
        return resolver.resolve(resolver.reader().read(text, "p.cfg"));
    }

    private static EffectivePolicy resolve(String members) throws PolicyException {
        return resolve(members, FeatureGates.defaults(), false);
    }

    private static PolicyException refused(String members) {
        return assertThrows(PolicyException.class, () -> resolve(members, FeatureGates.defaults(), true), members);
    }

    private static String ratio(String shape) {
        return "\"priorities\":[{\"name\":\"r\",\"weight\":1,\"argument\":{\"requestedToCapacityRatioArguments\":"
                + "{\"shape\":[" + shape + "]}}}]";
    }

    static Stream<Arguments> refusals() {
        String shape = "invalid RequestedToCapacityRatioPriority arguments: ";
        return Stream.of(
                Arguments.of("\"predicates\":[null]", "Invalid configuration: Predicate type not found for "),
                Arguments.of(
                        "\"predicates\":[{\"name\":\"x\",\"argument\":{}}]",
                        "Exactly 1 predicate argument is required, numArgs: 0, Predicate: x"),
                Arguments.of(
                        "\"predicates\":[{\"name\":\"EvenPodsSpread\"}]",
                        "Invalid configuration: Predicate type not found for EvenPodsSpread"),
                Arguments.of(
                        "\"priorities\":[{\"name\":\"x\",\"weight\":1,\"argument\":{}}]",
                        PREFIX + "No priority arguments set for priority x"),
                Arguments.of(
                        "\"priorities\":[{\"name\":\"NodeLabel\",\"weight\":1}," + PREFERENCE + "]",
                        "Invalid configuration: Priority type not found for NodeLabel"),
                Arguments.of(
                        "\"priorities\":[" + PREFERENCE + "," + PREFERENCE.replace("3", "4") + "]",
                        PREFIX + "LabelPreference  priority \"p\" has a different weight with \"p\""),
                Arguments.of(
                        "\"priorities\":[{\"name\":\"EqualPriority\",\"weight\":922337203685477580}]",
                        PREFIX
                                + "Priority EqualPriority should have a positive weight applied to it or it has overflown"),
                Arguments.of(ratio(""), shape + "at least one point must be specified"),
                Arguments.of(
                        ratio("{\"utilization\":0,\"score\":0},{\"utilization\":101,\"score\":0}"),
                        shape + "utilization values must not be greater than 100. Utilization[1]==101"),
                Arguments.of(
                        ratio("{\"utilization\":0,\"score\":0},{\"utilization\":1,\"score\":11}"),
                        shape + "score valuses not be greater than 100. Score[1]==110"),
                Arguments.of(
                        "\"priorities\":[{\"name\":\"LeastRequestedPriority\",\"weight\":92233720368547758},"
                                + "{\"name\":\"MostRequestedPriority\",\"weight\":92233720368547758}]",
                        PREFIX + "total priority of priority functions has overflown"),
                Arguments.of(
                        "\"hardPodAffinitySymmetricWeight\":101",
                        PREFIX + "invalid hardPodAffinitySymmetricWeight: 101, must be in the range 1-100"),
                Arguments.of(
                        "\"extenders\":[{\"bindVerb\":\"a\"},{\"bindVerb\":\"b\"}]",
                        PREFIX + "Only one extender can implement bind, found 2"),
                Arguments.of(
                        "\"extenders\":[{\"tlsConfig\":{\"insecure\":true,\"caFile\":\"/x\"}}]",
                        PREFIX + "specifying a root certificates file with the insecure flag is not allowed"),
                Arguments.of(
                        "\"extenders\":[{\"managedResources\":[{\"name\":\"\"}]}]",
                        PREFIX + "[name part must be non-empty, name part must consist of alphanumeric characters, '-',"
                                + " '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', "
                                + " or 'my.name',  or '123-abc', regex used for validation is"
                                + " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesWithTheTextOfV117(String members, String message) {
        assertEquals(message, refused(members).v117Message());
    }

    @Test
    void namesEveryUnknownAlgorithmAndWhatToWrite() {
        PolicyException refusal =
                refused("\"predicates\":[{\"name\":\"podfitsresources\"},{\"name\":\"CheckNodeCondition\"},"
                        + "{\"name\":\"MaxCSIVolumeCount\"}],"
                        + "\n\"priorities\":[{\"name\":\"NodeResourcesLeastAllocated\",\"weight\":1}]");
        String notFound = " type not found for ";
        assertEquals(
                List.of(
                        "p.cfg:1:50: Invalid configuration: Predicate" + notFound
                                + "podfitsresources (did you mean \"PodFitsResources\"?)",
                        "p.cfg:1:78: Invalid configuration: Predicate" + notFound
                                + "CheckNodeCondition; removed before 1.17, because node conditions became taints; remove the line",
                        "p.cfg:1:108: Invalid configuration: Predicate" + notFound
                                + "MaxCSIVolumeCount (did you mean \"MaxCSIVolumeCountPred\"?)",
                        "p.cfg:2:15: Invalid configuration: Priority" + notFound
                                + "NodeResourcesLeastAllocated (did you mean \"LeastRequestedPriority\"?)"),
                refusal.problems().stream().map(Problem::line).toList());
        assertEquals("Invalid configuration: Predicate" + notFound + "podfitsresources", refusal.v117Message());
    }

    @Test
    void refusesWhatIsNotBuiltInByName() throws PolicyException {
        Set<String> others = new HashSet<>(KnownAlgorithms.predicates());
        others.remove("HostName");
        others.add("own-rule");
        AlgorithmRegistry registry = NamedAlgorithms.registry(others, KnownAlgorithms.priorities());
        Policy policy = new PolicyReader()
                .read("kind: Policy\napiVersion: v1\npredicates:\n- name: HostName\n- name: own-rule\n", "p.cfg");
        PolicyResolver resolver = new PolicyResolver(FeatureGates.defaults(), 1, false, registry);
        PolicyException refusal = assertThrows(PolicyException.class, () -> resolver.resolve(policy));
        assertEquals(
                List.of("p.cfg:4:3: HostName is a v1.17 algorithm that this build does not contain"),
                refusal.problems().stream().map(Problem::line).toList());
    }

    @ParameterizedTest
    @CsvSource({"true,1", "false,7"})
    void usesTheHardWeightOfTheFileUnlessStrict(boolean strict, int expected) throws PolicyException {
        EffectivePolicy policy = resolve("\"hardPodAffinitySymmetricWeight\":7", FeatureGates.defaults(), strict);
        assertEquals(7, policy.policyHardPodAffinityWeight());
        assertEquals(expected, policy.hardPodAffinityWeight());
    }

    @Test
    void runsPodFitsPortsUnlessStrict() throws PolicyException {
        String members = "\"predicates\":[{\"name\":\"PodFitsPorts\"}]";
        assertEquals(
                List.of("CheckNodeUnschedulable", "PodFitsHostPorts", "PodToleratesNodeTaints"),
                resolve(members).evaluationOrder());
        EffectivePolicy strict = resolve(members, FeatureGates.defaults(), true);
        assertEquals(List.of("CheckNodeUnschedulable", "PodToleratesNodeTaints"), strict.evaluationOrder());
        assertEquals(
                List.of("CheckNodeUnschedulable", "PodFitsPorts", "PodToleratesNodeTaints"), strict.predicateKeys());
    }

    static Stream<Arguments> accumulatedWeights() {
        String plain = "{\"name\":\"NodeLabel\",\"weight\":7}";
        return Stream.of(
                Arguments.of(List.of(PREFERENCE), 3L),
                Arguments.of(List.of(PREFERENCE, PREFERENCE), 6L),
                Arguments.of(List.of(PREFERENCE, PREFERENCE, plain), 7L),
                Arguments.of(List.of(PREFERENCE, PREFERENCE, plain, PREFERENCE), 10L));
    }

    @ParameterizedTest
    @MethodSource("accumulatedWeights")
    void addsUpTheWeightsOfArgumentEntries(List<String> entries, long weight) throws PolicyException {
        assertEquals(
                Map.of("NodeLabel", weight),
                resolve("\"priorities\":[" + String.join(",", entries) + "]").priorities());
    }

    @ParameterizedTest
    @CsvSource({
        "4294967296,1,4294967296",
        "4294967297,1,4294967297",
        "2147483648,-2147483648,2147483648",
        "5,5,5",
    })
    void truncatesPluginWeightsOnlyWhenStrict(long weight, long strict, long lenient) throws PolicyException {
        String members = "\"priorities\":[{\"name\":\"LeastRequestedPriority\",\"weight\":" + weight
                + "},{\"name\":\"ServiceSpreadingPriority\",\"weight\":" + weight + "}]";
        EffectivePolicy policy = resolve(members, FeatureGates.defaults(), true);
        assertEquals(
                Map.of("NodeResourcesLeastAllocated", strict),
                PluginTranslation.of(policy).scores());
        assertEquals(weight, policy.priorities().get("ServiceSpreadingPriority"));
        assertEquals(
                Map.of("NodeResourcesLeastAllocated", lenient),
                PluginTranslation.of(resolve(members)).scores());
    }

    @Test
    void resolvesTheExampleOfTheSpecification() throws PolicyException {
        EffectivePolicy policy = resolve(
                "\"predicates\":[{\"name\":\"PodFitsHostPorts\"},{\"name\":\"PodFitsResources\"},"
                        + "{\"name\":\"zone\",\"argument\":{\"serviceAffinity\":{\"labels\":[\"region\"]}}},"
                        + "{\"name\":\"ssd\",\"argument\":{\"labelsPresence\":{\"labels\":[\"disk\"],\"presence\":true}}}],"
                        + "\"priorities\":[{\"name\":\"LeastRequestedPriority\",\"weight\":1},"
                        + "{\"name\":\"a\",\"weight\":2,\"argument\":{\"labelPreference\":{\"label\":\"fast\",\"presence\":true}}},"
                        + "{\"name\":\"b\",\"weight\":2,\"argument\":{\"labelPreference\":{\"label\":\"old\",\"presence\":false}}}]");
        PluginTranslation plugins = PluginTranslation.of(policy);
        assertEquals(
                new PluginTranslation(
                        List.of(
                                "NodeUnschedulable",
                                "NodePorts",
                                "NodeResourcesFit",
                                "TaintToleration",
                                "NodeLabel",
                                "ServiceAffinity"),
                        Map.of("NodeResourcesLeastAllocated", 1L, "NodeLabel", 4L),
                        Map.of(
                                "NodeLabel",
                                Map.of(
                                        "presentLabels", List.of("disk"),
                                        "presentLabelsPreference", List.of("fast"),
                                        "absentLabelsPreference", List.of("old")),
                                "ServiceAffinity",
                                Map.of("labels", List.of("region"))),
                        List.of(),
                        null),
                plugins);
        assertEquals(List.of(), policy.warnings());
        AlgorithmConfig config = policy.algorithmConfig(name -> "");
        assertEquals(List.of("disk"), config.presentLabels());
        assertEquals(List.of("old"), config.preferAbsentLabels());
    }

    @Test
    void explainsWhereEachAlgorithmComesFrom() throws PolicyException {
        EffectivePolicy policy = resolve(
                "\n\"predicates\":[{\"name\":\"HostName\"},\n{\"name\":\"HostName\"}]",
                FeatureGates.defaults().with(FeatureGates.EVEN_PODS_SPREAD, true),
                false);
        assertEquals("merged from lines 2, 3", origin(policy.predicates().get("HostName")));
        assertEquals("mandatory", origin(policy.predicates().get("PodToleratesNodeTaints")));
        assertEquals(
                "feature gate EvenPodsSpread", origin(policy.priorityOrigins().get("EvenPodsSpreadPriority")));
        assertEquals("DefaultProvider", origin(policy.priorityOrigins().get("LeastRequestedPriority")));
    }

    private static String origin(@Nullable Origin origin) {
        return origin == null ? "none" : origin.describe();
    }

    static Stream<Arguments> traps() {
        String least = "{\"name\":\"LeastRequestedPriority\",\"weight\":1}";
        return Stream.of(
                Arguments.of("\"alwaysCheckAllPredicates\":true", List.of("W001")),
                Arguments.of("\"hardPodAffinitySymmetricWeight\":5", List.of("W002")),
                Arguments.of("\"predicates\":[{\"name\":\"PodFitsPorts\"}]", List.of("W003", "W008")),
                Arguments.of(
                        "\"predicates\":[{\"name\":\"GeneralPredicates\"},{\"name\":\"HostName\"}]", List.of("W004")),
                Arguments.of("\"predicates\":[]", List.of("W008")),
                Arguments.of("\"priorities\":[" + least + "," + least + "]", List.of("W005")),
                Arguments.of("\"priorities\":[{\"name\":\"ServiceSpreadingPriority\",\"weight\":1}]", List.of("W006")),
                Arguments.of("\"priorities\":[" + least.replace("1}", "4294967297}") + "]", List.of("W007")),
                Arguments.of(
                        "\"priorities\":[" + PREFERENCE.replace("\"p\"", "\"LeastRequestedPriority\"") + "]",
                        List.of("W009")),
                Arguments.of(
                        "\"predicates\":[{\"name\":\"GeneralPredicates\"},"
                                + "{\"name\":\"x\",\"argument\":{\"labelsPresence\":{\"presence\":true}}}]",
                        List.of("W010")),
                Arguments.of("\"priorities\":[{\"name\":\"EqualPriority\",\"weight\":1}]", List.of("W012")),
                Arguments.of(
                        ratio("{\"utilization\":0,\"score\":0}")
                                .replace(
                                        "]}}",
                                        "],\"resources\":[{\"name\":\"cpu\",\"weight\":-1},{\"name\":\"cpu\"}]}}"),
                        List.of("W013", "W014")),
                Arguments.of(
                        "\"extenders\":[{\"urlPrefix\":\"http://x\",\"filterVerb\":\"f\",\"httpTimeout\":5000}]",
                        List.of("W015")),
                Arguments.of("\"extenders\":[null]", List.of("W020")),
                Arguments.of(
                        "\"extenders\":[{\"urlPrefix\":\"https://h\",\"filterVerb\":\"f\",\"enableHttps\":true}]",
                        List.of("W031")),
                Arguments.of(
                        "\"extenders\":[{\"urlPrefix\":\"https://h\",\"filterVerb\":\"f\",\"enableHttps\":true,"
                                + "\"tlsConfig\":{\"insecure\":true}}]",
                        List.of()),
                Arguments.of(
                        "\"priorities\":[" + PREFERENCE + "," + PREFERENCE.replace("true", "false") + "]",
                        List.of("W017")),
                Arguments.of(
                        "\"priorities\":[" + PREFERENCE + ",{\"name\":\"NodeLabel\",\"weight\":7}]", List.of("W019")));
    }

    @ParameterizedTest
    @MethodSource("traps")
    void warnsOfTraps(String members, List<String> codes) throws PolicyException {
        assertEquals(
                codes, resolve(members).warnings().stream().map(Warning::code).toList());
    }

    @Test
    void warnsOfGatesThatTheListsDoNotUse() throws PolicyException {
        FeatureGates gates = FeatureGates.parse("AllAlpha=true");
        EffectivePolicy policy = resolve("\"priorities\":[]", gates, false);
        assertEquals(
                List.of("W018", "W018"),
                policy.warnings().stream().map(Warning::code).toList());
        assertEquals(Map.of(), policy.priorities());
        assertEquals(
                Origin.Kind.GATE,
                policy.predicates()
                        .getOrDefault("EvenPodsSpread", Origin.file(List.of(), Map.of()))
                        .kind());
    }

    @Test
    void ordersExtendersAndCollectsIgnoredResources() throws PolicyException {
        EffectivePolicy policy = resolve("\"extenders\":[{\"urlPrefix\":\"a\",\"ignorable\":true},"
                + "{\"urlPrefix\":\"b\",\"managedResources\":[{\"name\":\"x.y/z\",\"ignoredByScheduler\":true},"
                + "{\"name\":\"x.y/w\"}]},{\"urlPrefix\":\"c\"}]");
        assertEquals(
                List.of("b", "c", "a"),
                policy.extenders().stream().map(ExtenderConfig::urlPrefix).toList());
        assertEquals(Set.of("x.y/z"), policy.ignoredExtendedResources());
    }

    @Test
    void resolvesProviders() throws PolicyException {
        PolicyResolver resolver = new PolicyResolver(FeatureGates.defaults(), 1, false, NamedAlgorithms.ofV117());
        EffectivePolicy autoscaler = resolver.resolveProvider("ClusterAutoscalerProvider");
        assertEquals(1L, autoscaler.priorities().getOrDefault("MostRequestedPriority", 0L));
        assertNull(autoscaler.priorities().get("LeastRequestedPriority"));
        assertEquals(10000L, autoscaler.priorities().getOrDefault("NodePreferAvoidPodsPriority", 0L));
        assertEquals(
                "couldn't create scheduler using provider \"X\": provider \"X\" is not registered",
                assertThrows(PolicyException.class, () -> resolver.resolveProvider("X"))
                        .v117Message());
        PolicyResolver zero = new PolicyResolver(FeatureGates.defaults(), 0, false, NamedAlgorithms.ofV117());
        assertEquals(
                "couldn't create scheduler using provider \"DefaultProvider\": invalid hardPodAffinitySymmetricWeight: 0,"
                        + " must be in the range 1-100",
                assertThrows(PolicyException.class, () -> zero.resolveProvider("DefaultProvider"))
                        .v117Message());
    }
}
