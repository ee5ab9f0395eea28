package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class AffinityReaderTest {
    private static final String REQUIRED = "'requiredDuringSchedulingIgnoredDuringExecution'";
    private static final String PREFERRED = "'preferredDuringSchedulingIgnoredDuringExecution'";
    private static final Affinity.PodTerms NO_TERMS = new Affinity.PodTerms(List.of(), List.of());
    private static final LabelSelector WEB = LabelSelector.of(Labels.of("app", "web"), List.of());

    private static Affinity affinity(String text) throws IOException {
        return Reading.read(PodInfo.class, "Pod", "{'spec': {'affinity': " + text + "}}")
                .affinity();
    }

    @Test
    void everything() throws IOException {
        NodeSelectorTerm term = new NodeSelectorTerm(
                List.of(LabelRequirement.ofNodeSelector("size", "Gt", List.of("5"))),
                List.of(LabelRequirement.ofNodeSelector("metadata.name", "In", List.of("n1"))));
        String termText = "{'matchExpressions': [{'key': 'size', 'operator': 'Gt', 'values': ['5']}],"
                + "'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': ['n1']}]}";
        String podTerm = "{'labelSelector': {'matchLabels': {'app': 'web'}}, 'namespaces': ['a', 'b'],"
                + "'topologyKey': 'zone', 'namespaceSelector': {}, 'matchLabelKeys': ['x']}";
        PodAffinityTerm read = new PodAffinityTerm(WEB, List.of("a", "b"), "zone", LabelSelector.EVERYTHING);
        PodAffinityTerm bare = new PodAffinityTerm(null, List.of(), "", null);
        assertEquals(
                new Affinity(
                        List.of(term, new NodeSelectorTerm(List.of(), List.of())),
                        List.of(
                                new Affinity.PreferredNodeTerm(7, term),
                                new Affinity.PreferredNodeTerm(0, new NodeSelectorTerm(List.of(), List.of()))),
                        new Affinity.PodTerms(List.of(read, bare), List.of(new Affinity.WeightedPodTerm(3, read))),
                        new Affinity.PodTerms(List.of(), List.of(new Affinity.WeightedPodTerm(0, bare)))),
                affinity("{'nodeAffinity': {" + REQUIRED + ": {'nodeSelectorTerms': [" + termText + ", {}]}, "
                        + PREFERRED
                        + ": [{'weight': 7, 'preference': " + termText + "}, {}]}, 'podAffinity': {" + REQUIRED + ": ["
                        + podTerm + ", {}], " + PREFERRED + ": [{'weight': 3, 'podAffinityTerm': " + podTerm
                        + "}]}, 'podAntiAffinity': {" + PREFERRED + ": [{}]}, 'future': {'x': []}}"));
    }

    static Stream<Arguments> presence() {
        return Stream.of(
                arguments("{}", Affinity.NONE),
                arguments("null", Affinity.NONE),
                arguments("{'nodeAffinity': {}, 'podAffinity': null, 'podAntiAffinity': null}", Affinity.NONE),
                arguments("{'nodeAffinity': {" + REQUIRED + ": null}}", Affinity.NONE),
                // A required object without terms lets no node match.
                arguments("{'nodeAffinity': {" + REQUIRED + ": {}}}", new Affinity(List.of(), List.of(), null, null)),
                arguments(
                        "{'nodeAffinity': {" + REQUIRED + ": {'nodeSelectorTerms': null}}}",
                        new Affinity(List.of(), List.of(), null, null)),
                arguments("{'podAffinity': {}}", new Affinity(null, List.of(), NO_TERMS, null)),
                arguments(
                        "{'podAntiAffinity': {" + REQUIRED + ": []}}", new Affinity(null, List.of(), null, NO_TERMS)));
    }

    @ParameterizedTest
    @MethodSource("presence")
    void anEmptyObjectDiffersFromNone(String text, Affinity expected) throws IOException {
        assertEquals(expected, affinity(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[] | expected an object, found a list",
                "{'nodeAffinity': 1} | .nodeAffinity: expected an object, found 1",
                "{'podAffinity': {" + REQUIRED
                        + ": {}}} | .podAffinity.requiredDuringSchedulingIgnoredDuringExecution: "
                        + "expected a list, found an object",
                "{'podAntiAffinity': {" + PREFERRED + ": [{'weight': '1'}]}} "
                        + "| .podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "
                        + "expected an integer, found \"1\"",
                "{'podAffinity': {" + REQUIRED + ": [{'topologyKey': 5}]}} "
                        + "| .podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
                        + "expected a string, found 5",
            })
    void wrongTypesAreNamedWithTheirPlace(String text, String reason) {
        assertEquals(
                "Pod: spec.affinity" + (reason.startsWith(".") ? "" : ": ") + reason,
                Reading.refusal("Pod", "{'spec': {'affinity': " + text + "}}"));
    }
}
