package io.policyscheduler.engine.cluster.object;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeTest {
    static Stream<Arguments> zones() {
        return Stream.of(
                arguments(Labels.EMPTY, ""),
                arguments(Labels.of(Node.ZONE, "z"), ":\0:z"),
                arguments(Labels.of(Node.REGION, "r"), "r:\0:"),
                arguments(Labels.of(Node.ZONE, "z", Node.REGION, "r"), "r:\0:z"),
                arguments(Labels.of(Node.LEGACY_ZONE, "z", Node.LEGACY_REGION, "r"), "r:\0:z"),
                arguments(Labels.of(Node.LEGACY_ZONE, "old", Node.ZONE, "new"), ":\0:old"),
                arguments(Labels.of(Node.LEGACY_REGION, "old", Node.REGION, "new", Node.ZONE, "z"), "old:\0:z"),
                // The older label wins if it exists, whatever its value is.
                arguments(Labels.of(Node.LEGACY_ZONE, "", Node.ZONE, "z"), ""),
                arguments(Labels.of(Node.LEGACY_ZONE, "", Node.ZONE, "z", Node.REGION, "r"), "r:\0:"),
                arguments(Labels.of(Node.ZONE, "", Node.REGION, ""), ""));
    }

    @ParameterizedTest
    @MethodSource("zones")
    void zoneKey(Labels labels, String key) {
        assertEquals(key, Node.zoneKeyOf(labels));
    }

    @Test
    void nodesAreClusterScoped() {
        assertEquals("n1", node("n1").build().key());
    }
}
