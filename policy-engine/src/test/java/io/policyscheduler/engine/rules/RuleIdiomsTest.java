package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleProgram.Executor;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MVEL idioms and their values in both executors. */
class RuleIdiomsTest {
    private static final PodInfo POD = pod("web-1")
            .namespace("team-a")
            .label("app", "web")
            .label("tier", "")
            .label("replicas", "3")
            .requests("500m", "1Gi")
            .scalar("nvidia.com/gpu", 2)
            .nodeSelector("disk", "ssd")
            .annotation("example.com/class", "heavy")
            .annotation("blank", "  ")
            .priority(7)
            .toleration("gpu", "Exists", "", "NoSchedule")
            .image("registry.local/web:1")
            .initContainer("busybox")
            .build();

    private static final ClusterState CLUSTER = cluster(
            node("n1")
                    .cpu("4")
                    .memory("8Gi")
                    .label("zone", "a")
                    .label("app", "web")
                    .annotation("load", "85.5")
                    .annotation("blank", "  ")
                    .taint("gpu", "", "NoSchedule")
                    .taint("soft", "v", "PreferNoSchedule")
                    .build(),
            node("n2").cpu("8").memory("16Gi").build(),
            pod("a").namespace("team-a")
                    .label("app", "web")
                    .requests("250m", "512Mi")
                    .image("web:1")
                    .onNode("n1")
                    .build(),
            pod("b").label("app", "db").requests("1", "1Gi").onNode("n1").build(),
            pod("c").requests("2", "1Gi").onNode("n1").build());

    private static final Map<String, Object> PARAMS =
            Map.of("names", List.of("web", "db"), "sizes", List.of(1, 2, 3), "pattern", "w.b", "key", "app");

    private static Object value(String expression, RuleType type, Executor executor, String node) {
        try {
            RuleProgram program = RuleCompiler.standard().compile(expression, PARAMS, type);
            RuleProgram.Run run = program.start(POD, CLUSTER, executor);
            return type == RuleType.BOOL ? run.bool(info(CLUSTER, node)) : run.number(info(CLUSTER, node));
        } catch (RuleException e) {
            throw new AssertionError(expression + "\n" + e.problem().format(), e);
        }
    }

    private static void check(String expression, RuleType type, Object expected) {
        assertAll(
                () -> assertEquals(expected, value(expression, type, Executor.DIRECT, "n1"), "direct"),
                () -> assertEquals(expected, value(expression, type, Executor.MVEL, "n1"), "mvel"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "node.labels['zone'] == 'a' -> true",
                "node.labels['zone'] != 'a' -> false",
                "'a' == node.labels['zone'] -> true",
                "pod.labels.app == 'web' -> true",
                "pod.labels.missing == 'web' -> false",
                "pod.labels.missing != 'web' -> true",
                "pod.labels.?missing == 'web' -> false",
                "pod.?labels.?app == 'web' -> true",
                "pod.labels.get('app') == 'web' -> true",
                "pod.labels[params.key] == 'web' -> true",
                "pod.labels[node.labels.getOrDefault('x', 'app')] == 'web' -> true",
                "pod.nodeSelector['disk'] == 'ssd' -> true",
                "pod.nodeSelector.disk == 'hdd' -> false",
                "node.annotations['load'] == '85.5' -> true",
                "pod.annotations['example.com/class'] == 'heavy' -> true",
                "pod.annotations['example.com/class'] in ['light', 'heavy'] -> true",
                "pod.annotations['none'] == null -> true",
                "pod.annotations['none'] == 'heavy' -> false",
                "pod.annotations.?none == 'heavy' -> false",
                "pod.annotations.blank == empty -> true",
                "(pod.annotations['blank'] or 'x') == 'x' -> true",
                "pod.annotations.getOrDefault('none', 'x') == 'x' -> true",
                "pod.annotations.containsKey('blank') && pod.annotations.size() == 2 -> true",
                "pod.annotation('none') == '' && pod.annotation('example.com/class') == 'heavy' -> true",
                "number(pod.annotations['none'], 3) == 3 -> true",
                "node.pods.any(p, p.annotations['none'] != null) -> false",
                "node.labels['x'] == null -> true",
                "node.labels['x'] == nil -> true",
                "null == node.labels['x'] -> true",
                "node.labels['zone'] != null -> true",
                "node.labels['x'] == empty -> true",
                "node.labels['zone'] != empty -> true",
                "pod.labels['tier'] == empty -> true",
                "pod.labels['tier'] == null -> false",
                "pod.labels['tier'] == '' -> true",
                "pod.labels['x'] == '' -> false",
                "node.annotations['blank'] == empty -> true",
                "pod.name != empty -> true",
                "node.zone == empty -> true",
                "node.taints == empty -> false",
                "(p in node.pods if p.priority > 5) == empty -> true",
                "node.labels['app'] == pod.labels['app'] -> true",
                "node.labels['x'] == pod.labels['y'] -> true",
                "node.labels['x'] == pod.labels['app'] -> false",
                "node.labels['x'] != pod.labels['app'] -> true",
                "node.labels['x'] in ['a', 'b'] -> false",
                "node.labels['zone'] in ['a', 'b'] -> true",
                "node.labels['zone'] in [node.name, 'a'] -> true",
                "node.labels['x'] in [node.name, ''] -> false",
                "pod.labels['app'] in params.names -> true",
                "pod.name contains 'web' -> true",
                "pod.name contains 'db' -> false",
                "params.names contains 'db' -> true",
                "params.names contains pod.namespace -> false",
                "['web-1', 'x'] contains pod.name -> true",
                "['web-1', 'x'].contains(pod.name) -> true",
                "params.names.contains('db') -> true",
                "params.sizes contains pod.priority -> false",
                "pod.labels contains 'app' -> true",
                "pod.name == 'web-1' and pod.namespace == 'team-a' -> true",
                "pod.name == 'x' or pod.namespace == 'team-a' -> true",
                "pod.name == 'x' or pod.namespace == 'y' -> false",
                "pod.name == 'web-1' or pod.name == 'x' and pod.name == 'y' -> true",
                "pod.namespace ~= 'team-.*' -> true",
                "pod.namespace ~= 'team' -> false",
                "pod.label('app') ~= params.pattern -> true",
                "node.taints.isEmpty() -> false",
                "node.taints.size() == 2 -> true",
                "params.names.size() == 2 && !params.names.isEmpty() -> true",
                "node.labels.containsKey('gpu') -> false",
                "node.labels.containsKey('zone') -> true",
                "node.labels.size() == 2 && !node.labels.isEmpty() -> true",
                "pod.labels.getOrDefault('tier', 'x') == '' -> true",
                "pod.labels.getOrDefault('x', 'y') == 'y' -> true",
                "(node.labels['x'] or 'none') == 'none' -> true",
                "(node.labels['zone'] or 'none') == 'a' -> true",
                "(pod.labels['tier'] or pod.name) == 'web-1' -> true",
                "(node.annotations['blank'] or 'x') == 'x' -> true",
                "pod.name.length() == 5 -> true",
                "pod.name.isEmpty() || ''.isEmpty() -> true",
                "pod.name.toUpperCase() == 'WEB-1' -> true",
                "pod.name.toUpperCase().toLowerCase() == pod.name -> true",
                "(p in node.pods if p.labels['app'] == 'web').size() < 3 -> true",
                "($ in node.pods if $.labels['app'] == 'web').size() == 1 -> true",
                "(p in node.pods if p.labels['app'] == 'web').isEmpty() -> false",
                "(p in node.pods).size() == 3 -> true",
                "($.name in node.pods) contains 'a' -> true",
                "(p.name in node.pods) contains 'zz' -> false",
                "(name in node.pods) contains 'b' -> true",
                "(name in node.pods if $.labels['app'] == 'web') contains 'b' -> false",
                "(p.labels['app'] in node.pods) contains 'web' -> true",
                "(p.labels['app'].toUpperCase() in node.pods if p.labels['app'] != null) contains 'DB' -> true",
                "'b' in (name in node.pods) -> true",
                "pod.name in ($.name in node.pods) -> false",
                "(p.cpu in node.pods) contains 1 -> true",
                "(p.cpu in node.pods).contains('250m') -> true",
                "(c.name in (p in pod.containers if p.init)).size() == 1 -> true",
                "((p in node.pods if p.cpu > 0.5) contains 1) -> R",
                "(p in (q in node.pods if q.cpu >= 1) if p.labels['app'] == 'db').size() == 1 -> true",
                "(p in node.pods if p.cpu > 0.5).all(q, q.labels['app'] != 'web') -> true",
                "node.pods.filter(p, p.cpu > 0.5).map(p, p.name) contains 'c' -> true",
                "(p in node.pods if (c in p.containers if c.init).isEmpty()).size() == 3 -> true",
                "(pod.namespace in ['team-a', 'b']) -> true",
                "(pod.namespace in params.names) -> false",
                "node.labels['zone'] != null && node.labels['zone'].startsWith('a') -> true",
                "node.labels['x'] != null && node.labels['x'].startsWith('a') -> false",
                "node.labels['x'] == null || node.labels['x'] ~= '[0-9]+' -> true",
                "!(node.labels['x'] == empty) && node.labels['x'].length() > 3 -> false",
                "node.labels.containsKey('zone') && node.labels.zone.contains('a') -> true",
                "node.labels['zone'] == 'a' && node.labels['zone'].length() == 1 -> true",
                "node.labels['zone'] in ['a', 'b'] ? node.labels['zone'].length() == 1 : false -> true",
                "node.allocatable['cpu'] == 4 -> true",
                "node.allocatable.cpu - node.requested.cpu == node.free.cpu -> true",
                "node.free['memory'] > '1Gi' -> true",
                "pod.requests['nvidia.com/gpu'] == 2 -> true",
                "pod.requests['none'] == 0 -> true",
                "node.requested.pods == 3 -> true",
                "if (pod.priority > 5) { return true; } else { return false; } -> true",
                "if (pod.priority > 5) { return node.zone == ''; } return false; -> true",
                "if (pod.priority < 5) { return true } else if (node.zone == '') { return false } else { return true } -> false",
                "if (pod.priority > 5) { true } else { false } -> true",
                "if (pod.priority > 5) { x = 3; return pod.priority > x; } else { return false; } -> true",
                "limit = 3; return node.podCount < limit; -> false",
                "var n = node.podCount * 2; n > 5 && n < 7 -> true",
                "app = pod.labels['app']; if (app == null) { return false; } return app.startsWith('w'); -> true",
                "l = pod.labels; l.app == 'web' && l['x'] == null -> true",
                "web = (p in node.pods if p.labels['app'] == 'web'); return web.size() == 1 && web.any(p, p.cpu < 1); -> true",
                "n = node; n.podCount == 3 -> true",
                "zone = node.labels['x'] or 'none'; return zone == 'none'; -> true",
                "return true -> true",
            })
    void bools(String expression, String expected) {
        if (expected.equals("R")) {
            assertThrows(AssertionError.class, () -> value(expression, RuleType.BOOL, Executor.DIRECT, "n1"));
        } else {
            check(expression, RuleType.BOOL, Boolean.valueOf(expected));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "Math.min(3, pod.priority) -> 3",
                "Math.max(pod.cpu, 0.25) -> 0.5",
                "max(pod.memory, '2Gi') -> 2147483648",
                "Math.abs(-3) + abs(pod.priority - 10) -> 6",
                "Math.floor(-0.5) -> -1",
                "Math.ceil(-0.5) -> 0",
                "ceil(node.podCount / 2) -> 2",
                "Math.round(2.5) + Math.round(-2.5) -> 1",
                "Math.sqrt(node.podCount + 1) -> 2",
                "Math.log(1) + log(node.podCount - 2) -> 0",
                "min(10, max(1, node.podCount)) -> 3",
                "number(pod.labels['replicas'], 0) * 2 -> 6",
                "number(pod.labels['missing'], 4) -> 4",
                "number(node.labels['zone'], -1) -> -1",
                "(p in node.pods if p.labels['app'] == 'web').size() -> 1",
                "(p in node.pods if p.cpu > 0.5).sum(q, q.cpu) -> 3",
                "(p in node.pods if p.cpu > 5).max(q, 0 - q.cpu) -> 0",
                "(p in node.pods if p.cpu > 0.5).max(q, 0 - q.cpu) -> -1",
                "($.name in node.pods).size() + (name in node.pods).size -> 6",
                "100 * (node.allocatable['cpu'] - node.requested['cpu']) / node.allocatable['cpu'] -> 18.75",
                "if (node.labels['zone'] == 'a') { return 100; } return 0; -> 100",
                "if (node.labels['zone'] == 'b') { 100 } else { '1Ki' } -> 1024",
                "free = node.free.cpu; used = node.requested.cpu; return Math.max(free, used) -> 3.25",
                "n = pod.name.length(); m = n * n; m + n -> 30",
            })
    void numbers(String expression, double expected) {
        check(expression, RuleType.NUMBER, expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "Math.sqrt(0 - node.podCount) > 0 -> NOT_FINITE",
                "Math.log(node.podCount - 3) > 0 -> NOT_FINITE",
                "Math.round(pod.memory * '8Ei') > 0 -> NOT_FINITE",
                "x = 1 / (node.podCount - 3); return true -> DIVISION_BY_ZERO",
                "(1 / (p.priority - p.priority) in node.pods) contains 1 -> DIVISION_BY_ZERO",
            })
    void failures(String expression, RuleFailure.Kind kind) {
        for (Executor executor : Executor.values()) {
            RuleFailure failure =
                    assertThrows(RuleFailure.class, () -> value(expression, RuleType.BOOL, executor, "n1"));
            assertEquals(kind, failure.kind(), executor.name());
        }
    }
}
