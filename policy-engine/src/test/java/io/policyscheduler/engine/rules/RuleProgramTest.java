package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleProgram.Executor;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleProgramTest {
    private static final PodInfo POD = pod("db-1")
            .namespace("prod")
            .label("net", "underlay")
            .label("replicas", "3")
            .requests("500m", "1Gi")
            .scalar("nvidia.com/gpu", 2)
            .limits("1", "2Gi")
            .controller("StatefulSet", "db", "u")
            .priority(7)
            .toleration("gpu", "Exists", "", "NoSchedule")
            .image("registry.local/db:1")
            .initContainer("busybox")
            .build();

    private static final ClusterState CLUSTER = cluster(
            node("n1")
                    .cpu("4")
                    .memory("8Gi")
                    .label("zone", "a")
                    .label("gpus", "x")
                    .annotation("load/cpu", "85.5")
                    .taint("gpu", "", "NoSchedule")
                    .taint("soft", "v", "PreferNoSchedule")
                    .build(),
            node("n2").cpu("8").memory("16Gi").label("zone", "a").build(),
            node("n3").cpu("8").memory("16Gi").label("zone", "b").build(),
            pod("a").label("net", "underlay")
                    .requests("250m", "512Mi")
                    .image("web:1")
                    .onNode("n1")
                    .build(),
            pod("b").label("net", "overlay").requests("1", "1Gi").onNode("n1").build(),
            pod("c").label("net", "underlay").onNode("n2").build(),
            pod("d").label("net", "underlay").onNode("n3").build());

    private static Object value(String expression, RuleType type, Executor executor) {
        try {
            RuleProgram program = RuleCompiler.standard()
                    .compile(expression, Map.of("cap", 2, "nets", List.of("underlay", "sriov"), "zone", "a"), type);
            RuleProgram.Run run = program.start(POD, CLUSTER, executor);
            return type == RuleType.BOOL ? run.bool(info(CLUSTER, "n1")) : run.number(info(CLUSTER, "n1"));
        } catch (RuleException e) {
            throw new AssertionError(expression + "\n" + e.problem().format(), e);
        }
    }

    private static void check(String expression, RuleType type, Object expected) {
        assertAll(
                () -> assertEquals(expected, value(expression, type, Executor.DIRECT), "direct"),
                () -> assertEquals(expected, value(expression, type, Executor.MVEL), "mvel"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "node.podsWithLabel('net','underlay') < 10 || !pod.hasLabel('net','underlay') -> true",
                "pod.name == 'db-1' && pod.namespace != 'test' -> true",
                "pod.ownerKind in ['StatefulSet', 'DaemonSet'] -> true",
                "pod.priority in [1, 2, 3] -> false",
                "pod.label('net') in params.nets -> true",
                "pod.label('missing') == '' -> true",
                "pod.label('missing', 'x') == 'x' -> true",
                "pod.name.matches('db-[0-9]+') -> true",
                "pod.name.matches('(a|b)*') -> false",
                "pod.name.startsWith('db') && pod.name.endsWith('1') && pod.name.contains('-') -> true",
                "pod.memory == '1Gi' && pod.cpu == '500m' -> true",
                "'512Mi' < pod.memory -> true",
                "pod.memory <= quantity('1Gi') -> true",
                "node.taints.any(t, t.key == 'gpu') -> true",
                "node.taints.all(t, t.effect == 'NoSchedule') -> false",
                "node.taints.all(t, t.effect != 'NoSchedule' || pod.tolerations.any(o, o.key == t.key)) -> true",
                "node.pods.any(p, p.containers.any(c, c.init)) -> false",
                "pod.containers.any(c, c.init && c.image == 'busybox') -> true",
                "pod.tolerates('gpu', '', 'NoSchedule') && !pod.tolerates('soft', 'v', 'PreferNoSchedule') -> true",
                "true ? pod.hasLabel('net') : false -> true",
                "node.unschedulable == false -> true",
                "node.zone == '' && node.region == '' -> true",
                "node.annotation('load/cpu') == '85.5' -> true",
                "node.annotation('load/memory') == '' -> true",
                "number(node.annotation('load/cpu'), 0) > 85 -> true",
                "node.condition('Ready') == 'True' -> false"
            })
    void bools(String expression, boolean expected) {
        check(expression, RuleType.BOOL, expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "1 + 2 * 3 -> 7",
                "7 / 2 -> 3.5",
                "-7 % 3 -> -1",
                "- pod.priority -> -7",
                "10 - 3 - 2 -> 5",
                "100 * (10 - node.podsWithLabel('net','underlay')) / 10 -> 90",
                "pod.priority > 5 ? 100 : 0 -> 100",
                "pod.request('nvidia.com/gpu') -> 2",
                "pod.request('none') -> 0",
                "pod.cpu + '250m' -> 0.75",
                "number(pod.label('replicas'), 0) * params.cap -> 6",
                "number(node.label('gpus'), -1) -> -1",
                "number('1Ki', 0) -> 1024",
                "node.podCount -> 2",
                "node.freeCpu -> 2.75",
                "node.freeMemory / '1Gi' -> 6.5",
                "node.requested('pods') + node.maxPods -> 112",
                "node.pods.size + node.taints.size -> 4",
                "node.pods.count(p, p.label('net') == 'underlay') -> 1",
                "node.pods.sum(p, p.cpu) -> 1.25",
                "node.pods.max(p, p.memory) -> 1073741824",
                "node.pods.max(p, 0 - p.cpu) -> -0.25",
                "node.pods.sum(p, p.containers.size) -> 2",
                "node.podsInTopology('zone', 'net', 'underlay') -> 2",
                "node.podsInTopology('rack', 'net', 'underlay') -> 0",
                "node.nodesInTopology('zone') -> 2",
                "node.podsInNamespace('default') -> 2",
                "node.podsWithImage('web:1') -> 1",
                "node.podsWithImage('web') -> 0",
                "pod.containers.count(c, node.podsWithImage(c.image) > 0) -> 0",
                "cluster.nodeCount -> 3",
                "cluster.nodesWithLabel('zone') -> 3",
                "cluster.nodesWithLabel('zone', params.zone) -> 2",
                "cluster.podsWithLabel('net') -> 4",
                "cluster.podsWithLabel('net', 'underlay') -> 3",
                "cluster.topologyCount('zone') -> 2",
                "cluster.minPodsInTopology('zone', 'net', 'underlay') -> 1",
                "cluster.maxPodsInTopology('zone', 'net', 'underlay') -> 2",
                "cluster.minPodsInTopology('rack', 'net', 'underlay') -> 0",
                "cluster.podsWithLabel(node.label('none', 'net')) -> 4",
                "cluster.podsWithLabel(node.label('none', 'net'), 'underlay') -> 3",
                "cluster.nodesWithLabel(node.label('none', 'zone'), 'a') -> 2",
                "cluster.topologyCount(node.label('none', 'zone')) -> 2",
                "cluster.maxPodsInTopology(node.label('none', 'zone'), 'net', 'underlay') -> 2",
                "cluster.minPodsInTopology('zone', node.label('none', 'net'), 'underlay') -> 1",
                "node.podsInTopology(node.label('none', 'zone'), 'net', 'underlay') -> 2",
                "node.nodesInTopology(node.label('none', 'zone')) -> 2",
                "node.podsWithLabel(node.label('none', 'net')) -> 2",
                "node.podsWithLabel(node.label('none', 'net'), pod.label('net')) -> 1",
                "pod.containers.count(c, cluster.podsWithLabel(c.name) == 0) -> 2"
            })
    void numbers(String expression, double expected) {
        check(expression, RuleType.NUMBER, expected);
    }

    @ParameterizedTest
    @CsvSource({
        "1 / (node.podCount - 2), DIVISION_BY_ZERO",
        "1 % (node.podCount - 2), DIVISION_BY_ZERO",
        "999999999999999 / (1 / (node.podCount - 2)), DIVISION_BY_ZERO",
    })
    void failures(String expression, RuleFailure.Kind kind) {
        for (Executor executor : Executor.values()) {
            RuleFailure failure = assertThrows(RuleFailure.class, () -> value(expression, RuleType.NUMBER, executor));
            assertEquals(kind, failure.kind(), executor.name());
        }
    }

    /** An operand that decides alone does so whatever the other one does; if both fail, the error is that of the left one. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "1 / (node.podCount - 2) > 0 || pod.hasLabel('net') -> true",
                "1 / (node.podCount - 2) > 0 && pod.hasLabel('missing') -> false",
                "!(1 / (node.podCount - 2) > 0 && node.unschedulable) && true -> true",
                "node.pods.any(p, 1 / p.priority > 0) || node.taints.size == 2 -> true",
                "node.pods.all(p, 1 / p.priority > 0 || p.hasLabel('net')) -> true",
                "(1 / (node.podCount - 2) > 0 || node.unschedulable) || pod.hasLabel('net') -> true",
                "pod.hasLabel('net') || 1 / (node.podCount - 2) > 0 -> true",
            })
    void whatDecidesHidesFailures(String expression, boolean expected) {
        check(expression, RuleType.BOOL, expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "1 / (node.podCount - 2) > 0 || pod.hasLabel('missing') -> DIVISION_BY_ZERO",
                "1 / (node.podCount - 2) > 0 && pod.hasLabel('net') -> DIVISION_BY_ZERO",
                "node.podCount * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei'"
                        + " * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' * '8Ei' > 0 || 1 / (node.podCount - 2) > 0 -> NOT_FINITE",
                "pod.hasLabel('net') && 1 / (node.podCount - 2) > 0 -> DIVISION_BY_ZERO",
            })
    void whatDoesNotDecideFails(String expression, RuleFailure.Kind kind) {
        for (Executor executor : Executor.values()) {
            RuleFailure failure = assertThrows(RuleFailure.class, () -> value(expression, RuleType.BOOL, executor));
            assertEquals(kind, failure.kind(), executor.name());
        }
    }

    @Test
    void overflowFailsAtOnce() {
        String big = "node.allocatableMemory";
        String product = big + (" * " + big).repeat(40);
        for (Executor executor : Executor.values()) {
            for (String expression : List.of(product, "1 / (" + product + ")", "0 * (" + product + ")")) {
                RuleFailure failure =
                        assertThrows(RuleFailure.class, () -> value(expression, RuleType.NUMBER, executor));
                assertEquals(RuleFailure.Kind.NOT_FINITE, failure.kind(), executor + " " + expression);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "pod.hasLabel('a') -> NODE -> POD",
                "pod.name == 'a' -> CLUSTER -> POD_NAME",
                "node.label('a') == pod.label('a') -> NODE -> NODE,POD",
                "node.pods.any(p, p.name == 'a') -> NODE -> NODE_PODS",
                "node.podsInTopology('zone', 'a', pod.label('a')) > 1 -> TOPOLOGY -> TOPOLOGY,POD",
                "cluster.nodeCount > node.nodesInTopology('z') -> CLUSTER -> CLUSTER,TOPOLOGY",
                "pod.ageMinutes > now.hour -> CLUSTER -> TIME",
                "node.ageMinutes > 5 -> CLUSTER -> NODE,TIME",
                "node.conditions.any(c, c.ageMinutes > 5) -> CLUSTER -> NODE,TIME",
                "node.pods.any(p, p.ageMinutes > 5) -> CLUSTER -> NODE_PODS,TIME",
                "node.pods.any(p, p.disruptionsAllowed == 0) -> CLUSTER -> NODE_PODS,BUDGETS",
                "pod.claims.any(c, c.exists) -> CLUSTER -> CLAIMS",
                "pod.volumes.any(v, v.kind == 'csi') -> NODE -> POD",
                "node.podsOfOwner(pod.ownerUid) < 2 -> NODE -> NODE_PODS,POD",
                "true || cluster.nodeCount > 1 -> NODE -> ``"
            })
    void scopes(String expression, Scope scope, String reads) throws RuleException {
        RuleProgram program = RuleCompiler.standard().compile(expression, Map.of(), RuleType.BOOL);
        Set<Reads> expected = EnumSet.noneOf(Reads.class);
        for (String read : Splitter.on(',').split(reads)) {
            if (!read.isEmpty()) {
                expected.add(Reads.valueOf(read));
            }
        }
        assertAll(() -> assertEquals(scope, program.scope()), () -> assertEquals(expected, program.reads()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "pod.annotations['a'] == 'b' -> true",
                "pod.annotation('a') == 'b' -> true",
                "node.pods.all(p, p.annotations['a'] == null) -> true",
                "true || pod.annotation('a') == 'b' -> false",
                "node.annotations['a'] == 'b' -> false",
                "pod.labels['a'] == 'b' -> false"
            })
    void whatReadsAnnotationsOfPods(String expression, boolean reads) throws RuleException {
        RuleProgram program = RuleCompiler.standard().compile(expression, Map.of(), RuleType.BOOL);
        assertEquals(reads, program.readsPodAnnotations());
    }
}
