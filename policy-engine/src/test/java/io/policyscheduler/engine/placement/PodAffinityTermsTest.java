package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.NamespaceRule;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PodAffinityTerms.Reading;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which pods a term matches, for the term's owner and for the incoming pod; namespace labels differ in one case. */
class PodAffinityTermsTest {
    private static final LabelSelector WEB = LabelSelector.of(Labels.of("app", "web"), List.of());
    private static final LabelSelector RED = LabelSelector.of(Labels.of("team", "red"), List.of());
    private static final LabelSelector NO_TEAM = LabelSelector.of(
            Labels.EMPTY, List.of(LabelRequirement.ofLabelSelector("team", "DoesNotExist", List.of())));

    private final ClusterState state = cluster(
            new NamespaceInfo("own", Labels.of("team", "blue")),
            new NamespaceInfo("red", Labels.of("team", "red")),
            new NamespaceInfo("bare", Labels.EMPTY));

    /**
     * Selector of pods, namespaces, selector of namespaces; namespaces of matching pods among own, red, bare and one that
     * nobody has made: by v1.17, by current rules for the term's owner, and for the incoming pod.
     */
    static Stream<Arguments> cases() {
        return Stream.of(
                arguments(WEB, List.of(), null, "own", "own", "own"),
                arguments(WEB, List.of("red", "lost"), null, "red lost", "red lost", "red lost"),
                arguments(WEB, List.of(), RED, "own", "red", "red"),
                arguments(WEB, List.of("own"), RED, "own", "own red", "own red"),
                arguments(WEB, List.of(), LabelSelector.EVERYTHING, "own", "own red bare lost", "own red bare lost"),
                // A selector that means namespaces without labels means all of them, where it is worked out beforehand.
                arguments(WEB, List.of(), NO_TEAM, "own", "own red bare lost", "bare lost"),
                arguments(null, List.of(), LabelSelector.EVERYTHING, "", "", ""),
                arguments(LabelSelector.EVERYTHING, List.of("bare"), null, "bare", "bare", "bare"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void namespacesOfATerm(
            @Nullable LabelSelector pods,
            List<String> namespaces,
            @Nullable LabelSelector ofNamespaces,
            String first,
            String current,
            String incoming) {
        PodInfo owner = pod("owner").namespace("own").build();
        PodTermIndex terms =
                PodTermIndex.ofRequired(List.of(new PodAffinityTerm(pods, namespaces, "zone", ofNamespaces)));
        StringBuilder matches = new StringBuilder();
        StringBuilder currentMatches = new StringBuilder();
        StringBuilder meant = new StringBuilder();
        for (String namespace : List.of("own", "red", "bare", "lost")) {
            PodInfo other =
                    pod("other").namespace(namespace).label("app", "web").build();
            NamespaceRule byName = new PodAffinityTerms(owner, state, Reading.NAMES).own(namespace);
            NamespaceRule bySelector =
                    new PodAffinityTerms(owner, state, Reading.SELECTORS_WITHOUT_LABELS).own(namespace);
            NamespaceRule ofOther = new PodAffinityTerms(other, state, Reading.SELECTORS).ofOthers("own");
            matches.append(terms.meansAny(other.labels(), byName) ? namespace + " " : "");
            currentMatches.append(terms.meansAny(other.labels(), bySelector) ? namespace + " " : "");
            meant.append(terms.meansAny(other.labels(), ofOther) ? namespace + " " : "");
        }
        assertEquals(first, matches.toString().strip());
        assertEquals(current, currentMatches.toString().strip());
        assertEquals(incoming, meant.toString().strip());
    }
}
