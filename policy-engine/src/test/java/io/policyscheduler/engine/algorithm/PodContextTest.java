package io.policyscheduler.engine.algorithm;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** When v1.17 can compute the metadata that its predicates share. */
class PodContextTest {
    private static final LabelSelector INVALID = LabelSelector.of(Labels.of("a", "not legal"), List.of());

    private static PodAffinityTerm term(@Nullable LabelSelector selector) {
        return new PodAffinityTerm(selector, List.of(), "zone", null);
    }

    private static TopologySpreadConstraint spread(String when, @Nullable LabelSelector selector) {
        return new TopologySpreadConstraint(1, "zone", when, selector);
    }

    private static PodBuilder plain() {
        return pod("p");
    }

    /** The pod, an existing pod, whether metadata is available beside that pod, and in a cluster without pods. */
    static Stream<Arguments> cases() {
        PodBuilder other = pod("other");
        return Stream.of(
                arguments("plain", plain(), other, true, true),
                arguments(
                        "absent selectors are valid",
                        plain().podAffinity(term(null))
                                .podAntiAffinity(term(null))
                                .spread(spread("DoNotSchedule", null)),
                        other,
                        true,
                        true),
                arguments("hard constraint", plain().spread(spread("DoNotSchedule", INVALID)), other, false, false),
                arguments("soft constraint", plain().spread(spread("ScheduleAnyway", INVALID)), other, true, true),
                arguments("required affinity", plain().podAffinity(term(INVALID)), other, false, false),
                arguments("preferred affinity", plain().preferredPodAffinity(1, term(INVALID)), other, true, true),
                arguments(
                        "own anti-affinity is parsed only beside another pod",
                        plain().podAntiAffinity(term(INVALID)),
                        other,
                        false,
                        true),
                arguments(
                        "preferred anti-affinity",
                        plain().preferredPodAntiAffinity(1, term(INVALID)),
                        other,
                        true,
                        true),
                arguments("existing anti-affinity", plain(), pod("other").podAntiAffinity(term(INVALID)), false, true),
                arguments(
                        "existing preferred anti-affinity",
                        plain(),
                        pod("other").preferredPodAntiAffinity(1, term(INVALID)),
                        true,
                        true),
                arguments("existing affinity", plain(), pod("other").podAffinity(term(INVALID)), true, true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void metadata(String name, PodBuilder pod, PodBuilder existing, boolean beside, boolean alone) {
        ClusterState occupied =
                cluster(node("n1").build(), existing.onNode("n1").build());
        ClusterState empty = cluster(node("n1").build());
        // Pods on a node whose object is not known are not in the snapshot.
        ClusterState unknown = cluster(node("n1").build(), existing.onNode("n2").build());
        assertEquals(new PodContext(pod.build(), occupied, beside), PodContext.of(pod.build(), occupied));
        assertEquals(new PodContext(pod.build(), empty, alone), PodContext.of(pod.build(), empty));
        assertEquals(new PodContext(pod.build(), unknown, alone), PodContext.of(pod.build(), unknown));
    }
}
