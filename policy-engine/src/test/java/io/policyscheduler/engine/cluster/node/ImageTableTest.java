package io.policyscheduler.engine.cluster.node;

import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.object.Node;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The images of each node, while a cluster changes. */
class ImageTableTest {
    private static final long BIG = 800_000_000;
    private static final long SMALL = 400_000_000;
    private static final String NGINX = "nginx:latest";

    private final ClusterState state = new ClusterState();

    private static Node holder(String name, long size) {
        return node(name).image(size, NGINX).build();
    }

    private Map<String, ImageState> images(String name) {
        return info(state, name).images();
    }

    private static Map<String, ImageState> nginx(long size, int holders) {
        return Map.of(NGINX, new ImageState(size, holders));
    }

    @BeforeEach
    void threeHolders() {
        state.putNode(holder("n1", BIG));
        state.putNode(holder("n2", BIG));
        state.putNode(holder("n3", SMALL));
    }

    @Test
    void countsAreThoseOfTheMomentAndSizesThoseOfTheFirst() {
        assertEquals(nginx(BIG, 1), images("n1"));
        assertEquals(nginx(BIG, 2), images("n2"));
        assertEquals(nginx(BIG, 3), images("n3"));
    }

    @Test
    void anUpdateCountsAgain() {
        state.putNode(holder("n1", SMALL));
        assertEquals(nginx(BIG, 3), images("n1"));
        assertEquals(nginx(BIG, 2), images("n2"));
    }

    @Test
    void aRemovedHolderIsNotCountedAnyMore() {
        state.removeNode("n2");
        assertEquals(nginx(BIG, 3), images("n3"));
        state.putNode(holder("n3", SMALL));
        assertEquals(nginx(BIG, 2), images("n3"));
    }

    @Test
    void theSizeIsForgottenWithTheLastHolder() {
        state.removeNode("n1");
        state.removeNode("n2");
        state.putNode(holder("n3", SMALL));
        assertEquals(nginx(SMALL, 1), images("n3"));
    }

    @Test
    void anImageThatIsGoneFromItsNode() {
        state.putNode(node("n1").build());
        assertEquals(Map.of(), images("n1"));
        state.putNode(holder("n4", SMALL));
        assertEquals(nginx(BIG, 3), images("n4"));
    }

    @Test
    void ofANameListedTwiceTheFirstCounts() {
        state.putNode(node("n5")
                .image(7, "x:1", "x@sha256:1")
                .image(9, "x:1")
                .image(0)
                .build());
        assertEquals(Map.of("x:1", new ImageState(7, 1), "x@sha256:1", new ImageState(7, 1)), images("n5"));
    }
}
