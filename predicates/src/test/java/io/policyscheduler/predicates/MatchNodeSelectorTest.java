package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MatchNodeSelectorTest {
    private final MatchNodeSelector predicate = new MatchNodeSelector();
    private final ClusterState cluster = Clusters.cluster(node("n1")
            .label("disk", "ssd")
            .label("cores", "8")
            .label("blank", "")
            .build());

    static Stream<Arguments> pods() {
        return Stream.of(
                arguments("nothing asked", pod("p").build(), true),
                arguments("selector", pod("p").nodeSelector("disk", "ssd").build(), true),
                arguments(
                        "selector, other value",
                        pod("p").nodeSelector("disk", "hdd").build(),
                        false),
                arguments(
                        "selector, empty value",
                        pod("p").nodeSelector("blank", "").build(),
                        true),
                arguments(
                        "selector, no such key",
                        pod("p").nodeSelector("gone", "").build(),
                        false),
                arguments(
                        "one pair of two",
                        pod("p").nodeSelector("disk", "ssd")
                                .nodeSelector("x", "y")
                                .build(),
                        false),
                arguments(
                        "an illegal value voids the selector",
                        pod("p").nodeSelector("disk", "hdd")
                                .nodeSelector("x", "-y-")
                                .build(),
                        true),
                arguments("required without terms", pod("p").requiredNode().build(), false),
                arguments("empty term", pod("p").requiredNode(term()).build(), false),
                arguments(
                        "empty term and good term",
                        pod("p").requiredNode(term(), on("disk", "In", "ssd")).build(),
                        true),
                arguments("Gt", pod("p").requiredNode(on("cores", "Gt", "7")).build(), true),
                arguments(
                        "Gt, equal",
                        pod("p").requiredNode(on("cores", "Gt", "8")).build(),
                        false),
                arguments("Lt", pod("p").requiredNode(on("cores", "Lt", "9")).build(), true),
                arguments(
                        "Gt, illegal operand",
                        pod("p").requiredNode(on("cores", "Gt", "-5")).build(),
                        false),
                arguments(
                        "unknown operator",
                        pod("p").requiredNode(on("disk", "Foo", "ssd")).build(),
                        false),
                arguments(
                        "invalid term, then good term",
                        pod("p").requiredNode(on("disk", "Foo"), on("disk", "Exists"))
                                .build(),
                        true),
                arguments(
                        "NotIn, no such key",
                        pod("p").requiredNode(on("gone", "NotIn", "x")).build(),
                        true),
                arguments(
                        "DoesNotExist",
                        pod("p").requiredNode(on("disk", "DoesNotExist")).build(),
                        false),
                arguments(
                        "field",
                        pod("p").requiredNode(field("metadata.name", "In", "n1"))
                                .build(),
                        true),
                arguments(
                        "field, other",
                        pod("p").requiredNode(field("metadata.name", "In", "n2"))
                                .build(),
                        false),
                arguments(
                        "field, two values",
                        pod("p").requiredNode(field("metadata.name", "In", "n1", "n2"))
                                .build(),
                        false),
                arguments(
                        "unknown field",
                        pod("p").requiredNode(field("spec.foo", "NotIn", "x")).build(),
                        true),
                arguments(
                        "selector fails, terms hold",
                        pod("p").nodeSelector("disk", "hdd")
                                .requiredNode(on("disk", "Exists"))
                                .build(),
                        false),
                arguments(
                        "selector holds, terms fail",
                        pod("p").nodeSelector("disk", "ssd")
                                .requiredNode(on("gone", "Exists"))
                                .build(),
                        false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pods")
    void nodeConstraints(String title, PodInfo wanting, boolean fits) {
        assertEquals(
                fits ? Verdict.FITS : Verdict.unfit(FailureReasons.NODE_SELECTOR),
                Checks.verdict(predicate, wanting, cluster, "n1"),
                title);
    }

    @Test
    void readsOneNode() {
        assertEquals("MatchNodeSelector", predicate.name());
        assertEquals(Scope.NODE, predicate.scope());
    }

    private static NodeSelectorTerm term() {
        return new NodeSelectorTerm(List.of(), List.of());
    }

    private static NodeSelectorTerm on(String key, String operator, String... values) {
        return new NodeSelectorTerm(
                List.of(LabelRequirement.ofNodeSelector(key, operator, List.of(values))), List.of());
    }

    private static NodeSelectorTerm field(String key, String operator, String... values) {
        return new NodeSelectorTerm(List.of(), List.of(new LabelRequirement(key, operator, List.of(values), null)));
    }
}
