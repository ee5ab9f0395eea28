package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InterPodAffinityTest {
    private static final String NO_AFFINITY = "UU node(s) didn't match pod affinity rules";
    private static final String OWN_ANTI = "U node(s) didn't match pod anti-affinity rules";
    private static final String OTHERS_ANTI = "U node(s) didn't satisfy existing pods anti-affinity rules";

    private final PluginFixture fixture = new PluginFixture();

    private InterPodAffinity plugin(String args) {
        fixture.node("n1", "{zone: 'a'}").node("n2", "{zone: 'b'}").node("n3", "{}");
        return fixture.plugin(InterPodAffinity::new, args);
    }

    private static String term(String more) {
        return "{topologyKey: 'zone', labelSelector: {matchLabels: {app: 'w'}}" + more + "}";
    }

    private static String required(String kind, String term) {
        return "{affinity: {" + kind + ": {requiredDuringSchedulingIgnoredDuringExecution: [" + term + "]}}}";
    }

    private static String preferred(String kind, int weight, String term) {
        return "{affinity: {" + kind + ": {preferredDuringSchedulingIgnoredDuringExecution: [{weight: " + weight
                + ", podAffinityTerm: " + term + "}]}}}";
    }

    @Test
    void requiredAffinity() {
        InterPodAffinity plugin = plugin("{}");
        PodInfo stranger = fixture.pod("p", "{}", required("podAffinity", term("")));
        PodInfo first = fixture.pod("p", "{app: 'w'}", required("podAffinity", term("")));
        assertEquals(List.of("skip"), fixture.filter(plugin, fixture.pod("p", "{}", "{}")));
        assertEquals(List.of(NO_AFFINITY, NO_AFFINITY, NO_AFFINITY), fixture.filter(plugin, stranger));
        // The first of its kind may go wherever the key is.
        assertEquals(List.of("ok", "ok", NO_AFFINITY), fixture.filter(plugin, first));
        fixture.placed("a", "{app: 'w'}", "n1", "{}");
        assertEquals(List.of("ok", NO_AFFINITY, NO_AFFINITY), fixture.filter(plugin, stranger));
        assertEquals(List.of("ok", NO_AFFINITY, NO_AFFINITY), fixture.filter(plugin, first));
    }

    @Test
    void antiAffinityOfBothSides() {
        InterPodAffinity plugin = plugin("{}");
        fixture.placed("a", "{app: 'w'}", "n1", "{}").placed("b", "{}", "n2", required("podAntiAffinity", term("")));
        assertEquals(
                List.of(OWN_ANTI, "ok", "ok"),
                fixture.filter(plugin, fixture.pod("p", "{}", required("podAntiAffinity", term("")))));
        assertEquals(List.of("ok", OTHERS_ANTI, "ok"), fixture.filter(plugin, fixture.pod("p", "{app: 'w'}", "{}")));
    }

    @Test
    void countsThatFallToNothingAreGone() {
        InterPodAffinity plugin = plugin("{}");
        fixture.placed("a", "{app: 'w'}", "n1", "{}");
        PodInfo pod = fixture.pod("p", "{app: 'w'}", required("podAffinity", term("")));
        assertEquals(List.of("ok", NO_AFFINITY, NO_AFFINITY), fixture.filter(plugin, pod));
        CycleState copy = fixture.state.copy();
        NodeInfo n1 = fixture.nodes().get(0);
        assertNull(plugin.removePod(fixture.state, pod, fixture.pod("a", "{app: 'w'}", "{}"), n1));
        assertEquals(List.of("ok", "ok", NO_AFFINITY), fixture.filterOnly(plugin, pod));
        assertNull(
                plugin.addPod(fixture.state, pod, fixture.pod("c", "{}", required("podAntiAffinity", term(""))), n1));
        assertEquals(List.of(OTHERS_ANTI, "ok", NO_AFFINITY), fixture.filterOnly(plugin, pod));
        fixture.state = copy;
        assertEquals(List.of("ok", NO_AFFINITY, NO_AFFINITY), fixture.filterOnly(plugin, pod));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // Where the existing pod is | what the term says of namespaces | whether it means that pod
                "default | | true",
                "x | | false",
                "x | , namespaces: ['x'] | true",
                "x | , namespaceSelector: {matchLabels: {team: 'x'}} | true",
                "y | , namespaceSelector: {matchLabels: {team: 'x'}} | false",
                "y | , namespaceSelector: {} | true",
                "default | , namespaceSelector: {matchLabels: {team: 'x'}} | false",
                "default | , namespaces: ['x'] | false",
                // A selector that suits a namespace without labels suits all of them.
                "x | , namespaceSelector: {matchExpressions: [{key: 'team', operator: 'DoesNotExist'}]} | true",
            })
    void namespacesOfOwnTerms(String namespace, String more, boolean meant) {
        InterPodAffinity plugin = plugin("{}");
        fixture.add("Namespace", "{metadata: {name: 'x', labels: {team: 'x'}}}")
                .add("Namespace", "{metadata: {name: 'y', labels: {team: 'y'}}}")
                .add(
                        "Pod",
                        "{metadata: {namespace: '" + namespace
                                + "', name: 'a', uid: 'a', labels: {app: 'w'}}, spec: {nodeName: 'n1'}}");
        PodInfo pod = fixture.pod("p", "{}", required("podAntiAffinity", term(more == null ? "" : more)));
        assertEquals(List.of(meant ? OWN_ANTI : "ok", "ok", "ok"), fixture.filter(plugin, pod));
    }

    @Test
    void namespacesOfTermsOfOthersAreTakenByTheirLabels() {
        InterPodAffinity plugin = plugin("{}");
        fixture.add("Namespace", "{metadata: {name: 'default', labels: {team: 'x'}}}")
                .placed(
                        "a",
                        "{}",
                        "n1",
                        required("podAntiAffinity", term(", namespaceSelector: {matchLabels: {team: 'x'}}")))
                .placed(
                        "b",
                        "{}",
                        "n2",
                        required(
                                "podAntiAffinity",
                                term(", namespaceSelector: {matchExpressions: [{key: 'team', operator:"
                                        + " 'DoesNotExist'}]}")));
        assertEquals(List.of(OTHERS_ANTI, "ok", "ok"), fixture.filter(plugin, fixture.pod("p", "{app: 'w'}", "{}")));
    }

    @Test
    void scores() {
        InterPodAffinity plugin = plugin("{}");
        PodInfo pod = fixture.pod("p", "{app: 'w'}", "{}");
        PodInfo liking = fixture.pod("p", "{}", preferred("podAffinity", 5, term("")));
        assertEquals("skip", fixture.scores(plugin, pod));
        fixture.placed("a", "{app: 'w'}", "n1", "{}");
        assertEquals("skip", fixture.scores(plugin, pod));
        assertEquals("[100, 0, 0]", fixture.scores(plugin, liking));
        assertEquals(
                "[0, 100, 100]",
                fixture.scores(plugin, fixture.pod("p", "{}", preferred("podAntiAffinity", 5, term("")))));
        fixture.placed("b", "{}", "n2", required("podAffinity", term("")));
        assertEquals("[0, 100, 0]", fixture.scores(plugin, pod));
        assertEquals("skip", fixture.scores(fixture.plugin(InterPodAffinity::new, "{hardPodAffinityWeight: 0}"), pod));
        InterPodAffinity ignoring = fixture.plugin(InterPodAffinity::new, "{ignorePreferredTermsOfExistingPods: true}");
        assertEquals("skip", fixture.scores(ignoring, pod));
        assertEquals("[100, 0, 0]", fixture.scores(ignoring, liking));
        // Equal everywhere: recorded, but no node is better.
        fixture.placed("c", "{}", "n1", required("podAffinity", term("")));
        fixture.cluster.removeNode("n3");
        assertEquals("[0, 0]", fixture.scores(plugin, pod));
    }

    @Test
    void anInvalidSelectorRejectsThePod() {
        InterPodAffinity plugin = plugin("{}");
        PodInfo pod = fixture.pod(
                "p",
                "{}",
                required(
                        "podAffinity",
                        "{topologyKey: 'zone', labelSelector: {matchExpressions: [{key: 'a', operator: 'Nope'}]}}"));
        assertEquals("UU parsing pod: \"Nope\" is not a valid pod selector operator", fixture.preFilter(plugin, pod));
    }
}
