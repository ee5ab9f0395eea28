package io.policyscheduler.framework.resultcache;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.framework.resultcache.VictimCache.PlacedNames;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PlacedNamesTest {
    private final ClusterState cluster = cluster(node("n1").build(), node("n2").build());
    private final PlacedNames names = new PlacedNames();

    private void assertHas(boolean expected, String namespace, String name) {
        ClusterIndex index = Objects.requireNonNull(cluster.index());
        assertEquals(
                expected,
                names.has(index, pod(name).namespace(namespace).uid("another").build()));
    }

    @Test
    void knowsThePodsOnNodes() {
        cluster.startCycle();
        assertHas(false, "a", "p");
        cluster.addPod(pod("p").namespace("a").onNode("n2").build());
        cluster.addPod(pod("q").namespace("a").onNode("elsewhere").build());
        assertHas(true, "a", "p");
        assertHas(false, "b", "p");
        assertHas(false, "a", "q");
        // "Aa" and "BB" have the same hash.
        cluster.addPod(pod("Aa").namespace("a").onNode("n1").build());
        assertHas(true, "a", "Aa");
        assertHas(false, "a", "BB");
        cluster.removePod(pod("p").namespace("a").onNode("n2").build());
        assertHas(false, "a", "p");
        cluster.removeNode("n1");
        cluster.startCycle();
        assertHas(false, "a", "Aa");
    }
}
