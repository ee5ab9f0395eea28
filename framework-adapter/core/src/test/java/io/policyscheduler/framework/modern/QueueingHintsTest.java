package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_ALLOCATABLE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_ANNOTATION;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_CONDITION;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_DECLARED_FEATURE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_TAINT;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_GENERATED_RESOURCE_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_SCALE_DOWN;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_SCHEDULING_GATES_ELIMINATED;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_TOLERATION;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.ASSIGNED_POD;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_DRIVER;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_STORAGE_CAPACITY;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.DEVICE_CLASS;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.RESOURCE_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.RESOURCE_SLICE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.STORAGE_CLASS;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.UNSCHEDULED_POD;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.VOLUME_ATTACHMENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.QueueingHintMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which events requeue a pod that this plugin rejected: one row for each hint, more if it decides several cases. */
class QueueingHintsTest {
    private static final boolean QUEUE = true;
    private static final boolean SKIP = false;

    private static final PluginFixture FIXTURE = new PluginFixture();

    private static final String SPREAD =
            "spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: 'host', whenUnsatisfiable: 'DoNotSchedule',"
                    + " labelSelector: {matchLabels: {app: 'a'}}}]}";
    private static final String SPREAD_TAINTS =
            "spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: 'host', whenUnsatisfiable: 'DoNotSchedule',"
                    + " nodeTaintsPolicy: 'Honor', labelSelector: {matchLabels: {app: 'a'}}}]}";
    private static final String NEAR = affinity("podAffinity", "{app: 'a'}", "");
    private static final String FAR = affinity("podAntiAffinity", "{app: 'a'}", "");
    private static final String FAR_FROM_BOTH = "spec: {affinity: {podAntiAffinity: {"
            + "requiredDuringSchedulingIgnoredDuringExecution: ["
            + "{topologyKey: 'zone', labelSelector: {matchLabels: {app: 'a'}}},"
            + "{topologyKey: 'zone', labelSelector: {matchLabels: {app: 'b'}}}]}}}";
    private static final String PORT = "spec: {containers: [{name: 'c', ports: [{containerPort: 80, hostPort: 80}]}]}";
    private static final String CPU = "spec: {containers: [{name: 'c', resources: {requests: {cpu: '2'}}}]}";
    private static final String CLAIM = "spec: {volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'c'}}]}";
    private static final String EPHEMERAL = "spec: {volumes: [{name: 'v', ephemeral: {volumeClaimTemplate: {}}}]}";
    private static final String DISK = "spec: {volumes: [{name: 'v', awsElasticBlockStore: {volumeID: 'd'}}]}";
    private static final String INLINE = "spec: {volumes: [{name: 'v', csi: {driver: 'd'}}]}";
    private static final String GATED = "spec: {schedulingGates: [{name: 'g'}]}";
    private static final String PLAIN = "spec: {}";
    private static final String TOLERANT = "spec: {tolerations: [{operator: 'Exists'}]}";
    private static final String SSD = "spec: {nodeSelector: {disk: 'ssd'}}";

    private static String affinity(String kind, String labels, String more) {
        return "spec: {affinity: {" + kind + ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: 'zone',"
                + " labelSelector: {matchLabels: " + labels + "}" + more + "}]}}}";
    }

    private static PodInfo pod(String name, String labels, String rest) {
        return (PodInfo) FIXTURE.read(
                "Pod",
                "{metadata: {namespace: 'default', name: '" + name + "', uid: '" + name + "', labels: " + labels + "}, "
                        + rest + "}");
    }

    /** Another pod, on a node. */
    private static PodInfo placed(String labels, String rest) {
        return pod("other", labels, rest).withNodeName("n");
    }

    private static PodInfo elsewhere(String labels) {
        return pod("other", labels, PLAIN).withNamespace("away").withNodeName("n");
    }

    private static PodInfo waiting(String labels, String rest) {
        return pod("p", labels, rest);
    }

    private static ClusterObject node(String labels, String rest) {
        return FIXTURE.read("Node", "{metadata: {name: 'n', labels: " + labels + "}, " + rest + "}");
    }

    private static final String ROOM = "status: {allocatable: {cpu: '4', memory: '1Gi', pods: '10'}}";
    private static final String MORE_MEMORY = "status: {allocatable: {cpu: '4', memory: '2Gi', pods: '10'}}";
    private static final String MORE_CPU = "status: {allocatable: {cpu: '5', memory: '1Gi', pods: '10'}}";
    private static final String MORE_PODS = "status: {allocatable: {cpu: '4', memory: '1Gi', pods: '11'}}";
    private static final String SMALL = "status: {allocatable: {cpu: '1', memory: '1Gi', pods: '10'}}";
    private static final String LESS_SMALL = "status: {allocatable: {cpu: '1500m', memory: '1Gi', pods: '10'}}";
    private static final String CORDONED = "spec: {unschedulable: true}";
    private static final String TAINTED = "spec: {taints: [{key: 'k', value: 'v', effect: 'NoSchedule'}]}";
    private static final String PREFERRED = "spec: {taints: [{key: 'k', value: 'v', effect: 'PreferNoSchedule'}]}";

    private static ClusterObject of(String kind, String name, String rest) {
        return FIXTURE.read(
                kind,
                "{metadata: {namespace: 'default', name: '" + name + "'}" + (rest.isEmpty() ? "" : ", " + rest) + "}");
    }

    private static ClusterObject labelled(String kind, String name, String labels) {
        return FIXTURE.read(kind, "{metadata: {name: '" + name + "', labels: " + labels + "}}");
    }

    private static ClusterObject csiNode(String annotations, String drivers) {
        return FIXTURE.read(
                "CSINode",
                "{metadata: {name: 'n', annotations: " + annotations + "}, spec: {drivers: " + drivers + "}}");
    }

    private static Arguments row(
            String plugin,
            EventResource resource,
            EventAction action,
            PodInfo pod,
            @Nullable ClusterObject old,
            @Nullable ClusterObject now,
            boolean expected) {
        return arguments(plugin, new ObjectEvent(new EventKind(resource, action), old, now), pod, expected);
    }

    private static Arguments added(
            String plugin, EventResource resource, PodInfo pod, ClusterObject now, boolean expected) {
        return row(plugin, resource, ADD, pod, null, now, expected);
    }

    private static Arguments deleted(
            String plugin, EventResource resource, PodInfo pod, ClusterObject old, boolean expected) {
        return row(plugin, resource, DELETE, pod, old, null, expected);
    }

    static Stream<Arguments> nodes() {
        PodInfo plain = waiting("{}", PLAIN);
        PodInfo tolerant = waiting("{}", TOLERANT);
        PodInfo ssd = waiting("{}", SSD);
        ClusterObject open = node("{}", PLAIN);
        ClusterObject cordoned = node("{}", CORDONED);
        ClusterObject tainted = node("{}", TAINTED);
        String u = "NodeUnschedulable";
        String t = "TaintToleration";
        String a = "NodeAffinity";
        return Stream.of(
                added(u, NODE, plain, open, QUEUE),
                added(u, NODE, plain, cordoned, SKIP),
                row(u, NODE, UPDATE_NODE_TAINT, plain, cordoned, open, QUEUE),
                row(u, NODE, UPDATE_NODE_TAINT, plain, tainted, open, SKIP),
                row(u, UNSCHEDULED_POD, UPDATE_POD_TOLERATION, tolerant, plain, tolerant, QUEUE),
                row(u, UNSCHEDULED_POD, UPDATE_POD_TOLERATION, plain, tolerant, plain, SKIP),
                row(u, ASSIGNED_POD, UPDATE_POD_TOLERATION, plain, placed("{}", PLAIN), placed("{}", TOLERANT), SKIP),
                added("NodeName", NODE, plain, cordoned, QUEUE),
                row("NodeName", NODE, UPDATE_NODE_TAINT, plain, open, tainted, QUEUE),
                row("NodeName", NODE, UPDATE_NODE_LABEL, plain, open, node("{a: 'b'}", PLAIN), SKIP),
                added(t, NODE, plain, open, QUEUE),
                added(t, NODE, plain, node("{}", PREFERRED), QUEUE),
                added(t, NODE, plain, tainted, SKIP),
                added(t, NODE, tolerant, tainted, QUEUE),
                row(t, NODE, UPDATE_NODE_TAINT, plain, tainted, open, QUEUE),
                row(t, NODE, UPDATE_NODE_TAINT, plain, open, open, SKIP),
                row(t, NODE, UPDATE_NODE_TAINT, plain, open, tainted, SKIP),
                row(t, UNSCHEDULED_POD, UPDATE_POD_TOLERATION, tolerant, plain, tolerant, QUEUE),
                row(t, ASSIGNED_POD, UPDATE_POD_TOLERATION, plain, placed("{}", PLAIN), placed("{}", TOLERANT), SKIP),
                added(a, NODE, ssd, node("{disk: 'ssd'}", PLAIN), QUEUE),
                added(a, NODE, ssd, open, SKIP),
                row(a, NODE, UPDATE_NODE_LABEL, ssd, open, node("{disk: 'ssd'}", PLAIN), QUEUE),
                row(a, NODE, UPDATE_NODE_LABEL, ssd, node("{disk: 'ssd'}", PLAIN), open, SKIP),
                row(
                        a,
                        NODE,
                        UPDATE_NODE_LABEL,
                        ssd,
                        node("{disk: 'ssd'}", PLAIN),
                        node("{disk: 'ssd', a: 'b'}", PLAIN),
                        SKIP),
                row(a, NODE, UPDATE_NODE_TAINT, ssd, open, tainted, QUEUE),
                row(a, NODE, UPDATE_NODE_CONDITION, ssd, open, open, SKIP),
                row(a, NODE, UPDATE_NODE_ANNOTATION, ssd, open, open, SKIP),
                deleted(a, NODE, ssd, open, SKIP));
    }

    static Stream<Arguments> room() {
        PodInfo port = waiting("{}", PORT);
        PodInfo cpu = waiting("{}", CPU);
        PodInfo plain = waiting("{}", PLAIN);
        PodInfo smaller = waiting("{}", CPU.replace("'2'", "'1'"));
        PodInfo memory = placed("{}", CPU.replace("cpu: '2'", "cpu: '2', memory: '2Gi'"));
        String p = "NodePorts";
        String f = "NodeResourcesFit";
        return Stream.of(
                deleted(p, ASSIGNED_POD, port, placed("{}", PORT), QUEUE),
                deleted(p, ASSIGNED_POD, port, placed("{}", PLAIN), SKIP),
                deleted(p, ASSIGNED_POD, port, placed("{}", PORT.replace("80", "81")), SKIP),
                deleted(p, ASSIGNED_POD, port, pod("other", "{}", PORT), SKIP),
                deleted(p, ASSIGNED_POD, port, pod("other", "{}", PORT + ", status: {nominatedNodeName: 'n'}"), QUEUE),
                added(p, NODE, port, node("{}", CORDONED), QUEUE),
                row(p, NODE, UPDATE_NODE_TAINT, port, node("{}", PLAIN), node("{}", TAINTED), QUEUE),
                deleted(f, ASSIGNED_POD, cpu, placed("{}", PLAIN), QUEUE),
                deleted(f, ASSIGNED_POD, cpu, pod("other", "{}", CPU), SKIP),
                deleted(f, ASSIGNED_POD, cpu, pod("other", "{}", CPU + ", status: {nominatedNodeName: 'n'}"), QUEUE),
                row(f, UNSCHEDULED_POD, UPDATE_POD_SCALE_DOWN, smaller, cpu, smaller, QUEUE),
                row(
                        f,
                        ASSIGNED_POD,
                        UPDATE_POD_SCALE_DOWN,
                        cpu,
                        placed("{}", CPU),
                        placed("{}", CPU.replace("'2'", "'1'")),
                        QUEUE),
                row(f, ASSIGNED_POD, UPDATE_POD_SCALE_DOWN, cpu, memory, placed("{}", CPU), SKIP),
                added(f, NODE, cpu, node("{}", ROOM), QUEUE),
                added(f, NODE, cpu, node("{}", SMALL), SKIP),
                row(f, NODE, UPDATE_NODE_ALLOCATABLE, cpu, node("{}", ROOM), node("{}", MORE_CPU), QUEUE),
                row(f, NODE, UPDATE_NODE_ALLOCATABLE, cpu, node("{}", ROOM), node("{}", MORE_PODS), QUEUE),
                row(f, NODE, UPDATE_NODE_ALLOCATABLE, cpu, node("{}", ROOM), node("{}", MORE_MEMORY), SKIP),
                row(f, NODE, UPDATE_NODE_ALLOCATABLE, cpu, node("{}", SMALL), node("{}", LESS_SMALL), SKIP),
                row(f, NODE, UPDATE_NODE_ALLOCATABLE, plain, node("{}", ROOM), node("{}", MORE_CPU), SKIP),
                row(f, NODE, UPDATE_NODE_ALLOCATABLE, plain, node("{}", ROOM), node("{}", MORE_PODS), QUEUE),
                row(f, NODE, UPDATE_NODE_TAINT, cpu, node("{}", SMALL), node("{}", SMALL), QUEUE),
                row(f, NODE, UPDATE_NODE_LABEL, cpu, node("{}", ROOM), node("{a: 'b'}", ROOM), SKIP),
                added(f, ASSIGNED_POD, cpu, placed("{}", PLAIN), SKIP));
    }

    static Stream<Arguments> spread() {
        PodInfo pod = waiting("{app: 'a'}", SPREAD);
        PodInfo selective = waiting("{app: 'a'}", SPREAD_TAINTS);
        PodInfo tolerant = waiting(
                "{app: 'a'}",
                SPREAD_TAINTS.substring(0, SPREAD_TAINTS.length() - 1) + ", tolerations: [{operator: 'Exists'}]}");
        ClusterObject here = node("{host: 'x'}", PLAIN);
        ClusterObject there = node("{host: 'y'}", PLAIN);
        ClusterObject nowhere = node("{}", PLAIN);
        String s = "PodTopologySpread";
        return Stream.of(
                added(s, ASSIGNED_POD, pod, placed("{app: 'a'}", PLAIN), QUEUE),
                added(s, ASSIGNED_POD, pod, placed("{app: 'b'}", PLAIN), SKIP),
                added(s, ASSIGNED_POD, pod, elsewhere("{app: 'a'}"), SKIP),
                added(s, UNSCHEDULED_POD, pod, pod("other", "{app: 'a'}", PLAIN), SKIP),
                deleted(s, ASSIGNED_POD, pod, placed("{app: 'a'}", PLAIN), QUEUE),
                deleted(s, ASSIGNED_POD, pod, placed("{app: 'b'}", PLAIN), SKIP),
                row(
                        s,
                        ASSIGNED_POD,
                        UPDATE_POD_LABEL,
                        pod,
                        placed("{app: 'a'}", PLAIN),
                        placed("{app: 'b'}", PLAIN),
                        QUEUE),
                row(
                        s,
                        ASSIGNED_POD,
                        UPDATE_POD_LABEL,
                        pod,
                        placed("{app: 'a'}", PLAIN),
                        placed("{app: 'a', x: 'y'}", PLAIN),
                        SKIP),
                row(s, UNSCHEDULED_POD, UPDATE_POD_LABEL, pod, waiting("{app: 'b'}", SPREAD), pod, QUEUE),
                row(s, UNSCHEDULED_POD, UPDATE_POD_TOLERATION, tolerant, selective, tolerant, QUEUE),
                row(s, UNSCHEDULED_POD, UPDATE_POD_TOLERATION, pod, tolerant, pod, SKIP),
                row(
                        s,
                        ASSIGNED_POD,
                        UPDATE_POD_TOLERATION,
                        selective,
                        placed("{app: 'a'}", PLAIN),
                        placed("{app: 'a'}", TOLERANT),
                        SKIP),
                added(s, NODE, pod, here, QUEUE),
                added(s, NODE, pod, nowhere, SKIP),
                deleted(s, NODE, pod, here, QUEUE),
                deleted(s, NODE, pod, nowhere, SKIP),
                row(s, NODE, UPDATE_NODE_LABEL, pod, here, there, QUEUE),
                row(s, NODE, UPDATE_NODE_LABEL, pod, nowhere, here, QUEUE),
                row(s, NODE, UPDATE_NODE_LABEL, pod, here, nowhere, QUEUE),
                row(s, NODE, UPDATE_NODE_LABEL, pod, here, node("{host: 'x', a: 'b'}", PLAIN), QUEUE),
                row(s, NODE, UPDATE_NODE_TAINT, pod, here, node("{host: 'x'}", TAINTED), QUEUE),
                row(s, NODE, UPDATE_NODE_TAINT, pod, nowhere, node("{}", TAINTED), SKIP));
    }

    static Stream<Arguments> podAffinity() {
        PodInfo near = waiting("{}", NEAR);
        PodInfo far = waiting("{}", FAR);
        PodInfo farFromBoth = waiting("{}", FAR_FROM_BOTH);
        PodInfo plain = waiting("{}", PLAIN);
        PodInfo anywhere = waiting("{}", affinity("podAffinity", "{app: 'a'}", ", namespaceSelector: {}"));
        PodInfo labelledOnly =
                waiting("{}", affinity("podAffinity", "{app: 'a'}", ", namespaceSelector: {matchLabels: {team: 't'}}"));
        ClusterObject here = node("{zone: 'x'}", PLAIN);
        ClusterObject there = node("{zone: 'y'}", PLAIN);
        ClusterObject nowhere = node("{}", PLAIN);
        String i = "InterPodAffinity";
        return Stream.of(
                added(i, ASSIGNED_POD, near, placed("{app: 'a'}", PLAIN), QUEUE),
                added(i, ASSIGNED_POD, near, placed("{app: 'b'}", PLAIN), SKIP),
                added(i, ASSIGNED_POD, near, elsewhere("{app: 'a'}"), SKIP),
                added(i, ASSIGNED_POD, anywhere, elsewhere("{app: 'a'}"), QUEUE),
                added(i, ASSIGNED_POD, labelledOnly, elsewhere("{app: 'a'}"), QUEUE),
                added(i, ASSIGNED_POD, labelledOnly, elsewhere("{app: 'b'}"), SKIP),
                added(i, ASSIGNED_POD, far, placed("{app: 'b'}", PLAIN), SKIP),
                added(i, UNSCHEDULED_POD, near, pod("other", "{app: 'a'}", PLAIN), SKIP),
                row(i, ASSIGNED_POD, UPDATE_POD_LABEL, near, placed("{}", PLAIN), placed("{app: 'a'}", PLAIN), QUEUE),
                row(i, ASSIGNED_POD, UPDATE_POD_LABEL, near, placed("{app: 'a'}", PLAIN), placed("{}", PLAIN), SKIP),
                row(i, ASSIGNED_POD, UPDATE_POD_LABEL, far, placed("{app: 'a'}", PLAIN), placed("{}", PLAIN), QUEUE),
                row(i, ASSIGNED_POD, UPDATE_POD_LABEL, far, placed("{}", PLAIN), placed("{app: 'a'}", PLAIN), SKIP),
                deleted(i, ASSIGNED_POD, far, placed("{app: 'a'}", PLAIN), QUEUE),
                deleted(i, ASSIGNED_POD, far, placed("{app: 'b'}", PLAIN), SKIP),
                deleted(i, ASSIGNED_POD, farFromBoth, placed("{app: 'a'}", PLAIN), QUEUE),
                deleted(i, ASSIGNED_POD, farFromBoth, placed("{app: 'c'}", PLAIN), SKIP),
                deleted(i, ASSIGNED_POD, plain, placed("{app: 'a'}", FAR), SKIP),
                deleted(i, ASSIGNED_POD, waiting("{app: 'a'}", PLAIN), placed("{}", FAR), QUEUE),
                deleted(i, ASSIGNED_POD, waiting("{app: 'a'}", PLAIN), elsewhere("{}"), SKIP),
                deleted(i, ASSIGNED_POD, waiting("{app: 'a'}", NEAR), placed("{app: 'a'}", PLAIN), QUEUE),
                deleted(i, ASSIGNED_POD, far, pod("other", "{app: 'a'}", PLAIN), SKIP),
                deleted(i, ASSIGNED_POD, far, pod("other", "{app: 'a'}", PLAIN).withNominatedNodeName("n"), QUEUE),
                row(i, UNSCHEDULED_POD, UPDATE_POD_LABEL, plain, plain, waiting("{app: 'b'}", PLAIN), QUEUE),
                deleted(i, ASSIGNED_POD, near, placed("{app: 'a'}", PLAIN), SKIP),
                added(i, NODE, near, here, QUEUE),
                added(i, NODE, near, nowhere, SKIP),
                added(i, NODE, far, nowhere, QUEUE),
                row(i, NODE, UPDATE_NODE_LABEL, near, nowhere, here, QUEUE),
                row(i, NODE, UPDATE_NODE_LABEL, near, here, there, QUEUE),
                row(i, NODE, UPDATE_NODE_LABEL, near, here, nowhere, QUEUE),
                deleted(i, NODE, plain, here, QUEUE),
                added(i, NODE, plain, nowhere, QUEUE),
                row(i, NODE, UPDATE_NODE_LABEL, far, here, nowhere, QUEUE),
                row(i, NODE, UPDATE_NODE_LABEL, far, here, there, QUEUE),
                row(i, NODE, UPDATE_NODE_LABEL, far, nowhere, here, QUEUE),
                row(i, NODE, UPDATE_NODE_TAINT, near, here, node("{}", TAINTED), QUEUE));
    }

    static Stream<Arguments> volumes() {
        PodInfo claim = waiting("{}", CLAIM);
        PodInfo ephemeral = waiting("{}", EPHEMERAL);
        PodInfo disk = waiting("{}", DISK);
        ClusterObject c = of("PersistentVolumeClaim", "c", "");
        ClusterObject other = of("PersistentVolumeClaim", "x", "");
        ClusterObject made = of("PersistentVolumeClaim", "p-v", "");
        ClusterObject open = node("{}", PLAIN);
        ClusterObject more = csiNode("{}", "[{name: 'd', nodeID: 'n', allocatable: {count: 5}}]");
        ClusterObject less = csiNode("{}", "[{name: 'd', nodeID: 'n', allocatable: {count: 4}}]");
        ClusterObject none = csiNode("{}", "[]");
        ClusterObject ofEbs =
                of("VolumeAttachment", "a", "spec: {attacher: 'ebs.csi.aws.com', nodeName: 'n', source: {}}");
        ClusterObject ofOther = of("VolumeAttachment", "a", "spec: {attacher: 'd', nodeName: 'n', source: {}}");
        String r = "VolumeRestrictions";
        String l = "NodeVolumeLimits";
        return Stream.of(
                deleted(r, ASSIGNED_POD, disk, placed("{}", DISK), QUEUE),
                deleted(r, ASSIGNED_POD, disk, placed("{}", DISK.replace("ID: 'd'", "ID: 'e'")), SKIP),
                deleted(r, ASSIGNED_POD, claim, pod("other", "{}", CLAIM), QUEUE),
                deleted(r, ASSIGNED_POD, claim, pod("other", "{}", CLAIM).withNamespace("away"), SKIP),
                deleted(r, ASSIGNED_POD, claim, placed("{}", PLAIN), SKIP),
                added(r, NODE, claim, open, QUEUE),
                row(r, NODE, UPDATE_NODE_TAINT, claim, open, open, QUEUE),
                added(r, PERSISTENT_VOLUME_CLAIM, claim, c, QUEUE),
                added(r, PERSISTENT_VOLUME_CLAIM, claim, other, SKIP),
                added(r, PERSISTENT_VOLUME_CLAIM, ephemeral, made, SKIP),
                added(l, CSI_NODE, claim, none, QUEUE),
                row(l, CSI_NODE, UPDATE, claim, less, more, QUEUE),
                row(l, CSI_NODE, UPDATE, claim, none, less, QUEUE),
                row(l, CSI_NODE, UPDATE, claim, more, less, SKIP),
                deleted(l, ASSIGNED_POD, claim, placed("{}", CLAIM), QUEUE),
                deleted(l, ASSIGNED_POD, claim, placed("{}", EPHEMERAL), QUEUE),
                deleted(l, ASSIGNED_POD, claim, placed("{}", DISK), QUEUE),
                deleted(l, ASSIGNED_POD, claim, placed("{}", INLINE), SKIP),
                deleted(l, ASSIGNED_POD, claim, pod("other", "{}", CLAIM), SKIP),
                added(l, PERSISTENT_VOLUME_CLAIM, claim, c, QUEUE),
                added(l, PERSISTENT_VOLUME_CLAIM, ephemeral, made, QUEUE),
                added(l, PERSISTENT_VOLUME_CLAIM, claim, other, SKIP),
                deleted(l, VOLUME_ATTACHMENT, claim, ofOther, QUEUE),
                deleted(l, VOLUME_ATTACHMENT, disk, ofEbs, QUEUE),
                deleted(l, VOLUME_ATTACHMENT, disk, ofOther, SKIP),
                added(l, NODE, claim, open, QUEUE),
                row(l, NODE, UPDATE_NODE_TAINT, claim, open, open, QUEUE));
    }

    static Stream<Arguments> binding() {
        PodInfo claim = waiting("{}", CLAIM);
        PodInfo ephemeral = waiting("{}", EPHEMERAL);
        PodInfo inline = waiting("{}", INLINE);
        ClusterObject c = of("PersistentVolumeClaim", "c", "");
        ClusterObject other = of("PersistentVolumeClaim", "x", "");
        ClusterObject made = of("PersistentVolumeClaim", "p-v", "");
        ClusterObject open = node("{}", PLAIN);
        ClusterObject volume = labelled("PersistentVolume", "v", "{}");
        ClusterObject zoned = labelled("PersistentVolume", "v", "{'topology.kubernetes.io/zone': 'z'}");
        ClusterObject delayed = of("StorageClass", "s", "volumeBindingMode: 'WaitForFirstConsumer'");
        ClusterObject immediate = of("StorageClass", "s", "volumeBindingMode: 'Immediate'");
        ClusterObject inZone =
                of("StorageClass", "s", "allowedTopologies: [{matchLabelExpressions: [{key: 'zone', values: ['z']}]}]");
        ClusterObject checks = of("CSIDriver", "d", "spec: {storageCapacity: true}");
        ClusterObject checksNot = of("CSIDriver", "d", "spec: {}");
        ClusterObject unknown = of("CSIStorageCapacity", "c", "storageClassName: 's'");
        ClusterObject one = of("CSIStorageCapacity", "c", "storageClassName: 's', capacity: '1Gi'");
        ClusterObject two = of("CSIStorageCapacity", "c", "storageClassName: 's', capacity: '2Gi'");
        ClusterObject twoAtMost =
                of("CSIStorageCapacity", "c", "storageClassName: 's', capacity: '9Gi', maximumVolumeSize: '1Gi'");
        ClusterObject node = csiNode("{}", "[]");
        ClusterObject migrated = csiNode("{'storage.alpha.kubernetes.io/migrated-plugins': 'x'}", "[]");
        String b = "VolumeBinding";
        String z = "VolumeZone";
        return Stream.of(
                added(b, STORAGE_CLASS, claim, immediate, QUEUE),
                row(b, STORAGE_CLASS, UPDATE, claim, immediate, inZone, QUEUE),
                row(b, STORAGE_CLASS, UPDATE, claim, delayed, immediate, SKIP),
                added(b, PERSISTENT_VOLUME_CLAIM, claim, c, QUEUE),
                added(b, PERSISTENT_VOLUME_CLAIM, claim, other, SKIP),
                row(b, PERSISTENT_VOLUME_CLAIM, UPDATE, claim, c, c, QUEUE),
                row(b, PERSISTENT_VOLUME_CLAIM, UPDATE, ephemeral, made, made, QUEUE),
                row(b, PERSISTENT_VOLUME_CLAIM, UPDATE, claim, other, other, SKIP),
                added(b, PERSISTENT_VOLUME, claim, volume, QUEUE),
                row(b, PERSISTENT_VOLUME, UPDATE, claim, volume, volume, QUEUE),
                added(b, NODE, claim, open, QUEUE),
                row(b, NODE, UPDATE_NODE_LABEL, claim, open, open, QUEUE),
                row(b, NODE, UPDATE_NODE_TAINT, claim, open, open, QUEUE),
                added(b, CSI_NODE, claim, node, QUEUE),
                row(b, CSI_NODE, UPDATE, claim, node, migrated, QUEUE),
                row(b, CSI_NODE, UPDATE, claim, node, node, SKIP),
                row(b, CSI_DRIVER, UPDATE, inline, checks, checksNot, QUEUE),
                row(b, CSI_DRIVER, UPDATE, inline, checksNot, checks, SKIP),
                row(b, CSI_DRIVER, UPDATE, claim, checks, checksNot, SKIP),
                added(b, CSI_DRIVER, inline, checksNot, SKIP),
                added(b, CSI_STORAGE_CAPACITY, claim, unknown, QUEUE),
                row(b, CSI_STORAGE_CAPACITY, UPDATE, claim, one, two, QUEUE),
                row(b, CSI_STORAGE_CAPACITY, UPDATE, claim, unknown, one, QUEUE),
                row(b, CSI_STORAGE_CAPACITY, UPDATE, claim, two, one, SKIP),
                row(b, CSI_STORAGE_CAPACITY, UPDATE, claim, two, twoAtMost, SKIP),
                deleted(b, ASSIGNED_POD, claim, placed("{}", CLAIM), SKIP),
                added(z, STORAGE_CLASS, claim, delayed, QUEUE),
                added(z, STORAGE_CLASS, claim, immediate, SKIP),
                added(z, NODE, claim, open, QUEUE),
                row(z, NODE, UPDATE_NODE_LABEL, claim, open, open, QUEUE),
                row(z, NODE, UPDATE_NODE_TAINT, claim, open, open, QUEUE),
                added(z, PERSISTENT_VOLUME_CLAIM, claim, c, QUEUE),
                row(z, PERSISTENT_VOLUME_CLAIM, UPDATE, claim, c, c, QUEUE),
                row(z, PERSISTENT_VOLUME_CLAIM, UPDATE, ephemeral, made, made, SKIP),
                added(z, PERSISTENT_VOLUME, claim, volume, QUEUE),
                row(z, PERSISTENT_VOLUME, UPDATE, claim, volume, zoned, QUEUE),
                row(z, PERSISTENT_VOLUME, UPDATE, claim, volume, volume, SKIP));
    }

    static Stream<Arguments> others() {
        PodInfo gated = waiting("{}", GATED);
        PodInfo free = waiting("{}", PLAIN);
        ClusterObject open = node("{}", PLAIN);
        String g = "SchedulingGates";
        String d = "DynamicResources";
        return Stream.of(
                row(g, UNSCHEDULED_POD, UPDATE_POD_SCHEDULING_GATES_ELIMINATED, free, gated, free, QUEUE),
                row(
                        g,
                        UNSCHEDULED_POD,
                        UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
                        free,
                        pod("other", "{}", GATED),
                        pod("other", "{}", PLAIN),
                        SKIP),
                row(g, UNSCHEDULED_POD, UPDATE, gated, gated, gated, SKIP),
                deleted("DefaultPreemption", ASSIGNED_POD, free, placed("{}", PLAIN), SKIP),
                added(d, NODE, free, open, QUEUE),
                row(d, NODE, UPDATE_NODE_LABEL, free, open, open, QUEUE),
                row(d, NODE, UPDATE_NODE_ALLOCATABLE, free, open, open, QUEUE),
                row(d, NODE, UPDATE_NODE_TAINT, free, open, open, QUEUE),
                row(d, UNSCHEDULED_POD, UPDATE_POD_GENERATED_RESOURCE_CLAIM, free, free, free, QUEUE),
                row(
                        d,
                        UNSCHEDULED_POD,
                        UPDATE_POD_GENERATED_RESOURCE_CLAIM,
                        free,
                        pod("other", "{}", PLAIN),
                        pod("other", "{}", PLAIN),
                        SKIP),
                deleted(d, RESOURCE_CLAIM, free, open, SKIP),
                added(d, RESOURCE_SLICE, free, open, QUEUE),
                row(d, RESOURCE_SLICE, UPDATE, free, open, open, QUEUE),
                added(d, DEVICE_CLASS, free, open, QUEUE),
                row(d, DEVICE_CLASS, UPDATE, free, open, open, QUEUE));
    }

    private static ClusterObject resourceClaim(String name, String status) {
        return FIXTURE.read(
                "ResourceClaim",
                "{metadata: {namespace: 'default', name: '" + name + "', uid: '" + name
                        + "-uid', resourceVersion: '1'}," + " status: " + status + "}");
    }

    static Stream<Arguments> resourceClaims() {
        String d = "DynamicResources";
        ClusterObject mine = resourceClaim("mine", "{}");
        ClusterObject given = resourceClaim("mine", "{allocation: {}}");
        ClusterObject used = resourceClaim("mine", "{reservedFor: [{resource: 'pods', name: 'x', uid: 'x'}]}");
        ClusterObject other = resourceClaim("other", "{}");
        ClusterObject otherGiven = resourceClaim("other", "{allocation: {}}");
        FIXTURE.cluster.putObject(mine);
        FIXTURE.cluster.putObject(other);
        PodInfo wants = waiting("{}", "spec: {resourceClaims: [{name: 'k', resourceClaimName: 'mine'}]}");
        PodInfo wantsMore = waiting(
                "{}",
                "spec: {resourceClaims: [{name: 'k', resourceClaimName: 'mine'}, {name: 'l', resourceClaimName:"
                        + " 'no'}]}");
        PodInfo notMade = waiting("{}", "spec: {resourceClaims: [{name: 'k', resourceClaimTemplateName: 't'}]}");
        return Stream.of(
                added(d, RESOURCE_CLAIM, wants, mine, QUEUE),
                added(d, RESOURCE_CLAIM, wants, other, SKIP),
                added(d, RESOURCE_CLAIM, wantsMore, mine, SKIP),
                row(d, RESOURCE_CLAIM, UPDATE, wants, mine, mine, SKIP),
                row(d, RESOURCE_CLAIM, UPDATE, wants, mine, given, QUEUE),
                row(d, RESOURCE_CLAIM, UPDATE, wants, used, mine, QUEUE),
                row(d, RESOURCE_CLAIM, UPDATE, wants, other, otherGiven, SKIP),
                row(d, RESOURCE_CLAIM, UPDATE, wants, otherGiven, other, QUEUE),
                row(d, RESOURCE_CLAIM, UPDATE, wantsMore, otherGiven, other, SKIP),
                row(d, UNSCHEDULED_POD, UPDATE_POD_GENERATED_RESOURCE_CLAIM, notMade, notMade, notMade, SKIP));
    }

    /** Rows that differ from 1.34. */
    static Stream<Arguments> newest() {
        PodInfo plain = waiting("{}", PLAIN);
        PodInfo gpu = waiting("{}", CPU.replace("cpu:", "'example.com/gpu':"));
        PodInfo ofClass = waiting("{}", CPU.replace("cpu:", "'deviceclass.resource.kubernetes.io/c':"));
        PodInfo claimed = waiting("{}", "spec: {resourceClaims: [{name: 'k', resourceClaimName: 'mine'}]}");
        ClusterObject unnamed = of("DeviceClass", "c", "spec: {}");
        ClusterObject provides = of("DeviceClass", "c", "spec: {extendedResourceName: 'example.com/gpu'}");
        ClusterObject other = of("DeviceClass", "d", "spec: {extendedResourceName: 'example.com/nic'}");
        ClusterObject none = node("{}", "status: {declaredFeatures: []}");
        ClusterObject some = node("{}", "status: {declaredFeatures: ['f']}");
        String f = "NodeResourcesFit";
        String d = "DynamicResources";
        String n = "NodeDeclaredFeatures";
        return Stream.of(
                added(f, DEVICE_CLASS, gpu, provides, QUEUE),
                added(f, DEVICE_CLASS, gpu, other, SKIP),
                added(f, DEVICE_CLASS, gpu, unnamed, SKIP),
                added(f, DEVICE_CLASS, ofClass, unnamed, QUEUE),
                added(f, DEVICE_CLASS, plain, provides, SKIP),
                row(f, DEVICE_CLASS, UPDATE, gpu, unnamed, provides, QUEUE),
                row(f, DEVICE_CLASS, UPDATE, gpu, provides, provides, SKIP),
                row(f, DEVICE_CLASS, UPDATE, ofClass, unnamed, provides, SKIP),
                added(d, DEVICE_CLASS, gpu, provides, QUEUE),
                added(d, DEVICE_CLASS, gpu, other, SKIP),
                added(d, DEVICE_CLASS, plain, provides, SKIP),
                added(d, DEVICE_CLASS, claimed, other, QUEUE),
                row(d, DEVICE_CLASS, UPDATE, gpu, unnamed, provides, QUEUE),
                row(d, DEVICE_CLASS, UPDATE, gpu, provides, provides, SKIP),
                added(n, NODE, plain, none, QUEUE),
                row(n, NODE, UPDATE_NODE_DECLARED_FEATURE, plain, none, some, QUEUE),
                row(n, NODE, UPDATE_NODE_DECLARED_FEATURE, plain, some, some, SKIP));
    }

    private static Profile profile(Release release) {
        return ModernProfile.of(FIXTURE.cluster).release(release).build();
    }

    @ParameterizedTest(name = "{0} {index}")
    @MethodSource({"nodes", "room", "spread", "podAffinity", "volumes", "binding", "others", "resourceClaims"})
    void eventHelpsOrNot(String plugin, ObjectEvent event, PodInfo pod, boolean expected) {
        assertHelps(Release.V1_34, plugin, event, pod, expected);
    }

    @ParameterizedTest(name = "{0} {index}")
    @MethodSource({"nodes", "room", "spread", "podAffinity", "volumes", "binding", "resourceClaims", "newest"})
    void eventHelpsOrNotInTheNewestRelease(String plugin, ObjectEvent event, PodInfo pod, boolean expected) {
        assertHelps(Release.NEWEST, plugin, event, pod, expected);
    }

    private static void assertHelps(Release release, String plugin, ObjectEvent event, PodInfo pod, boolean expected) {
        QueueingHintMap table = QueueingHintMap.of(
                profile(release).plugins().stream()
                        .filter(EnqueueExtensions.class::isInstance)
                        .toList(),
                false);
        assertEquals(
                expected,
                table.mayHelp(pod, Set.of(plugin), event),
                event.kind().label());
    }

    /** A hint that is not tested here may return anything. */
    @Test
    void everyRegistrationHasARow() {
        Set<String> asked = new HashSet<>();
        Stream.of(nodes(), room(), spread(), podAffinity(), volumes(), binding(), others(), resourceClaims(), newest())
                .flatMap(rows -> rows)
                .forEach(row -> asked.add(
                        row.get()[0] + " " + ((ObjectEvent) row.get()[1]).kind().label()));
        List<String> missing = new ArrayList<>();
        profile(Release.NEWEST).plugins().forEach(plugin -> {
            if (plugin instanceof EnqueueExtensions extensions) {
                for (EventHint hint : extensions.eventsToRegister()) {
                    hint.actions().stream()
                            .map(action -> List.of(
                                    plugin.name() + " " + new EventKind(hint.resource(), action).label(),
                                    plugin.name() + " Assigned" + new EventKind(hint.resource(), action).label(),
                                    plugin.name() + " Unschedulable" + new EventKind(hint.resource(), action).label()))
                            .filter(labels -> labels.stream().noneMatch(asked::contains))
                            .forEach(labels -> missing.add(labels.get(0)));
                }
            }
        });
        assertEquals(List.of(), missing);
    }

    @Test
    void whatNoPluginAsksForIsOfNoInterest() {
        QueueingHintMap table = QueueingHintMap.of(
                profile(Release.V1_34).plugins().stream()
                        .filter(EnqueueExtensions.class::isInstance)
                        .toList(),
                false);
        List<String> ofNoInterest = new ArrayList<>();
        for (EventAction action : EventAction.values()) {
            if (!table.isOfInterest(new EventKind(NODE, action))) {
                ofNoInterest.add(action.label());
            }
        }
        assertTrue(ofNoInterest.containsAll(List.of("UpdateNodeCondition", "UpdateNodeAnnotation", "Update")));
        assertFalse(table.isOfInterest(new EventKind(ASSIGNED_POD, UPDATE)));
        assertFalse(table.isOfInterest(new EventKind(CSI_DRIVER, ADD)));
        assertFalse(table.isOfInterest(new EventKind(VOLUME_ATTACHMENT, ADD)));
        assertTrue(table.isOfInterest(new EventKind(VOLUME_ATTACHMENT, DELETE)));
        QueueingHintMap withExtender = QueueingHintMap.of(List.of(), true);
        assertTrue(withExtender.mayHelp(
                waiting("{}", PLAIN),
                Set.of(QueueingHintMap.EXTENDER),
                ObjectEvent.deleted(CSI_DRIVER, of("CSIDriver", "d", ""))));
        assertFalse(withExtender.isOfInterest(new EventKind(RESOURCE_SLICE, ADD)));
    }

    private record Asking(String name, List<EventHint> eventsToRegister) implements EnqueueExtensions {}

    /** A plugin of its own, in profiles without extenders. */
    private static boolean mayHelp(List<EventHint> hints, ObjectEvent event) {
        return QueueingHintMap.of(List.of(new Asking("A", hints)), false)
                .mayHelp(waiting("{}", PLAIN), Set.of("A"), event);
    }

    /** A node can arrive with a taint. What helps then is the removal of the taint, unless the plugin has a hint for that. */
    @Test
    void aPluginThatAsksForNewNodesIsAlsoHelpedByRemovedTaints() {
        EventHint added = EventHint.of(EventHint.Hint.ALWAYS, NODE, ADD);
        EventHint labeled = EventHint.of(EventHint.Hint.ALWAYS, NODE, UPDATE_NODE_LABEL);
        EventHint tainted = EventHint.of(EventHint.Hint.NEVER, NODE, UPDATE_NODE_TAINT);
        ObjectEvent untainted = ObjectEvent.updated(NODE, UPDATE_NODE_TAINT, of("Node", "n", ""), of("Node", "n", ""));
        assertTrue(mayHelp(List.of(added), untainted));
        assertTrue(mayHelp(List.of(labeled, added), untainted));
        assertFalse(mayHelp(List.of(added, tainted), untainted));
        assertFalse(mayHelp(List.of(labeled), untainted));
        assertFalse(mayHelp(List.of(EventHint.of(EventHint.Hint.ALWAYS, CSI_NODE, ADD)), untainted));
        assertFalse(mayHelp(List.of(), untainted));
    }

    @Test
    void aHintThatFailsHelpsAndAnyOfSeveralIsEnough() {
        EventHint.Hint failing = (pod, event) -> {
            throw new IllegalStateException("bug");
        };
        ObjectEvent event = ObjectEvent.added(CSI_NODE, of("CSINode", "n", ""));
        assertTrue(mayHelp(List.of(EventHint.of(failing, CSI_NODE, ADD)), event));
        EventHint never = EventHint.of(EventHint.Hint.NEVER, CSI_NODE, ADD);
        EventHint always = EventHint.of(EventHint.Hint.ALWAYS, CSI_NODE, ADD);
        assertFalse(mayHelp(List.of(never), event));
        assertTrue(mayHelp(List.of(never, always), event));
        QueueingHintMap table =
                QueueingHintMap.of(List.of(new Asking("A", List.of(never)), new Asking("B", List.of(always))), false);
        assertFalse(table.mayHelp(waiting("{}", PLAIN), Set.of("A"), event));
        assertTrue(table.mayHelp(waiting("{}", PLAIN), Set.of("A", "B"), event));
        assertFalse(table.mayHelp(waiting("{}", PLAIN), Set.of(), event));
        assertTrue(table.registers("B", event.kind()));
        assertFalse(table.registers("C", event.kind()));
        assertFalse(table.registers("B", new EventKind(NODE, ADD)));
    }

    /** A plugin that names no events is helped by all; one with the hints of policies is not asked here. */
    @Test
    void pluginsWithoutRegistrations() {
        Plugin silent = () -> "Silent";
        RequeueHints ofPolicies = new RequeueHints() {
            @Override
            public String name() {
                return "OfPolicies";
            }

            @Override
            public Set<ClusterEvent> events() {
                return Set.of();
            }
        };
        QueueingHintMap table = QueueingHintMap.of(List.of(silent, ofPolicies), false);
        for (EventResource resource : EventResource.values()) {
            for (EventAction action : EventAction.values()) {
                EventKind kind = new EventKind(resource, action);
                // What happens to pods happens to assigned or to waiting ones.
                assertEquals(resource != EventResource.POD, table.isOfInterest(kind), kind.label());
                assertEquals(resource != EventResource.POD, table.registers("Silent", kind), kind.label());
                assertFalse(table.registers("OfPolicies", kind), kind.label());
            }
        }
        assertTrue(table.contains("Silent"));
        assertFalse(table.contains("OfPolicies"));
        assertFalse(table.contains(QueueingHintMap.EXTENDER));
    }

    @Test
    void extendersAreHelpedByAllThatHappensToPodsAndNodes() {
        QueueingHintMap table = QueueingHintMap.of(List.of(), true);
        assertTrue(table.contains(QueueingHintMap.EXTENDER));
        for (EventKind kind : List.of(
                new EventKind(ASSIGNED_POD, UPDATE_POD_LABEL),
                new EventKind(UNSCHEDULED_POD, UPDATE_POD_SCALE_DOWN),
                new EventKind(NODE, UPDATE_NODE_ANNOTATION),
                new EventKind(CSI_NODE, UPDATE))) {
            assertTrue(table.registers(QueueingHintMap.EXTENDER, kind), kind.label());
        }
        for (EventKind kind : List.of(
                new EventKind(CSI_NODE, UPDATE_NODE_LABEL),
                new EventKind(RESOURCE_SLICE, UPDATE),
                new EventKind(VOLUME_ATTACHMENT, DELETE))) {
            assertFalse(table.isOfInterest(kind), kind.label());
        }
    }
}
