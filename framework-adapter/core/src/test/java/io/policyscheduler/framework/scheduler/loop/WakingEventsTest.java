package io.policyscheduler.framework.scheduler.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.scheduler.loop.ObjectEvents.WakingEvents;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WakingEventsTest {
    static List<Arguments> objects() {
        return List.of(
                Arguments.of(
                        new ServiceInfo("a", "s", null), "SERVICE_ADD, changed SERVICE_UPDATE, deleted SERVICE_DELETE"),
                Arguments.of(
                        new CsiNodeInfo("n", Labels.EMPTY, List.of()),
                        "CSI_NODE_ADD, changed CSI_NODE_UPDATE, deleted STORAGE_LIMIT_CHANGE"),
                Arguments.of(
                        new StorageClassInfo("s", "p", "WaitForFirstConsumer", List.of()),
                        "STORAGE_CLASS_ADD, changed STORAGE_LIMIT_CHANGE, deleted null"),
                Arguments.of(
                        new StorageClassInfo("s", "p", "Immediate", List.of()),
                        "null, changed STORAGE_LIMIT_CHANGE, deleted null"),
                Arguments.of(
                        new DisruptionBudgetInfo("a", "b", null, 1, Set.of()),
                        "BUDGET_CHANGE, changed BUDGET_CHANGE, deleted BUDGET_CHANGE"),
                Arguments.of(
                        new CsiDriverInfo("d", true),
                        "null, changed STORAGE_LIMIT_CHANGE, deleted STORAGE_LIMIT_CHANGE"),
                Arguments.of(
                        new NamespaceInfo("a", Labels.EMPTY),
                        "NAMESPACE_CHANGE, changed NAMESPACE_CHANGE, deleted NAMESPACE_CHANGE"));
    }

    @ParameterizedTest
    @MethodSource("objects")
    void whatAnObjectWakes(ClusterObject object, String expected) {
        WakingEvents events = WakingEvents.of(object.resourceKind());
        assertEquals(
                expected,
                events.upserted(object, true) + ", changed " + events.upserted(object, false) + ", deleted "
                        + events.deleted());
    }
}
