package io.policyscheduler.engine.cluster;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.PodTermMatcher.IncomingPod;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Terms of pods, and the incoming pod as terms of others see it; what is meant by labels of namespaces differs in one case. */
class PodTermMatcherTest {
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
        PodAffinityTerm term = new PodAffinityTerm(pods, namespaces, "zone", ofNamespaces);
        PodTermMatcher ofV117 = new PodTermMatcher(owner, term);
        PodTermMatcher ofToday = PodTermMatcher.ofCurrent(owner, term, state);
        StringBuilder matches = new StringBuilder();
        StringBuilder currentMatches = new StringBuilder();
        StringBuilder meant = new StringBuilder();
        for (String namespace : List.of("own", "red", "bare", "lost")) {
            PodInfo other =
                    pod("other").namespace(namespace).label("app", "web").build();
            matches.append(ofV117.matches(other) ? namespace + " " : "");
            currentMatches.append(ofToday.matches(other) ? namespace + " " : "");
            meant.append(new IncomingPod(other, state).isMeantBy(owner, term) ? namespace + " " : "");
        }
        assertEquals(first, matches.toString().strip());
        assertEquals(current, currentMatches.toString().strip());
        assertEquals(incoming, meant.toString().strip());
        assertEquals("zone", ofToday.topologyKey());
    }

    @Test
    void theIncomingPodNeedsTheLabels() {
        PodInfo owner = pod("owner").namespace("own").build();
        PodInfo other = pod("other").namespace("own").label("app", "db").build();
        IncomingPod incoming = new IncomingPod(other, state);
        assertEquals(other, incoming.pod());
        assertEquals(false, incoming.isMeantBy(owner, new PodAffinityTerm(WEB, List.of(), "zone", null)));
    }

    @Test
    void allTermsHaveToMatch() {
        PodAffinityTerm web = new PodAffinityTerm(WEB, List.of(), "zone", null);
        PodAffinityTerm front =
                new PodAffinityTerm(LabelSelector.of(Labels.of("tier", "front"), List.of()), List.of(), "rack", null);
        PodInfo owner = pod("owner").build();
        PodBuilder one = pod("one").label("app", "web");
        PodInfo both = pod("both").label("app", "web").label("tier", "front").build();
        for (List<PodTermMatcher> terms : List.of(
                PodTermMatcher.of(owner, List.of(web, front)),
                PodTermMatcher.ofCurrent(owner, List.of(web, front), state))) {
            assertEquals(
                    List.of("zone", "rack"),
                    terms.stream().map(PodTermMatcher::topologyKey).toList());
            assertEquals(false, PodTermMatcher.allMatch(terms, one.build()));
            assertEquals(true, PodTermMatcher.allMatch(terms, both));
        }
        assertEquals(false, PodTermMatcher.allMatch(List.of(), both));
    }

    @Test
    void countsThoseOnANode() {
        PodTermMatcher matcher =
                new PodTermMatcher(pod("owner").build(), new PodAffinityTerm(WEB, List.of(), "zone", null));
        ClusterState nodes = cluster(
                node("n").build(),
                pod("a").label("app", "web").onNode("n").build(),
                pod("b").label("app", "web").onNode("n").build(),
                pod("c").label("app", "db").onNode("n").build(),
                pod("d").label("app", "web").namespace("other").onNode("n").build());
        assertEquals(2, matcher.countOn(info(nodes, "n")));
    }
}
