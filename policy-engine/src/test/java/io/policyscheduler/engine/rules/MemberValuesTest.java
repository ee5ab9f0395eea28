package io.policyscheduler.engine.rules;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.rules.RuleProgram.Executor;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.testing.StorageObjects;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The values of members in both executors. */
class MemberValuesTest {
    /** A Sunday evening in Greenwich. */
    private static final Instant NOW = Instant.parse("2026-03-01T22:45:59Z");

    private static final long MINUTE = 60_000;

    private static final PodInfo POD = pod("web-1")
            .namespace("shop")
            .label("app", "web")
            .controller("ReplicaSet", "web", "rs-1")
            .serviceAccount("robot")
            .qosClass("Burstable")
            .phase("Pending")
            .created(ago(61))
            .containerPort("http", 8080, 80, "TCP")
            .containerPort("metrics", 9100, 0, "TCP")
            .podVolume("scratch", "emptyDir")
            .podVolume("kube-api-access-abcde", "projected")
            .claim("data")
            .claim("absent")
            .volume(new Volume(Volume.Kind.EPHEMERAL, "tmp", "", false, List.of()))
            .build();

    private static long ago(long minutes) {
        return NOW.toEpochMilli() - minutes * MINUTE;
    }

    private static DisruptionBudgetInfo budget(String name, String app, int allowed) {
        return new DisruptionBudgetInfo(
                "shop", name, LabelSelector.of(Labels.of("app", app), List.of()), allowed, Set.of());
    }

    private static List<NodeSelectorTerm> zones(String key, String... values) {
        LabelRequirement requirement = LabelRequirement.ofNodeSelector(key, "In", List.of(values));
        return List.of(new NodeSelectorTerm(List.of(requirement), List.of()));
    }

    private static ClusterState cluster() {
        ClusterState state = new ClusterState(Clock.fixed(NOW, ZoneOffset.UTC));
        state.putNode(node("n1")
                .label(Node.ZONE, "z1")
                .created(ago(7))
                .condition("Ready", "True", ago(3))
                .condition("DiskPressure", "False", ago(500))
                .image(1000, "web:1", "web@sha256:1")
                .image(3000, "db:1")
                .build());
        state.putNode(node("n2").label(Node.ZONE, "z1").build());
        state.putNode(node("n3").label(Node.ZONE, "z2").build());
        int number = 0;
        for (String place : List.of("n1", "n1", "n2")) {
            state.addPod(pod("sibling-" + number++)
                    .namespace("shop")
                    .label("app", "web")
                    .controller("ReplicaSet", "web", "rs-1")
                    .created(ago(10))
                    .containerPort("", 1, 9000 + number, "UDP")
                    .onNode(place)
                    .build());
        }
        state.addPod(pod("alone").namespace("shop").onNode("n1").build());
        state.putObject(StorageObjects.claim("shop", "data", "pv-1"));
        state.putObject(StorageObjects.claim("shop", "web-1-tmp", ""));
        state.putObject(StorageObjects.claim("other", "absent", "pv-1"));
        state.putObject(StorageObjects.volume("pv-1", Labels.EMPTY, zones("topology.gke.io/zone", "z1")));
        state.putObject(budget("wide", "web", 2));
        state.putObject(budget("narrow", "web", 1));
        state.putObject(budget("others", "db", 0));
        state.startCycle();
        return state;
    }

    private static Object value(String expression, PodInfo about, ClusterState state, Executor executor) {
        NodeInfo node = Objects.requireNonNull(state.node("n1"));
        try {
            RuleProgram program = RuleCompiler.standard().compile(expression, Map.of(), RuleType.NUMBER);
            return program.start(about, state, executor).number(node);
        } catch (RuleException e) {
            throw new AssertionError(e.problem().format(), e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "pod.ageMinutes -> 61",
                "node.ageMinutes -> 7",
                "node.pods.max(p, p.ageMinutes) -> 10",
                "now.hour -> 22",
                "now.minute -> 45",
                "now.weekday -> 7",
                "now.hour('Europe/Berlin') -> 23",
                "now.weekday('Asia/Kolkata') + now.hour('Asia/Kolkata') + now.minute('Asia/Kolkata') -> 20",
                "node.conditions.sum(c, c.type == 'Ready' && c.status == 'True' ? c.ageMinutes : 0) -> 3",
                "node.conditions.size -> 2",
                "node.images.sum(i, i.sizeBytes) -> 4000",
                "node.images.count(i, i.names contains 'web:1') -> 1",
                "node.imageSize('db:1') + node.imageSize('none') -> 3000",
                "node.hostPorts.sum(p, p.hostPort) -> 18003",
                "node.hostPorts.count(p, p.protocol == 'UDP') -> 2",
                "pod.containers.sum(c, c.ports.sum(p, p.containerPort)) -> 17180",
                "pod.containers.sum(c, c.ports.sum(p, p.name == 'metrics' ? 1 : 0)) -> 1",
                "pod.volumes.size -> 5",
                "pod.volumes.count(v, v.kind == 'emptyDir' && v.name == 'scratch') -> 1",
                "pod.volumes.count(v, v.name == 'kube-api-access') -> 1",
                "pod.volumes.count(v, v.claimName == 'data') -> 1",
                "pod.volumes.count(v, v.claimName == null) -> 3",
                "pod.claims.size -> 3",
                "pod.claims.count(c, c.exists) -> 2",
                "pod.claims.count(c, c.name == 'web-1-tmp' && c.phase == 'Pending' && c.volumeName == null) -> 1",
                "pod.claims.count(c, c.phase == 'Bound' && c.volumeName == 'pv-1' && c.zone == 'z1') -> 1",
                "pod.claims.sum(c, c.requestedStorage) / '1Gi' -> 2",
                "pod.claims.count(c, c.storageClassName == 'fast') -> 2",
                "pod.claims.count(c, c.accessModes contains 'ReadWriteOnce') -> 2",
                "(pod.volumeZone or 'none') == node.zone ? 1 : 0 -> 1",
                "pod.volumeZone != null && pod.volumeZone.startsWith('z') ? 1 : 0 -> 1",
                "node.pods.count(p, p.volumeZone == null) -> 3",
                "pod.budgets.size -> 2",
                "pod.budgets.sum(b, b.disruptionsAllowed) -> 3",
                "pod.budgets.count(b, b.name == 'wide') -> 1",
                "pod.disruptionsAllowed -> 1",
                "node.pods.max(p, p.disruptionsAllowed) -> 2147483647",
                "node.pods.count(p, p.disruptionsAllowed <= 1) -> 2",
                "pod.qosClass == 'Burstable' && pod.serviceAccountName == 'robot' ? 1 : 0 -> 1",
                "pod.phase == 'Pending' && pod.ownerUid == 'rs-1' ? 1 : 0 -> 1",
                "node.podsOfOwner(pod.ownerUid) -> 2",
                "node.podsOfOwner('') -> 0",
                "cluster.podsOfOwner(pod.ownerUid) -> 3",
                "cluster.podsOfOwner('') -> 0",
                "node.podsOfOwnerInTopology('topology.kubernetes.io/zone', pod.ownerUid) -> 3",
                "node.podsOfOwnerInTopology('rack', pod.ownerUid) -> 0",
                "cluster.minPodsOfOwnerInTopology('topology.kubernetes.io/zone', pod.ownerUid) -> 0",
                "cluster.maxPodsOfOwnerInTopology('topology.kubernetes.io/zone', pod.ownerUid) -> 3",
            })
    void ofAFullWorld(String expression, double expected) {
        ClusterState state = cluster();
        for (Executor executor : Executor.values()) {
            assertEquals(expected, value(expression, POD, state, executor), executor + " " + expression);
        }
    }

    /** A pod and a cluster without optional fields. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "pod.ageMinutes + node.ageMinutes -> 0",
                "pod.serviceAccountName == '' && pod.qosClass == '' && pod.ownerUid == '' ? 1 : 0 -> 1",
                "pod.volumes.size + pod.claims.size + pod.budgets.size -> 0",
                "pod.disruptionsAllowed -> 2147483647",
                "pod.volumeZone == null ? 1 : 0 -> 1",
                "node.conditions.size + node.images.size + node.hostPorts.size -> 0",
                "node.podsOfOwner(pod.ownerUid) + cluster.podsOfOwner(pod.ownerUid) -> 0",
            })
    void ofAnEmptyWorld(String expression, double expected) {
        ClusterState state = new ClusterState(Clock.fixed(NOW, ZoneOffset.UTC));
        state.putNode(node("n1").build());
        state.startCycle();
        for (Executor executor : Executor.values()) {
            assertEquals(expected, value(expression, pod("p").build(), state, executor), executor + " " + expression);
        }
    }

    /** Labels first, the legacy one before the current one; node affinity only if it leaves one zone. */
    @ParameterizedTest
    @CsvSource({
        "topology.kubernetes.io/zone=a, topology.gke.io/zone=b, a",
        "failure-domain.beta.kubernetes.io/zone=c, topology.gke.io/zone=b, c",
        "x=y, topology.gke.io/zone=b, b",
        "x=y, topology.gke.io/zone=b;c, null",
        "x=y, rack=b, null",
    })
    void zoneOfAVolume(String label, String affinity, String expected) {
        String[] labels = label.split("=", 2);
        String[] terms = affinity.split("=", 2);
        ClusterState state = new ClusterState();
        state.putNode(node("n1").build());
        state.putObject(StorageObjects.claim("default", "data", "pv"));
        state.putObject(
                StorageObjects.volume("pv", Labels.of(labels[0], labels[1]), zones(terms[0], terms[1].split(";"))));
        state.startCycle();
        String expression =
                "pod.volumeZone == " + (expected.equals("null") ? "null" : "'" + expected + "'") + " ? 1 : 0";
        assertEquals(1.0, value(expression, pod("p").claim("data").build(), state, Executor.DIRECT));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "now.hour('Mars/Olympus') < 6 -> R015: unknown time zone 'Mars/Olympus'; use a name such as"
                        + " 'Europe/Berlin'",
                "now.hour(pod.name) < 6 -> R015: the time zone must be a constant; use a name such as 'Europe/Berlin',"
                        + " or a parameter",
                "now.day < 6 -> R013: a moment has no member 'day'; there are hour, minute, weekday",
                "now < 6 -> R016: '<' must be a number, not a moment",
            })
    void refusals(String expression, String expected) {
        RuleException thrown = assertThrows(
                RuleException.class, () -> RuleCompiler.standard().compile(expression, Map.of(), RuleType.BOOL));
        assertEquals(expected, thrown.problem().text());
    }
}
