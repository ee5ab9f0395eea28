package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.algorithm.NamedAlgorithms;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LenientReadingTest {
    private static final String HEAD = "\"kind\":\"Policy\",\"apiVersion\":\"v1\"";

    private static Policy read(String text) throws PolicyException {
        return new PolicyReader().read(text, "p.cfg");
    }

    private static List<String> warnings(String text) throws PolicyException {
        return read(text).warnings().stream()
                .map(warning -> warning.line("p.cfg"))
                .toList();
    }

    static Stream<Arguments> forms() {
        String noVersion = ", the file is read as kind: Policy, apiVersion: v1; v1.17 requires apiVersion";
        return Stream.of(
                Arguments.of("kind: Policy\n", List.of()),
                Arguments.of(
                        "{\"predicates\":[]}",
                        List.of("p.cfg:1:1: warning W022: without kind and apiVersion" + noVersion)),
                Arguments.of(
                        "kind: Policy\npredicates: []\n",
                        List.of("p.cfg:1:1: warning W022: without apiVersion" + noVersion)),
                Arguments.of("apiVersion: v1\npredicates: []\n", List.of()),
                Arguments.of(
                        "kind: Policy\nversion: v1\npredicates: []\n",
                        List.of(
                                "p.cfg:1:1: warning W022: without apiVersion" + noVersion,
                                "p.cfg:2:1: warning W021: version (1.0 to 1.16) has no effect and is ignored:"
                                        + " documents of OpenShift have it instead of apiVersion; no release read it")),
                Arguments.of(
                        "Kind: Policy\napiversion: v1\nPredicates:\n- Name: HostName\n",
                        List.of(
                                "p.cfg:1:1: warning W022: Kind is read as kind",
                                "p.cfg:2:1: warning W022: apiversion is read as apiVersion",
                                "p.cfg:3:1: warning W022: Predicates is read as predicates",
                                "p.cfg:4:3: warning W022: Name is read as name")),
                Arguments.of(
                        "{" + HEAD + ",\n\"builtin_extenders\":[{\"name\":\"RackFilter\"}],\"predicates\":[]}",
                        List.of("p.cfg:2:1: warning W023: field builtin_extenders does not exist here in any release;"
                                + " it is ignored")),
                Arguments.of(
                        "{" + HEAD + ",\n\"predicates\":[{\"name\":\"HostName\",\"order\":1}]}",
                        List.of("p.cfg:2:34: warning W023: field order does not exist here in any release; it is"
                                + " ignored")),
                Arguments.of(
                        "{" + HEAD + ",\n\"extenders\":[{\"urlPrefix\":\"http://x\",\"apiVersion\":\"v1beta1\"}]}",
                        List.of("p.cfg:2:38: warning W021: extenders[].apiVersion (1.2 to 1.16) has no effect and is"
                                + " ignored: extenders have only one version")),
                Arguments.of(
                        "{" + HEAD + ",\n\"extenders\":[{\"urlPrefix\":\"http://x\",\"comment\":\"gpu\"}]}",
                        List.of("p.cfg:2:38: warning W023: field comment does not exist here in any release; it is"
                                + " ignored")),
                Arguments.of(
                        "{" + HEAD + ",\n\"extenders\":[{\"httpTimeout\":\"5s\"}]}",
                        List.of("p.cfg:2:29: warning W022: extenders[].httpTimeout \"5s\" is read as 5000000000"
                                + " nanoseconds, the unit of policies")),
                Arguments.of(
                        "kind: Policy\napiVersion: v1\npriorities:\n- name: a\n  name: b\n  weight: 1\n",
                        List.of("p.cfg:5:3: warning W024: priorities[].name is set twice; the last value applies")),
                Arguments.of(
                        "kind: Policy\napiVersion: v1\nmetadata:\n  name: x\n",
                        List.of("p.cfg:3:1: warning W021: metadata (1.0 to 1.16) has no effect and is ignored: no"
                                + " release read it")));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void takesTheFormsOfOtherReleases(String text, List<String> warnings) throws PolicyException {
        assertEquals(warnings, warnings(text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            'urlPrefx':'http://x'                                    | urlPrefx           | urlPrefix
            'prioritiseVerb':'p'                                     | prioritiseVerb     | prioritizeVerb
            'wieght':2                                               | wieght             | weight
            'tlsConfig':{'insecur':true}                             | insecur            | insecure
            'managedResources':[{'nam':'a.b/c'}]                     | nam                | name
            'managedResources':[{'ignoredByShceduler':true}]         | ignoredByShceduler | ignoredByScheduler
            'nodeCacheCapabel':true                                  | nodeCacheCapabel   | nodeCacheCapable
            """)
    void rejectsMisspelledKeysOfExtendersThatV117Ignores(String fields, String key, String meant) throws Exception {
        String text = ("{" + HEAD + ",\n'extenders':[{" + fields + "}]}").replace('\'', '"');
        PolicyException refused = assertThrows(PolicyException.class, () -> read(text));
        assertEquals(
                "found unknown field: " + key + " " + meant,
                refused.problems().get(0).message() + " "
                        + refused.problems().get(0).suggestion());
        Policy asV117 = new PolicyReader(true).read(text, "p.cfg");
        assertEquals(1, asV117.extenders().size());
        assertEquals(
                List.of("field " + key + " does not exist here in any release; it is ignored (did you mean \"" + meant
                        + "\"?)"),
                asV117.warnings().stream().map(Warning::message).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "predicates, GeneralPred, GeneralPredicates",
        "predicates, NodeMemoryPressurePredicate, CheckNodeMemoryPressure",
        "predicates, PodAffinityPredicate, MatchInterPodAffinity",
        "priorities, SpreadingPriority, SelectorSpreadPriority"
    })
    void suggestsTheNameThatAPolicyUsesForANameOfABook(String list, String name, String meant) throws Exception {
        Policy policy = read("{" + HEAD + ",\"" + list + "\":[{\"name\":\"" + name + "\",\"weight\":1}]}");
        PolicyException refused = assertThrows(
                PolicyException.class,
                () -> new PolicyResolver(FeatureGates.defaults(), 1, false, NamedAlgorithms.ofV117()).resolve(policy));
        assertEquals(meant, refused.problems().get(0).suggestion());
    }

    @Test
    void readsWhatStandsUnderOtherNames() throws PolicyException {
        Policy policy = read("{\"Priorities\":[{\"Name\":\"r\",\"WEIGHT\":2,\"Argument\":{"
                + "\"RequestedToCapacityRatioArguments\":{\"UtilizationShape\":[{\"Utilization\":0,\"Score\":3}]}}}],"
                + "\n\"ExtenderConfigs\":[{\"URLPrefix\":\"http://x\",\"EnableHttps\":true,\"HTTPTimeout\":7,"
                + "\"TLSConfig\":{\"CAFile\":\"/ca\"}}]}");
        PriorityArgument.RatioArguments ratio =
                new PriorityArgument.RatioArguments(List.of(new PriorityArgument.ShapePoint(0, 3)), List.of());
        assertEquals(
                List.of(new PriorityPolicy(
                        "r", 2, new PriorityArgument(null, null, ratio, null), new SourcePosition(1, 16))),
                policy.priorities());
        assertEquals(
                List.of(new ExtenderConfig(
                        "http://x",
                        "",
                        "",
                        "",
                        0,
                        "",
                        true,
                        new ExtenderTls(false, "", "", "", "/ca", "", "", ""),
                        7,
                        false,
                        List.of(),
                        false,
                        new SourcePosition(2, 20),
                        new SourcePosition(2, 77))),
                policy.extenders());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"predicate\":[]",
                "\"extender\":[]",
                "\"predicates\":[{\"name\":\"x\",\"arguments\":{}}]",
                "\"predicates\":[{\"name\":\"x\",\"argument\":{\"labelPresence\":{}}}]",
                "\"predicates\":[{\"name\":\"x\",\"argument\":{\"serviceAffinity\":{\"label\":[\"a\"]}}}]",
                "\"rules\":[{\"name\":\"r\",\"Expression\":\"true\"}]",
                "\"rules\":[{\"name\":\"r\",\"expression\":\"true\",\"comment\":\"x\"}]",
                "\"extenders\":[{\"httpTimeout\":\"5 seconds\"}]",
                "\"extenders\":[{\"weight\":\"five\"}]",
                "\"priorities\":[{\"name\":\"x\",\"weight\":1.5}]",
                "\"predicates\":{}",
            })
    void refusesSlipsAsV117Does(String members) {
        String text = "{" + HEAD + "," + members + "}";
        PolicyException lenient = assertThrows(PolicyException.class, () -> read(text));
        PolicyException strict = assertThrows(PolicyException.class, () -> new PolicyReader(true).read(text, "p.cfg"));
        assertEquals(strict.v117Message(), lenient.v117Message());
        assertEquals(
                strict.problems().stream().map(Problem::lineNumber).toList(),
                lenient.problems().stream().map(Problem::lineNumber).toList());
    }

    @Test
    void readsAConfigMapJustAsLeniently() throws PolicyException {
        assertEquals(
                List.of(
                        "p.cfg:1:1: warning W022: without kind and apiVersion, the file is read as kind: Policy, apiVersion:"
                                + " v1; v1.17 requires apiVersion"),
                warnings("kind: ConfigMap\napiVersion: v1\ndata:\n  policy.cfg: |\n    {\"predicates\":[]}\n"));
    }
}
