package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.NamedAlgorithms;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver.RuleEnvironment;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.RuleDefinition.OnError;
import io.policyscheduler.engine.rules.RulePredicate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules in Policy files and libraries. */
class PolicyRulesTest {
    private static final String LIBRARY = """
            rules:
            - name: cap
              expression: node.podsWithLabel(params.key) < params.cap
              when: pod.hasLabel(params.key)
              params: {key: net, cap: 10}
              reason: too many
            - name: broken
              expression: pod.nam == 'a'
            """;

    private static EffectivePolicy resolve(String members) throws PolicyException {
        PolicyReader reader = new PolicyReader();
        RuleEnvironment environment = RuleEnvironment.of(reader.readLibrary(LIBRARY, "lib.yaml"), TableInput.NONE);
        PolicyResolver resolver =
                new PolicyResolver(FeatureGates.defaults(), 1, false, NamedAlgorithms.ofV117(), environment);
        return resolver.resolve(reader.read("{\"kind\":\"Policy\",\"apiVersion\":\"v1\"," + members + "}", "p.json"));
    }

    private static RulePredicate predicate(EffectivePolicy policy, String name) {
        return Objects.requireNonNull(policy.rules().predicates().get(name), name);
    }

    @Test
    void rulesAreAlgorithmsOfThePolicy() throws PolicyException {
        EffectivePolicy policy = resolve("\"predicates\":[{\"name\":\"HostName\"},"
                + "{\"name\":\"UnderlayIPs\",\"argument\":{\"rule\":{\"expression\":"
                + "\"node.podsWithLabel('net','underlay') < 10 || !pod.hasLabel('net','underlay')\","
                + "\"reason\":\"no underlay IP left\",\"resolvable\":true}}}],"
                + "\"priorities\":[{\"name\":\"FreeIPs\",\"weight\":5,\"argument\":{\"rule\":{\"expression\":"
                + "\"100 * (10 - node.podsWithLabel('net','underlay')) / 10\",\"normalize\":\"max\"}}}]");
        assertAll(
                () -> assertEquals(
                        List.of("CheckNodeUnschedulable", "HostName", "PodToleratesNodeTaints", "UnderlayIPs"),
                        policy.evaluationOrder()),
                () -> assertEquals(Map.of("FreeIPs", 5L), policy.priorities()),
                () -> assertEquals(Scope.NODE, predicate(policy, "UnderlayIPs").scope()),
                () -> assertEquals(
                        "no underlay IP left",
                        predicate(policy, "UnderlayIPs").definition().reason()),
                () -> assertEquals(
                        List.of("UnderlayIPs"), PluginTranslation.of(policy).rawPredicates()),
                () -> assertEquals(
                        List.of(),
                        policy.warnings().stream()
                                .filter(w -> !w.code().equals(PolicyWarningCode.NO_RESOURCE_CHECK))
                                .toList()));
    }

    @Test
    void oneRuleServesSeveralEntries() throws PolicyException {
        EffectivePolicy policy = resolve("\"rules\":[{\"name\":\"own\",\"expression\":\"pod.priority > params.p\","
                + "\"params\":{\"p\":3}}],\"predicates\":["
                + "{\"name\":\"A\",\"argument\":{\"rule\":{\"use\":\"cap\"}}},"
                + "{\"name\":\"B\",\"argument\":{\"rule\":{\"use\":\"cap\",\"params\":{\"cap\":5},\"reason\":\"b\"}}},"
                + "{\"name\":\"C\",\"argument\":{\"rule\":{\"use\":\"own\"}}}]");
        assertAll(
                () -> assertEquals(
                        Map.of("key", "net", "cap", 10.0),
                        predicate(policy, "A").definition().params()),
                () -> assertEquals(
                        "too many", predicate(policy, "A").definition().reason()),
                () -> assertEquals(
                        Map.of("key", "net", "cap", 5.0),
                        predicate(policy, "B").definition().params()),
                () -> assertEquals("b", predicate(policy, "B").definition().reason()),
                () -> assertEquals(
                        "pod.priority > params.p",
                        predicate(policy, "C").program().expression()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"expression\":\"pod.nam == 'a'\"}}` -> `p.json:1:95: rule R: 1:5: R013: a pod has no member 'nam'; did you mean \"name\"?`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"use\":\"kap\"}}` -> `p.json:1:81: R027: rule R uses \"kap\", which is not there; there are broken, cap (did you mean \"cap\"?)`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"use\":\"broken\"}}` -> `lib.yaml:8:15: rule R: 1:5: R013: a pod has no member 'nam'; did you mean \"name\"?`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"use\":\"cap\",\"params\":{\"cab\":1}}}` -> `lib.yaml:3:15: rule R: 1:1: R025: rule cap has no parameter 'cab'; it has: cap, key`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"use\":\"cap\",\"expression\":\"true\"}}` -> `p.json:1:107: R026: rule R has both use and expression; keep one of them`",
                "`\"name\":\"HostName\",\"argument\":{\"rule\":{\"expression\":\"true\"}}` -> `p.json:1:102: R026: rule HostName: the name is taken; choose another one`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"expression\":\"params.a\",\"params\":{\"a\":null}}}` -> `p.json:1:95: rule R: 1:1: R025: params.a has an unsupported value; use bools, numbers, strings of printable ASCII, or lists of numbers or strings`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"expression\":\"true\",\"onError\":\"zero\"}}` -> `p.json:1:95: rule R: 1:1: R026: onError 'zero'; for a predicate there are reject and ignore`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"expression\":\"true\",\"onErr\":\"x\"}}` -> `p.json:1:102: found unknown field: onErr (did you mean \"onError\"?)`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{}}` -> `p.json:1:81: rule R: 1:1: R001: the expression is empty; write a condition such as pod.hasLabel('app')`",
                "`\"name\":\"R\",\"argument\":{\"rule\":{\"expresion\":\"true\"}}` -> `p.json:1:82: found unknown field: expresion (did you mean \"expression\"?)`"
            })
    void problemsSayWhereAndWhatToDo(String entry, String line) {
        PolicyException refused =
                assertThrows(PolicyException.class, () -> resolve("\"predicates\":[{" + entry + "}]"));
        assertEquals(
                List.of(line), refused.problems().stream().map(Problem::line).toList());
    }

    /** An entry may override the shared rule that it uses. */
    @Test
    void whatAFailureMeansIsRead() throws PolicyException {
        EffectivePolicy policy = resolve("\"rules\":[{\"name\":\"own\",\"expression\":\"pod.priority > 1\","
                + "\"onError\":\"ignore\"}],\"predicates\":["
                + "{\"name\":\"A\",\"argument\":{\"rule\":{\"use\":\"own\"}}},"
                + "{\"name\":\"B\",\"argument\":{\"rule\":{\"use\":\"own\",\"onError\":\"reject\"}}},"
                + "{\"name\":\"C\",\"argument\":{\"rule\":{\"expression\":\"true\"}}}],"
                + "\"priorities\":[{\"name\":\"D\",\"weight\":1,\"argument\":{\"rule\":{"
                + "\"expression\":\"1\",\"onError\":\"ignore\"}}}]");
        assertAll(
                () -> assertEquals(OnError.IGNORE, predicate(policy, "A").onError()),
                () -> assertEquals(OnError.REJECT, predicate(policy, "B").onError()),
                () -> assertEquals(OnError.REJECT, predicate(policy, "C").onError()),
                () -> assertEquals(
                        OnError.IGNORE,
                        Objects.requireNonNull(policy.rules().priorities().get("D"))
                                .onError()));
    }

    @Test
    void problemsShowTheExpression() {
        PolicyException refused = assertThrows(
                PolicyException.class,
                () -> resolve("\"predicates\":[{\"name\":\"R\",\"argument\":{\"rule\":"
                        + "{\"expression\":\"pod.nam == 'a'\"}}}]"));
        assertEquals("pod.nam == 'a'\n    ^", refused.problems().get(0).excerpt());
    }

    @Test
    void allRefusedRulesAreTold() {
        PolicyException refused = assertThrows(
                PolicyException.class,
                () -> resolve(
                        "\"predicates\":[{\"name\":\"A\",\"argument\":{\"rule\":{\"expression\":\"x\"}}},"
                                + "{\"name\":\"A\",\"argument\":{\"rule\":{\"expression\":\"1\"}}}],"
                                + "\"priorities\":[{\"name\":\"P\",\"weight\":1,\"argument\":{\"rule\":{\"expression\":\"true\"}}}]"));
        assertTrue(refused.problems().size() == 4, () -> refused.problems().toString());
    }
}
