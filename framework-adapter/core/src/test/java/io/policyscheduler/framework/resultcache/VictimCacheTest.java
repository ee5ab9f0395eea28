package io.policyscheduler.framework.resultcache;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PodPreemption.NodeTrial.Misfit;
import io.policyscheduler.engine.placement.PodPreemption.VictimSearch;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.framework.resultcache.VictimCache.CachedVictims;
import io.policyscheduler.framework.resultcache.VictimCache.EvictionResult;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VictimCacheTest {
    private static final Misfit FULL = new Misfit(List.of("full"), false);

    private final ClusterState cluster =
            cluster(node("n1").build(), node("n2").build(), node("n3").build());
    private VictimCache kept = new VictimCache(Objects.requireNonNull(cluster.index()));
    private final Set<String> asked = new TreeSet<>();

    @BeforeEach
    void begin() {
        cluster.startCycle();
        kept = new VictimCache(Objects.requireNonNull(cluster.index()));
        cluster.addPod(web("a", "n1", 1));
        cluster.addPod(web("b", "n2", 2));
    }

    private static PodInfo web(String name, String node, int priority) {
        return pod(name)
                .label("app", "web")
                .priority(priority)
                .startTime(1)
                .onNode(node)
                .build();
    }

    private static DisruptionBudgetInfo budget(String app, int allowed) {
        return new DisruptionBudgetInfo(
                "default", "b", LabelSelector.of(Labels.of("app", app), List.of()), allowed, Set.of());
    }

    /** All pods of a node must be evicted; a node without pods is full. */
    private EvictionResult answer(NodeInfo node) {
        asked.add(node.name());
        return EvictionResult.of(
                node.podCount() == 0
                        ? new VictimSearch(null, new Misfit(List.of("full"), false))
                        : new VictimSearch(new Victims(node.pods(), 0), null));
    }

    private CachedVictims column(Object basis, Map<Integer, List<PodInfo>> promised) {
        asked.clear();
        return kept.column(cluster, basis, promised, this::answer);
    }

    private void assertAsked(String... nodes) {
        column("basis", Map.of());
        assertEquals(Set.of(nodes), asked);
    }

    private int slot(String node) {
        return Objects.requireNonNull(cluster.node(node)).slot();
    }

    @Test
    void asksAboutNodesThatHaveChanged() {
        assertAsked("n1", "n2", "n3");
        assertAsked();
        cluster.addPod(web("c", "n3", 0));
        assertAsked("n3");
        column("another basis", Map.of());
        assertEquals(Set.of("n1", "n2", "n3"), asked);
        cluster.putNode(node("n4").build());
        cluster.startCycle();
        assertAsked("n4");
    }

    @Test
    void asksWhereAChangeOfABudgetMatters() {
        assertAsked("n1", "n2", "n3");
        cluster.putObject(budget("web", 0));
        assertAsked("n1", "n2");
        cluster.putObject(budget("web", -1));
        assertAsked();
        cluster.putObject(budget("web", 1));
        assertAsked("n1", "n2");
        cluster.putObject(budget("web", 5));
        assertAsked();
        cluster.removePod(web("b", "n2", 2));
        assertAsked("n2");
        cluster.putObject(budget("other", 0));
        assertAsked("n1");
        cluster.putObject(budget("web", 0));
        assertAsked("n1");
        cluster.removeObject(budget("web", 0));
        assertAsked("n1");
    }

    @Test
    void asksWherePromisesHaveChanged() {
        assertAsked("n1", "n2", "n3");
        Map<Integer, List<PodInfo>> promised = Map.of(slot("n2"), List.of(web("p", "", 9)));
        column("basis", promised);
        assertEquals(Set.of("n2"), asked);
        column("basis", promised);
        assertEquals(Set.of(), asked);
        column("basis", Map.of(slot("n3"), List.of(web("p", "", 9))));
        assertEquals(Set.of("n2", "n3"), asked);
        assertAsked("n3");
    }

    @Test
    void knowsTheCheapestNode() {
        CachedVictims column = column("basis", Map.of());
        assertEquals("n1", Objects.requireNonNull(column.cheapest()).name());
        assertEquals(2, column.count(EvictionResult.Kind.CANDIDATE));
        assertEquals(Map.of(FULL, 1), column.misfits());
        cluster.removePod(web("a", "n1", 1));
        column = column("basis", Map.of());
        NodeInfo cheapest = Objects.requireNonNull(column.cheapest());
        assertEquals("n2", cheapest.name());
        assertEquals(new Victims(List.of(web("b", "n2", 2)), 0), column.victims(cheapest));
        assertEquals(Map.of(FULL, 2), column.misfits());
        // Of equals, the first by name; both change at once.
        cluster.addPod(web("a", "n1", 2));
        cluster.removeNode("n3");
        cluster.startCycle();
        column = column("basis", Map.of());
        assertEquals("n1", Objects.requireNonNull(column.cheapest()).name());
        assertEquals(0, column.count(EvictionResult.Kind.UNHELPED));
        cluster.removePod(web("a", "n1", 2));
        cluster.removePod(web("b", "n2", 2));
        assertNull(column("basis", Map.of()).cheapest());
    }

    @Test
    void theLeastUsedGoFirst() {
        int most = (1 << 19) / 4;
        for (int i = 0; i <= most; i++) {
            kept.column(cluster, i, Map.of(), node -> EvictionResult.FITS);
        }
        column(0, Map.of());
        assertEquals(Set.of("n1", "n2", "n3"), asked);
    }
}
