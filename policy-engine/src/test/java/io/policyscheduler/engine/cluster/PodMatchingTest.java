package io.policyscheduler.engine.cluster;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.index.AffinityOwners.AffinityMemo;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The helpers that make comparing one pod with thousands cheap: same answers, less work. */
class PodMatchingTest {
    private static final LabelSelector WEB = LabelSelector.of(Labels.of("app", "web"), List.of());

    @Test
    void memoizedSelectorAnswersAsTheSelectorDoes() {
        MemoizedSelector memo = new MemoizedSelector(WEB);
        List<Labels> sets = new ArrayList<>();
        // More sets than slots, so that they push one another out.
        for (int i = 0; i < 100; i++) {
            sets.add(Labels.of("app", i % 3 == 0 ? "web" : "db", "n", "v" + i));
        }
        for (int round = 0; round < 3; round++) {
            for (Labels labels : sets) {
                assertEquals(WEB.matches(labels), memo.matches(labels), labels::toString);
            }
        }
    }

    @Test
    void termMatcherLooksAtNamespaceAndSelector() {
        PodInfo owner = pod("owner").namespace("a").build();
        PodTermMatcher own = new PodTermMatcher(owner, new PodAffinityTerm(WEB, List.of(), "zone", null));
        PodTermMatcher listed = new PodTermMatcher(owner, new PodAffinityTerm(WEB, List.of("b", "c"), "zone", null));
        PodTermMatcher nothing = new PodTermMatcher(owner, new PodAffinityTerm(null, List.of(), "zone", null));
        PodInfo inA = pod("q").namespace("a").label("app", "web").build();
        PodInfo inB = pod("q").namespace("b").label("app", "web").build();
        PodInfo other = pod("q").namespace("a").label("app", "db").build();
        assertTrue(own.matches(inA));
        assertFalse(own.matches(inB));
        assertFalse(own.matches(other));
        assertFalse(listed.matches(inA));
        assertTrue(listed.matches(inB));
        assertFalse(nothing.matches(inA));
    }

    @Test
    void termMatcherCountsOnANode() {
        ClusterState cluster = cluster(
                node("n1").build(),
                pod("a").label("app", "web").onNode("n1").build(),
                pod("b").label("app", "web").onNode("n1").terminating().build(),
                pod("c").label("app", "db").onNode("n1").build());
        PodTermMatcher matcher =
                new PodTermMatcher(pod("o").build(), new PodAffinityTerm(WEB, List.of(), "zone", null));
        assertEquals(2, matcher.countOn(info(cluster, "n1")));
    }

    @Test
    void affinityMemoWorksOncePerAffinityAndNamespace() {
        PodInfo first = pod("p").podAffinity().build();
        PodInfo sibling = first.withNodeName("n");
        PodInfo elsewhere = new PodInfo(
                "prod",
                first.name(),
                "other-uid",
                first.resourceVersion(),
                first.labels(),
                first.annotations(),
                null,
                false,
                "",
                first.spec(),
                "",
                PodInfo.NO_TIME,
                "",
                null);
        List<String> worked = new ArrayList<>();
        AffinityMemo<String> memo = new AffinityMemo<>(p -> {
            worked.add(p.namespace());
            return p.namespace();
        });
        assertEquals("default", memo.get(first));
        assertEquals("default", memo.get(sibling));
        assertEquals("prod", memo.get(elsewhere));
        assertEquals(List.of("default", "prod"), worked);
    }

    @Test
    void nodeConstraints() {
        Node ssd = node("n1").label("disk", "ssd").label("gen", "5").build();
        Node hdd = node("n2").label("disk", "hdd").build();
        NodeSelectorTerm newer =
                new NodeSelectorTerm(List.of(LabelRequirement.ofNodeSelector("gen", "Gt", List.of("4"))), List.of());
        NodeSelectorTerm byName = new NodeSelectorTerm(
                List.of(), List.of(LabelRequirement.ofNodeSelector("metadata.name", "In", List.of("n2"))));

        NodeConstraints none = NodeConstraints.of(pod("p").build());
        assertTrue(none.accept(ssd) && none.accept(hdd));
        NodeConstraints selector =
                NodeConstraints.of(pod("p").nodeSelector("disk", "ssd").build());
        assertTrue(selector.accept(ssd));
        assertFalse(selector.accept(hdd));
        // An illegal value voids the whole nodeSelector.
        assertTrue(
                NodeConstraints.of(pod("p").nodeSelector("disk", "-x").build()).accept(hdd));
        NodeConstraints either =
                NodeConstraints.of(pod("p").requiredNode(newer, byName).build());
        assertTrue(either.accept(ssd) && either.accept(hdd));
        assertFalse(NodeConstraints.of(pod("p").requiredNode().build()).accept(ssd));
        assertFalse(NodeConstraints.of(
                        pod("p").nodeSelector("disk", "hdd").requiredNode(newer).build())
                .accept(ssd));
    }
}
