package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyReaderTest {
    private static final String HEAD = "\"kind\":\"Policy\",\"apiVersion\":\"v1\"";
    private static final String META = "invalid policy: couldn't get version/kind; json parse error: ";
    private static final String STRUCT = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string"
            + " \"json:\\\"kind,omitempty\\\"\" }";

    private static Policy read(String text) throws PolicyException {
        return new PolicyReader().read(text, "p.cfg");
    }

    private static PolicyException refused(String text) {
        PolicyReader strict = new PolicyReader(true);
        return assertThrows(PolicyException.class, () -> strict.read(text, "p.cfg"), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " \n  ",
                "null",
                "{}",
                "---\n",
                "# only a comment\n",
                "{\"kind\":\"Policy\"}",
                "{\"apiVersion\":\"v1\"}",
                "{\"apiVersion\":\"__internal\"}",
                "{\"apiVersion\":\"kubescheduler.config.k8s.io/\"}",
                "{\"kind\":\"Policy\",\"apiVersion\":\"kubescheduler.config.k8s.io/__internal\"}",
                "{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\",\"predicates\":null,\"extenders\":null}",
                "\ufeffkind: Policy\napiVersion: v1\n",
                "\ufeff{" + "\"kind\":\"Policy\",\"apiVersion\":\"v1\"}",
            })
    void readsAnEmptyPolicyAsV117WhereItIsAllowed(String text) throws PolicyException {
        Policy policy = new PolicyReader().allowingEmpty().read(text, "policy.json");
        assertNull(policy.predicates());
        assertNull(policy.priorities());
        assertEquals(List.of(), policy.extenders());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n  ", "null", "{}", "---\n", "# only a comment\n", "---\n---\n"})
    void rejectsATextWithoutContent(String text) {
        PolicyException refused =
                assertThrows(PolicyException.class, () -> new PolicyReader().read(text, "policy.json"));
        assertEquals(
                List.of("policy.json: the policy is empty; for the predicates and priorities of DefaultProvider, write"
                        + " kind: Policy and apiVersion: v1, or use --provider DefaultProvider (run:"
                        + " --algorithm-provider)"),
                refused.problems().stream().map(Problem::line).toList());
    }

    @Test
    void tellsMissingListsFromEmptyOnes() throws PolicyException {
        Policy policy = read("{" + HEAD + ",\"predicates\":[],\"priorities\":[]}");
        assertEquals(List.of(), policy.predicates());
        assertEquals(List.of(), policy.priorities());
    }

    static Stream<Arguments> refusals() {
        String policyAt = "v1.Policy.";
        return Stream.of(
                Arguments.of("[]", META + "json: cannot unmarshal array into Go value of type " + STRUCT),
                Arguments.of("5", META + "json: cannot unmarshal number into Go value of type " + STRUCT),
                Arguments.of("yes", META + "json: cannot unmarshal bool into Go value of type " + STRUCT),
                Arguments.of(
                        "{\"kind\":5}",
                        META + "json: cannot unmarshal number into Go struct field .kind of type string"),
                Arguments.of("{", META + "unexpected end of JSON input"),
                Arguments.of("{a:1}", META + "invalid character 'a' looking for beginning of object key string"),
                Arguments.of("{\"a\":1,}", META + "invalid character '}' looking for beginning of object key string"),
                Arguments.of("{\"a\" 1}", META + "invalid character '1' after object key"),
                Arguments.of("{\"a\":1 \"b\"}", META + "invalid character '\"' after object key:value pair"),
                Arguments.of("{\"a\":[1 2]}", META + "invalid character '2' after array element"),
                Arguments.of("{\"a\":[1,]}", META + "invalid character ']' looking for beginning of value"),
                Arguments.of("{\"a\":'b'}", META + "invalid character '\\'' looking for beginning of value"),
                Arguments.of("{\"a\":tru}", META + "invalid character '}' in literal true (expecting 'e')"),
                Arguments.of("{\"a\":01}", META + "invalid character '1' after object key:value pair"),
                Arguments.of("{\"a\":1.}", META + "invalid character '}' after decimal point in numeric literal"),
                Arguments.of("{\"a\":\"\n\"}", META + "invalid character '\\n' in string literal"),
                Arguments.of("{\"a\":\"\\x\"}", META + "invalid character 'x' in string escape code"),
                Arguments.of("{} x", META + "invalid character 'x' after top-level value"),
                Arguments.of("{\"apiVersion\":\"a/b/c\"}", "invalid policy: unexpected GroupVersion string: a/b/c"),
                Arguments.of(
                        "{\"kind\":\"policy\",\"apiVersion\":\"v1\"}",
                        "invalid policy: no kind \"policy\" is registered for version \"v1\" in scheme"
                                + " \"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30\""),
                Arguments.of(
                        "{\"kind\":\"KubeSchedulerConfiguration\",\"apiVersion\":\"kubescheduler.config.k8s.io/v1alpha1\"}",
                        "invalid policy: converting (v1alpha1.KubeSchedulerConfiguration) to (config.Policy):"
                                + " Predicates not present in src"),
                Arguments.of(
                        "{" + HEAD + ",\"hardPodAffinitySymmetricWeight\":3000000000}",
                        "invalid policy: " + policyAt
                                + "HardPodAffinitySymmetricWeight: ReadInt32: overflow: 3000000000"),
                Arguments.of(
                        "{" + HEAD + ",\"alwaysCheckAllPredicates\":\"x\"}",
                        "invalid policy: " + policyAt
                                + "AlwaysCheckAllPredicates: ReadBool: expect t or f, but found \""),
                Arguments.of(
                        "{" + HEAD + ",\"extenders\":[{\"httpTimeout\":\"5s\"}]}",
                        "invalid policy: " + policyAt + "Extenders: []v1.Extender: unmarshalerDecoder: json: cannot"
                                + " unmarshal string into Go struct field Extender.httpTimeout of type time.Duration"),
                Arguments.of(
                        "{\"predicates\":[]}",
                        "invalid policy: strict decoder error for {\"predicates\":[]}: config.Policy.ReadObject: found"
                                + " unknown field: predicates"),
                Arguments.of("a: [1, 2\n", "invalid policy: yaml: line 1: did not find expected ',' or ']'"),
                Arguments.of("a: {}\n b: 1\n", "invalid policy: yaml: line 1: did not find expected key"),
                Arguments.of("a: b: c\n", "invalid policy: yaml: mapping values are not allowed in this context"),
                Arguments.of(
                        "x: 1\na: b: c\n",
                        "invalid policy: yaml: line 2: mapping values are not allowed in this context"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesWithTheTextOfV117(String text, String message) {
        assertEquals(message, refused(text).v117Message());
    }

    @Test
    void namesEveryUnknownFieldWithItsPlaceAndANearName() {
        String text = "{" + HEAD + ",\n \"predicatez\":[],\n \"priorities\":[{\"nme\":\"x\",\"weight\":1}]}";
        assertEquals(
                List.of(
                        "p.cfg:2:2: found unknown field: predicatez (did you mean \"predicates\"?)",
                        "p.cfg:3:17: found unknown field: nme (did you mean \"name\"?)"),
                refused(text).problems().stream().map(Problem::line).toList());
        PolicyException lenient = assertThrows(PolicyException.class, () -> read(text));
        assertEquals(refused(text).problems(), lenient.problems());
        assertEquals(refused(text).v117Message(), lenient.v117Message());
    }

    @Test
    void namesEveryDuplicateKey() {
        String text =
                "kind: Policy\napiVersion: v1\npredicates: []\npriorities:\n- name: a\n  name: b\npredicates: []\n";
        PolicyException refusal = refused(text);
        assertEquals(
                "invalid policy: strict decoder error for " + text + ": yaml: unmarshal errors:\n"
                        + "  line 6: key \"name\" already set in map\n  line 7: key \"predicates\" already set in map",
                refusal.v117Message());
        assertEquals(
                List.of(6, 7),
                refusal.problems().stream().map(Problem::lineNumber).toList());
    }

    @Test
    void readsExtendersInAnyCaseAndIgnoresTheirUnknownKeys() throws PolicyException {
        ExtenderConfig extender = read("{" + HEAD + ",\"extenders\":[{\"URLPREFIX\":\"http://x\",\"BindVerb\":\"b\","
                        + "\"enableHTTPS\":true,\"nope\":{\"a\":1},\"TLSConfig\":{\"CAFile\":\"/ca\"},"
                        + "\"httpTimeout\":7,\"managedresources\":[{\"NAME\":\"a.b/c\",\"ignoredByScheduler\":true}]},"
                        + "null]}")
                .extenders()
                .get(0);
        assertEquals(
                new ExtenderConfig(
                        "http://x",
                        "",
                        "",
                        "",
                        0,
                        "b",
                        true,
                        new ExtenderTls(false, "", "", "", "/ca", "", "", ""),
                        7,
                        false,
                        List.of(new ManagedResource("a.b/c", true, new SourcePosition(1, 187))),
                        false,
                        new SourcePosition(1, 49),
                        new SourcePosition(1, 165)),
                extender);
    }

    @Test
    void readsYaml11Scalars() throws PolicyException {
        Policy policy = read("kind: Policy\napiVersion: v1\nalwaysCheckAllPredicates: on\n"
                + "hardPodAffinitySymmetricWeight: 0x10\npriorities:\n- name: 'yes'\n  weight: 5e9\n"
                + "- name: \"5\"\n  weight: 1_000.0\nextenders:\n- httpTimeout: 5e9\n  ignorable: y\n");
        assertEquals(true, policy.alwaysCheckAllPredicates());
        assertEquals(new SourcePosition(3, 27), policy.alwaysCheckPosition());
        assertEquals(16, policy.hardPodAffinitySymmetricWeight());
        assertEquals(
                List.of(
                        new PriorityPolicy("yes", 5_000_000_000L, null, new SourcePosition(6, 3)),
                        new PriorityPolicy("5", 1000, null, new SourcePosition(8, 3))),
                policy.priorities());
        assertEquals(5_000_000_000L, policy.extenders().get(0).httpTimeoutNanos());
        assertEquals(true, policy.extenders().get(0).ignorable());
    }

    @ParameterizedTest
    @ValueSource(strings = {"label: 5", "label: yes"})
    void refusesUnquotedYamlWhereAStringIsWanted(String label) {
        String text = "kind: Policy\napiVersion: v1\npriorities:\n- name: a\n  weight: 1\n  argument:\n"
                + "    serviceAntiAffinity:\n      " + label + "\n";
        PolicyException refusal = refused(text);
        assertEquals(8, refusal.problems().get(0).lineNumber());
    }

    @Test
    void readsTheInternalFormWithGoNames() throws PolicyException {
        Policy policy = read("{\"Predicates\":[{\"Name\":\"HostName\"}],\"Extenders\":[{\"URLPrefix\":\"u\"}]}");
        assertEquals(List.of(new PredicatePolicy("HostName", null, new SourcePosition(1, 16))), policy.predicates());
        assertEquals("u", policy.extenders().get(0).urlPrefix());
        assertNotNull(refused("{\"Extenders\":[{\"urlPrefix\":\"u\"}]}"));
    }

    @Test
    void readsThePolicyOutOfAConfigMap() throws PolicyException {
        String text = "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: x\ndata:\n  policy.cfg: |\n" + "    {" + HEAD
                + ",\n     \"predicates\":[{\"name\":\"HostName\"}]}\n";
        Policy policy = read(text);
        assertEquals("p.cfg[policy.cfg]", policy.file());
        assertEquals(List.of(new PredicatePolicy("HostName", null, new SourcePosition(2, 16))), policy.predicates());
        assertEquals(
                "missing policy config map value at key \"policy.cfg\"",
                refused("kind: ConfigMap\napiVersion: v1\ndata: {}\n").v117Message());
    }

    @Test
    void warnsThatOnlyTheFirstDocumentCounts() throws PolicyException {
        Policy policy = read("kind: Policy\napiVersion: v1\n---\nkind: Other\n");
        assertEquals(
                List.of("W016"), policy.warnings().stream().map(Warning::code).toList());
    }
}
