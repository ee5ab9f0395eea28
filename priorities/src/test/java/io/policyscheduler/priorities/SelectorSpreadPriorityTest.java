package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** SelectorSpreadPriority and ServiceSpreadingPriority, which differ in one case only. */
class SelectorSpreadPriorityTest {
    private static final Priority SELECTOR = SelectorSpreadPriority.ofControllers();
    private static final Priority SERVICE = SelectorSpreadPriority.ofServices();
    private static final ServiceInfo APP_A = new ServiceInfo("default", "s", Labels.of("app", "a"));

    private static PodBuilder a(String name) {
        return pod(name).label("app", "a");
    }

    private static Node inZone(String name, String zone) {
        return node(name).label(Node.ZONE, zone).build();
    }

    private static ClusterState example(ClusterObject... owners) {
        ClusterState cluster = cluster(
                inZone("n1", "z1"),
                inZone("n2", "z1"),
                inZone("n3", "z2"),
                node("n4").build(),
                a("e1").label("tier", "x").onNode("n1").build(),
                a("e2").onNode("n1").build(),
                a("e3").onNode("n2").build(),
                a("e4").onNode("n3").build(),
                a("e5").onNode("n4").build(),
                a("gone").onNode("n3").terminating().build(),
                a("foreign").namespace("prod").onNode("n3").build(),
                pod("unmatched").onNode("n3").build());
        for (ClusterObject owner : owners) {
            cluster.putObject(owner);
        }
        return cluster;
    }

    /** Sorted by node name, because zones alternate in the node order. */
    private static Map<String, Long> byNode(List<Long> scores, ClusterState cluster) {
        Map<String, Long> map = new TreeMap<>();
        for (int i = 0; i < scores.size(); i++) {
            map.put(cluster.nodes().get(i).name(), scores.get(i));
        }
        return map;
    }

    private static Map<String, Long> reduced(Priority priority, PodInfo pod, ClusterState cluster) {
        return byNode(Scores.reduced(priority, pod, cluster), cluster);
    }

    private static Map<String, Long> scores(long n1, long n2, long n3, long n4) {
        return Map.of("n1", n1, "n2", n2, "n3", n3, "n4", n4);
    }

    @Test
    void facts() {
        assertEquals("SelectorSpreadPriority", SELECTOR.name());
        assertEquals("ServiceSpreadingPriority", SERVICE.name());
        assertEquals(Scope.CLUSTER, SELECTOR.scope());
        assertEquals(Scope.CLUSTER, SERVICE.scope());
    }

    @Test
    void nodesAndZones() {
        ClusterState cluster = example(APP_A);
        PodInfo incoming = a("p").build();
        for (Priority priority : List.of(SELECTOR, SERVICE)) {
            assertEquals(scores(2, 1, 1, 1), byNode(Scores.raw(priority, incoming, cluster), cluster));
            assertEquals(scores(0, 16, 61, 50), reduced(priority, incoming, cluster));
        }
    }

    @Test
    void noOwnerOrNoPeers() {
        assertEquals(scores(100, 100, 100, 100), reduced(SELECTOR, a("p").build(), example()));
        ServiceInfo everything = new ServiceInfo("default", "all", Labels.EMPTY);
        assertEquals(scores(100, 100, 100, 100), reduced(SELECTOR, a("p").build(), example(everything)));
        ServiceInfo other = new ServiceInfo("default", "b", Labels.of("app", "b"));
        PodInfo b = pod("p").label("app", "b").build();
        assertEquals(scores(100, 100, 100, 100), reduced(SELECTOR, b, example(other)));
    }

    @Test
    void oneNode() {
        ClusterState cluster =
                cluster(inZone("n1", "z"), APP_A, a("e").onNode("n1").build());
        assertEquals(List.of(0L), Scores.reduced(SELECTOR, a("p").build(), cluster));
        ClusterState empty = cluster(inZone("n1", "z"), APP_A);
        assertEquals(List.of(100L), Scores.reduced(SELECTOR, a("p").build(), empty));
    }

    @Test
    void aPeerMatchesAllOwners() {
        LabelSelector tier = LabelSelector.of(Labels.of("tier", "x"), List.of());
        WorkloadInfo set = new WorkloadInfo(WorkloadInfo.Kind.REPLICA_SET, "default", "rs", null, tier);
        PodInfo incoming = a("p").label("tier", "x").build();
        for (Priority priority : List.of(SELECTOR, SERVICE)) {
            ClusterState cluster = example(APP_A, set);
            assertEquals(scores(1, 0, 0, 0), byNode(Scores.raw(priority, incoming, cluster), cluster));
        }
    }

    @Test
    void withoutMetadataServiceSpreadingForgetsControllers() {
        LabelSelector tier = LabelSelector.of(Labels.of("tier", "x"), List.of());
        WorkloadInfo set = new WorkloadInfo(WorkloadInfo.Kind.STATEFUL_SET, "default", "ss", null, tier);
        LabelSelector invalid = new LabelSelector(List.of(LabelRequirement.ofLabelSelector("app", "Foo", List.of())));
        PodInfo incoming = a("p").label("tier", "x")
                .spread(new TopologySpreadConstraint(1, "zone", "ScheduleAnyway", invalid))
                .build();
        ClusterState cluster = example(APP_A, set);
        assertEquals(scores(1, 0, 0, 0), byNode(Scores.raw(SELECTOR, incoming, cluster), cluster));
        assertEquals(scores(2, 1, 1, 1), byNode(Scores.raw(SERVICE, incoming, cluster), cluster));
    }

    @Test
    void nodesWithoutZoneAreNoZoneTogether() {
        ClusterState cluster = cluster(
                inZone("n1", "z1"),
                inZone("n2", "z2"),
                node("n3").build(),
                node("n4").build(),
                APP_A,
                a("e1").onNode("n1").build(),
                a("e2").onNode("n3").build(),
                a("e3").onNode("n3").build(),
                a("e4").onNode("n4").build());
        // The fullest zone has 1 pod, the fullest node 2.
        assertEquals(scores(16, 100, 0, 50), reduced(SELECTOR, a("p").build(), cluster));
    }
}
