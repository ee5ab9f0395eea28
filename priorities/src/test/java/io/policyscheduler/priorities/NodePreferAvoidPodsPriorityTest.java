package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodePreferAvoidPodsPriorityTest {
    private static final String CONTROLLER =
            "{\"podController\":{\"apiVersion\":\"v1\",\"kind\":\"ReplicaSet\",\"name\":\"web\",\"uid\":\"u1\","
                    + "\"controller\":true}}";

    private final NodePreferAvoidPodsPriority priority = new NodePreferAvoidPodsPriority();

    @ParameterizedTest
    @CsvSource({
        "ReplicaSet, u1, 0",
        "ReplicaSet, u2, 100",
        "ReplicationController, u1, 100",
        "replicaset, u1, 100",
        "StatefulSet, u1, 100"
    })
    void controllerOfThePod(String kind, String uid, long expected) {
        String annotation = entries("{\"podSignature\":" + CONTROLLER + "}");
        assertEquals(expected, score(annotation, kind, uid));
    }

    @Test
    void replicationControllersAreAvoidedToo() {
        String annotation =
                entries("{\"podSignature\":{\"podController\":{\"kind\":\"ReplicationController\",\"uid\":\"u1\"}}}");
        assertEquals(0, score(annotation, "ReplicationController", "u1"));
        assertEquals(100, score(annotation, "ReplicaSet", "u1"));
    }

    @Test
    void otherKindsAreNeverAvoided() {
        String annotation = entries("{\"podSignature\":{\"podController\":{\"kind\":\"StatefulSet\",\"uid\":\"u1\"}}}");
        assertEquals(100, score(annotation, "StatefulSet", "u1"));
    }

    @Test
    void podWithoutControllerAndNodeWithoutAnnotation() {
        ClusterState cluster = Clusters.cluster(
                node("n1")
                        .annotation(
                                NodePreferAvoidPodsPriority.ANNOTATION,
                                entries("{\"podSignature\":" + CONTROLLER + "}"))
                        .build(),
                node("n2").build());
        assertEquals(List.of(100L, 100L), Scores.raw(priority, pod("p").build(), cluster));
        assertEquals(
                List.of(0L, 100L),
                Scores.raw(
                        priority, pod("p").controller("ReplicaSet", "web", "u1").build(), cluster));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"PREFERAVOIDPODS\":[{\"PodSignature\":{\"podcontroller\":{\"Kind\":\"ReplicaSet\",\"UID\":\"u1\"}}}]}",
                " {\"preferAvoidPods\":[{\"podSignature\":{\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"u1\"}}}]}\n",
                "{\"x\":[{\"y\":1}],\"preferAvoidPods\":[{\"z\":{\"kind\":3},\"podSignature\":{\"q\":null,"
                        + "\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"u1\",\"w\":[]}}}]}",
                "{\"preferAvoidPods\":[{},null,{\"podSignature\":null},{\"podSignature\":{\"podController\":null}},"
                        + "{\"podSignature\":{\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"u1\",\"name\":null}}}]}",
                "{\"preferAvoidPods\":null,\"preferAvoidPods\":[{\"podSignature\":{\"podController\":"
                        + "{\"kind\":\"ReplicaSet\"}},\"podSignature\":{\"podController\":{\"uid\":\"u1\"}}}]}",
                "{\"kind\":\"AvoidPods\",\"preferAvoidPods\":[{\"podSignature\":{\"q\":{\"r\":{\"s\":1}},\"t\":5,"
                        + "\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"u1\"}}}]}",
                "{\"preferAvoidPods\":[{\"podSignature\":{\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"u1\","
                        + "\"kind\":null,\"uid\":null,\"controller\":false,\"blockOwnerDeletion\":null}}}]}"
            })
    void readableForms(String annotation) {
        assertEquals(0, score(annotation, "ReplicaSet", "u1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2016-02-01T10:11:12Z",
                "2016-02-29T23:59:59.123456789+01:00",
                "2016-02-01T1:02:03-07:30",
                "2016-02-01T00:00:00.0000000001Z"
            })
    void goodTimes(String time) {
        assertEquals(0, score(withTime("\"" + time + "\""), "ReplicaSet", "u1"));
    }

    @Test
    void nullTime() {
        assertEquals(0, score(withTime("null"), "ReplicaSet", "u1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "\"some string\"",
                "\"2016-02-30T10:11:12Z\"",
                "\"2016-02-01T24:00:00Z\"",
                "\"2016-02-01T10:60:00Z\"",
                "\"2016-02-01T10:00:60Z\"",
                "\"2016-02-01T10:00:00\"",
                "\"2016-02-01 10:00:00Z\"",
                "\"2016-02-01T10:00:00.1234567890Z\"",
                "1454321472",
                "{}"
            })
    void badTimesMakeTheAnnotationUnreadable(String time) {
        assertEquals(100, score(withTime(time), "ReplicaSet", "u1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "{}",
                "[]",
                "\"x\"",
                "{\"preferAvoidPods\":{}}",
                "{\"preferAvoidPods\":[1]}",
                "{\"preferAvoidPods\":[{\"podSignature\":[]}]}",
                "{\"preferAvoidPods\":[{\"podSignature\":{\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":1}}}]}",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + ",\"reason\":7}]}",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + "},{\"message\":{}}]}",
                "{\"preferAvoidPods\":[{\"podSignature\":{\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"u1\","
                        + "\"controller\":\"true\"}}}]}",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + "}]",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + "}]} x",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + "}]}{}",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + "},]}",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + "}],\"preferAvoidPods\":[]}",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + "}],\"preferAvoidPods\":null}",
                "{\"preferAvoidPods\":[{\"podSignature\":{\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"u1\"},"
                        + "\"podController\":null,\"podController\":{\"kind\":\"ReplicaSet\"}}}]}",
                "{'preferAvoidPods':[]}",
                "{\"preferAvoidPods\":[{\"podSignature\":" + CONTROLLER + "}],\"x\":01}"
            })
    void unreadableOrEmptyForms(String annotation) {
        assertEquals(100, score(annotation, "ReplicaSet", "u1"));
    }

    @Test
    void contract() {
        assertEquals("NodePreferAvoidPodsPriority", priority.name());
        assertEquals(Scope.NODE, priority.scope());
    }

    private long score(String annotation, String kind, String uid) {
        ClusterState cluster = Clusters.cluster(node("n1")
                .annotation(NodePreferAvoidPodsPriority.ANNOTATION, annotation)
                .build());
        return Scores.raw(priority, pod("p").controller(kind, "web", uid).build(), cluster)
                .get(0);
    }

    private static String withTime(String json) {
        return entries("{\"podSignature\":" + CONTROLLER + ",\"evictionTime\":" + json + "}");
    }

    private static String entries(String entry) {
        return "{\"preferAvoidPods\":[" + entry + "]}";
    }
}
