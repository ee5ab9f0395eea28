package io.policyscheduler.framework.kept;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.algorithm.Reduction;
import io.policyscheduler.engine.cluster.ClusterState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which scores are known without asking, and of which nodes they are asked for again. */
class KeptNodesTest {
    private final ClusterState cluster = new ClusterState();
    private final List<String> asked = new ArrayList<>();
    private final KeptNodes kept;

    KeptNodesTest() {
        cluster.putNode(node("n1").build());
        cluster.putNode(node("n2").build());
        cluster.startCycle();
        kept = new KeptNodes(Objects.requireNonNull(cluster.index()), 0, 2, KeptNodes.USUAL_BYTES);
    }

    private long score(String name) {
        asked.add(name);
        return 7;
    }

    private ScoreColumn once(int plugin, String basis) {
        return kept.scoresOnce(plugin, basis, 0, Reduction.NONE, node -> score(node.name()));
    }

    private @Nullable ScoreColumn known(int plugin, String basis) {
        asked.clear();
        return kept.knownScores(plugin, basis, 0, Reduction.NONE, node -> score(node.name()));
    }

    @Test
    void whatWasWorkedOutOnceIsKnownUntilAnotherIs() {
        assertNull(known(0, "a"));
        ScoreColumn column = once(0, "a");
        assertEquals(List.of("n1", "n2"), asked);

        assertSame(column, known(0, "a"));
        assertEquals(List.of(), asked);
        assertNull(known(0, "b"));
        assertNull(known(1, "a"));

        once(0, "b");
        assertNull(known(0, "a"));
        assertNotNull(known(0, "b"));
    }

    @Test
    void nodesThatHaveChangedAreAskedAgain() {
        once(0, "a");
        cluster.putNode(node("n2").cpu("8").build());
        cluster.putNode(node("n3").build());
        cluster.startCycle();

        ScoreColumn column = known(0, "a");
        assertEquals(List.of("n2", "n3"), asked.stream().sorted().toList());
        assertEquals(7, Objects.requireNonNull(column).at(2));
    }

    @Test
    void whatIsKeptIsKnown() {
        for (int i = 0; i < 2; i++) {
            kept.scores(0, "a", 0, Reduction.NONE, node -> score(node.name()));
        }
        once(0, "b");

        assertNotNull(known(0, "a"));
        assertEquals(List.of(), asked);
        assertEquals(1, kept.size().columns());
    }
}
