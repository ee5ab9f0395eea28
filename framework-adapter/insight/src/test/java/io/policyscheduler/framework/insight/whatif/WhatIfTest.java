package io.policyscheduler.framework.insight.whatif;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.whatif.WhatIf.AddNodes;
import io.policyscheduler.framework.insight.whatif.WhatIf.DrainNode;
import io.policyscheduler.framework.insight.whatif.WhatIf.Parser;
import io.policyscheduler.framework.insight.whatif.WhatIf.RemoveNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WhatIfTest {
    private static PodBuilder web(String name) {
        return pod(name).label("pod-template-hash", "abc").controller("ReplicaSet", "web-abc", "rs1");
    }

    private static final ClaimInfo CLAIM = new ClaimInfo(
            "default",
            "data-db-0",
            "c0",
            "",
            Labels.of(ClaimInfo.BIND_COMPLETED, "yes"),
            false,
            "pv0",
            "fast",
            List.of("ReadWriteOnce"),
            null,
            "",
            10,
            "Bound",
            "",
            "");

    private static final ClusterSnapshot DUMP = new ClusterSnapshot(
            List.of(
                    node("n1")
                            .cpu("4")
                            .label("kubernetes.io/hostname", "n1")
                            .label("zone", "a")
                            .build(),
                    node("n2").cpu("4").build()),
            List.of(CLAIM, new CsiNodeInfo("n1", Labels.EMPTY, List.of(new CsiNodeInfo.Driver("d", 3)))),
            List.of(
                    pod("agent")
                            .controller("DaemonSet", "agent", "ds")
                            .onNode("n1")
                            .build(),
                    pod("static").controller("Node", "n1", "node").onNode("n1").build(),
                    pod("bare").onNode("n1").build(),
                    web("web-abc-1").onNode("n1").startTime(100).build(),
                    web("web-abc-2").onNode("n2").startTime(200).build(),
                    pod("db-0")
                            .controller("StatefulSet", "db", "sts")
                            .claim("data-db-0")
                            .onNode("n2")
                            .build()),
            List.of(web("web-abc-3").build()));

    /** Returns pods as {@code name@node}. */
    private static List<String> pods(List<PodInfo> pods) {
        return pods.stream().map(pod -> pod.name() + "@" + pod.nodeName()).toList();
    }

    private static WhatIf.Changed apply(WhatIf change) {
        assertNull(change.problem(DUMP));
        return change.apply(DUMP);
    }

    @Test
    void newNodesAreLikeTheOldOneUnderTheirOwnName() {
        WhatIf.Changed changed = apply(Parser.addNodes("2:like=n1"));
        List<Node> nodes = changed.snapshot().nodes();
        assertEquals(
                List.of("n1", "n2", "n1-new-1", "n1-new-2"),
                nodes.stream().map(Node::name).toList());
        assertEquals(
                Labels.of("kubernetes.io/hostname", "n1-new-2", "zone", "a"),
                nodes.get(3).labels());
        assertEquals(nodes.get(0).allocatable(), nodes.get(3).allocatable());
        assertEquals(
                List.of("agent-n1-new-1@n1-new-1", "agent-n1-new-2@n1-new-2"),
                pods(changed.snapshot().running()).subList(6, 8));
        assertEquals(
                List.of("data-db-0", "n1", "n1-new-1", "n1-new-2"),
                changed.snapshot().objects().stream()
                        .map(object -> object.name())
                        .toList());
        assertEquals(List.of("added 2 nodes like n1: n1-new-1 to n1-new-2, with 2 DaemonSet pods"), changed.notes());
        assertEquals(
                "n1-new-3",
                new AddNodes(1, "n1")
                        .apply(changed.snapshot())
                        .snapshot()
                        .nodes()
                        .get(4)
                        .name());
    }

    /** The model is cordoned and starts: the new node is ready, and has the storage and devices of the model. */
    @Test
    void anAddedNodeIsFresh() {
        Node model = new Node(
                "m",
                "uid-m",
                "",
                Labels.of("kubernetes.io/hostname", "m", "topology.csi/node", "m", "zone", "a"),
                Labels.of(),
                true,
                List.of(
                        new Node.Taint("node.kubernetes.io/unschedulable", "", "NoSchedule"),
                        new Node.Taint("node.kubernetes.io/not-ready", "", "NoExecute"),
                        new Node.Taint("node.cilium.io/agent-not-ready", "", "NoSchedule"),
                        new Node.Taint("ebs.csi.aws.com/agent-not-ready", "", "NoExecute"),
                        new Node.Taint("startup-taint.cluster-autoscaler.kubernetes.io/x", "", "NoSchedule"),
                        new Node.Taint("karpenter.sh/unregistered", "", "NoExecute"),
                        new Node.Taint("dedicated", "db", "NoSchedule")),
                node("m").build().allocatable(),
                List.of(),
                Labels.of("Ready", "False", "DiskPressure", "True"),
                "",
                "",
                PodInfo.NO_TIME,
                Map.of(),
                Set.of());
        List<ClusterObject> objects = List.of(
                new ClusterObject.StorageCapacityInfo(
                        "kube-system",
                        "own",
                        "local",
                        LabelSelector.of(Labels.of("topology.csi/node", "m"), List.of()),
                        10L,
                        null),
                new ClusterObject.StorageCapacityInfo(
                        "kube-system", "zonal", "disk", LabelSelector.of(Labels.of("zone", "a"), List.of()), 10L, null),
                new ResourceSliceInfo("s", "gpu.example.com", "m", 1, 1, "m", null, false, null, null, List.of()));
        WhatIf.Changed changed =
                new AddNodes(1, "m").apply(new ClusterSnapshot(List.of(model), objects, List.of(), List.of()));
        Node added = changed.snapshot().nodes().get(1);
        assertEquals(List.of(new Node.Taint("dedicated", "db", "NoSchedule")), added.taints());
        assertEquals(Labels.of("Ready", "True", "DiskPressure", "False"), added.conditions());
        assertEquals(false, added.unschedulable());
        assertEquals(
                Labels.of("kubernetes.io/hostname", "m-new-1", "topology.csi/node", "m-new-1", "zone", "a"),
                added.labels());
        assertEquals(
                List.of("own", "zonal", "s", "own-m-new-1", "s-m-new-1"),
                changed.snapshot().objects().stream().map(ClusterObject::name).toList());
        assertEquals(
                List.of(
                        "added 1 node like m: m-new-1",
                        "omitted, because a new node does not have it: the cordon; the taints"
                                + " node.kubernetes.io/unschedulable, node.kubernetes.io/not-ready,"
                                + " node.cilium.io/agent-not-ready, ebs.csi.aws.com/agent-not-ready,"
                                + " startup-taint.cluster-autoscaler.kubernetes.io/x, karpenter.sh/unregistered; the"
                                + " conditions DiskPressure=True, Ready=False"),
                changed.notes());
    }

    @Test
    void aRemovedNodeTakesItsPodsAlong() {
        WhatIf.Changed changed = apply(new RemoveNode("n1"));
        assertEquals(List.of("web-abc-2@n2", "db-0@n2"), pods(changed.snapshot().running()));
        assertEquals(List.of(CLAIM), changed.snapshot().objects());
        assertEquals(List.of("removed node n1 with 4 pods"), changed.notes());
    }

    @Test
    void drainingMovesWhatAControllerMakesAnew() {
        WhatIf.Changed changed = apply(new DrainNode("n1"));
        assertEquals(
                List.of("agent@n1", "static@n1", "bare@n1", "web-abc-2@n2", "db-0@n2"),
                pods(changed.snapshot().running()));
        assertEquals(
                List.of("web-abc-3@", "web-abc-1@"), pods(changed.snapshot().pending()));
        assertEquals(true, changed.snapshot().nodes().get(0).unschedulable());
        assertEquals(
                List.of(
                        "drained node n1: 1 pod is scheduled again",
                        "not evicted from n1: default/agent (DaemonSet), default/static (static), default/bare (no"
                                + " controller)"),
                changed.notes());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "deploy/web=5; web-abc-1@n1 web-abc-2@n2; web-abc-3@ web-abc-more-1@ web-abc-more-2@;"
                        + "scaled default/deploy/web from 3 to 5: 2 more like default/web-abc-3",
                "default/rs/web-abc=4; web-abc-1@n1 web-abc-2@n2; web-abc-3@ web-abc-more-1@;"
                        + "scaled default/rs/web-abc from 3 to 4: 1 more like default/web-abc-3",
                "deployment/web=3; web-abc-1@n1 web-abc-2@n2; web-abc-3@;"
                        + "scaled default/deploy/web from 3 to 3: 0 running and 0 pending gone",
                "deploy/web=1; web-abc-1@n1; '';"
                        + "scaled default/deploy/web from 3 to 1: 1 running and 1 pending gone",
                "deploy/web=0; ''; '';scaled default/deploy/web from 3 to 0: 2 running and 1 pending gone",
            })
    void scaling(String text, String running, String pending, String note) {
        WhatIf.Changed changed = apply(Parser.scale(text));
        assertEquals(
                running,
                String.join(
                        " ",
                        pods(changed.snapshot().running().stream()
                                .filter(pod -> pod.name().startsWith("web"))
                                .toList())));
        assertEquals(pending, String.join(" ", pods(changed.snapshot().pending())));
        assertEquals(List.of(note), changed.notes());
    }

    @Test
    void aStatefulSetsCopiesGetClaimsOfTheirOwn() {
        WhatIf.Changed changed = apply(Parser.scale("sts/db=3"));
        assertEquals(
                List.of("web-abc-3@", "db-1@", "db-2@"), pods(changed.snapshot().pending()));
        assertEquals(
                "data-db-2",
                changed.snapshot().pending().get(2).volumes().get(0).id());
        ClaimInfo made = (ClaimInfo) changed.snapshot().objects().get(3);
        assertEquals("default/data-db-2", made.key());
        assertEquals("", made.volumeName());
        assertEquals(Labels.EMPTY, made.annotations());
        assertEquals(
                List.of(
                        "scaled default/sts/db from 1 to 3: 2 more like default/db-0",
                        "2 claims made for them, without a volume"),
                changed.notes());
    }

    @Test
    void whatIsNotThere() {
        assertEquals("no node n3 (did you mean n1?)", new DrainNode("n3").problem(DUMP));
        assertEquals("no node elsewhere; there are n1, n2", new RemoveNode("elsewhere").problem(DUMP));
        assertEquals(
                "no pod of default/deploy/wev waits or runs (did you mean default/web?)",
                Parser.scale("deploy/wev=1").problem(DUMP));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "0:like=n1", "-1:like=n1", "1:like=", "1:unlike=n1", "99999999:like=n1"})
    void notNodes(String text) {
        assertThrows(IllegalArgumentException.class, () -> Parser.addNodes(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "web=1", "deploy/web", "deploy/web=", "deploy/web=-1", "job/web=1", "a/b/deploy/web=1"})
    void notWorkloads(String text) {
        assertThrows(IllegalArgumentException.class, () -> Parser.scale(text));
    }
}
