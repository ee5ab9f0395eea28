package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SmallObjectReadersTest {
    private static final String META = "'metadata': {'name': 'x', 'namespace': 'a', 'labels': {'l': 'm'}}, ";
    private static final LabelSelector WEB = LabelSelector.of(
            Labels.of("app", "web"), List.of(LabelRequirement.ofLabelSelector("tier", "Exists", List.of())));
    private static final String WEB_TEXT =
            "{'matchLabels': {'app': 'web'}, 'matchExpressions': [{'key': 'tier', 'operator': 'Exists'}]}";

    private static ServiceInfo service(@Nullable Labels selector) {
        return new ServiceInfo("a", "x", selector);
    }

    private static WorkloadInfo workload(
            WorkloadInfo.Kind kind, @Nullable Labels map, @Nullable LabelSelector selector) {
        return new WorkloadInfo(kind, "a", "x", map, selector);
    }

    private static DisruptionBudgetInfo budget(@Nullable LabelSelector selector, int allowed) {
        return new DisruptionBudgetInfo("a", "x", selector, allowed, Set.of());
    }

    static Stream<Arguments> objects() {
        WorkloadInfo.Kind rc = WorkloadInfo.Kind.REPLICATION_CONTROLLER;
        WorkloadInfo.Kind rs = WorkloadInfo.Kind.REPLICA_SET;
        WorkloadInfo.Kind ss = WorkloadInfo.Kind.STATEFUL_SET;
        return Stream.of(
                arguments(
                        "Service",
                        "'spec': {'selector': {'app': 'web'}, 'ports': [{'port': 80}]}, 'status': {}",
                        service(Labels.of("app", "web"))),
                // An empty selector selects every pod, an absent one none.
                arguments("Service", "'spec': {'selector': {}}", service(Labels.EMPTY)),
                arguments("Service", "'spec': {'selector': null}", service(null)),
                arguments("Service", "'spec': {}", service(null)),
                arguments("Service", "'spec': null", service(null)),
                arguments(
                        "ReplicationController",
                        "'spec': {'replicas': 3, 'selector': {'app': 'web'}, 'template': {'spec': {'containers':"
                                + " [{}]}}}",
                        workload(rc, Labels.of("app", "web"), null)),
                arguments("ReplicationController", "'status': {'replicas': 1}", workload(rc, null, null)),
                arguments("ReplicaSet", "'spec': {'selector': " + WEB_TEXT + "}", workload(rs, null, WEB)),
                arguments("ReplicaSet", "'spec': {'selector': {}}", workload(rs, null, LabelSelector.EVERYTHING)),
                arguments("ReplicaSet", "'spec': {'selector': null}", workload(rs, null, null)),
                arguments(
                        "StatefulSet",
                        "'spec': {'serviceName': 's', 'selector': " + WEB_TEXT + "}",
                        workload(ss, null, WEB)),
                arguments(
                        "PodDisruptionBudget",
                        "'spec': {'minAvailable': '50%', 'selector': " + WEB_TEXT
                                + "}, 'status': {'disruptionsAllowed': 2, 'currentHealthy': 4}",
                        budget(WEB, 2)),
                arguments("PodDisruptionBudget", "'spec': {'maxUnavailable': 1}", budget(null, 0)),
                arguments(
                        "PodDisruptionBudget",
                        "'spec': {'selector': {}}, 'status': {'disruptionsAllowed': null}",
                        budget(LabelSelector.EVERYTHING, 0)),
                arguments(
                        "Namespace",
                        "'spec': {'finalizers': ['kubernetes']}",
                        new NamespaceInfo("x", Labels.of("l", "m"))));
    }

    @ParameterizedTest
    @MethodSource("objects")
    void reads(String kind, String body, ClusterObject expected) throws IOException {
        assertEquals(expected, Reading.object(kind, "{" + META + body + "}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Service | {'spec': []} | spec: expected an object, found a list",
                "Service | {'spec': {'selector': 'a=b'}} | spec.selector: expected an object, found \"a=b\"",
                "ReplicationController | {'spec': {'selector': {'a': true}}} | spec.selector.a: expected a string,"
                        + " found true (YAML reads y, n, yes, no, on, and off as booleans: write the text in quotes)",
                "ReplicaSet | {'spec': {'selector': {'matchLabels': [1]}}} "
                        + "| spec.selector.matchLabels: expected an object, found a list",
                "PodDisruptionBudget | {'status': {'disruptionsAllowed': '1'}} "
                        + "| status.disruptionsAllowed: expected an integer, found \"1\"",
            })
    void wrongTypesAreNamedWithTheirPlace(String kind, String text, String reason) {
        assertEquals(kind + ": " + reason, Reading.refusal(kind, text));
    }
}
