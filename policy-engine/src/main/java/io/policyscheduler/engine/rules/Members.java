package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.Container;
import io.policyscheduler.engine.cluster.Taint;
import io.policyscheduler.engine.cluster.Toleration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All members of all types: the one table behind the checker, the evaluator and the documentation. */
public final class Members {
    /** A loop over the pods of a node costs about this many member accesses. */
    private static final int POD_LOOP = 100;
    /** Counting over the cluster is done once per pod to place and looked up for each node. */
    private static final int COUNT = 20;

    private static final Map<RuleType, List<Member>> TABLE = table();

    private Members() {}

    /** Members of a type in the order of the documentation; empty for scalars. */
    public static List<Member> of(RuleType type) {
        return TABLE.getOrDefault(type, List.of());
    }

    /** Types that have members, in the order of the documentation. */
    public static Set<RuleType> types() {
        return TABLE.keySet();
    }

    /** The member of this name and number of arguments, or null. */
    static @Nullable Member find(RuleType type, String name, int arguments) {
        for (Member member : of(type)) {
            if (member.name().equals(name) && member.parameters().size() == arguments) {
                return member;
            }
        }
        return null;
    }

    /** Names of a type's members, sorted. */
    static Set<String> names(RuleType type) {
        Set<String> names = new TreeSet<>();
        of(type).forEach(member -> names.add(member.name()));
        return names;
    }

    private static Map<RuleType, List<Member>> table() {
        Map<RuleType, List<Member>> table = new LinkedHashMap<>();
        for (MemberTable members : List.of(pod(), node(), cluster())) {
            put(table, members);
        }
        put(table, container());
        put(table, taint());
        put(table, toleration());
        return Collections.unmodifiableMap(table);
    }

    private static void put(Map<RuleType, List<Member>> table, MemberTable members) {
        List<Member> list = List.copyOf(new ArrayList<>(members.members()));
        table.put(list.get(0).receiver(), list);
    }

    private static MemberTable pod() {
        MemberTable t = new MemberTable(RuleType.POD);
        t.string("name", Reads.POD_NAME, "name of the pod", "pod.name.startsWith('db-')", (r, a, b, c) -> p(r).name());
        t.string(
                "namespace",
                Reads.POD,
                "namespace of the pod",
                "pod.namespace == 'prod'",
                (r, a, b, c) -> p(r).namespace());
        t.string(
                "schedulerName",
                Reads.POD,
                "spec.schedulerName",
                "pod.schedulerName == 'batch'",
                (r, a, b, c) -> p(r).schedulerName());
        t.number(
                "priority",
                "",
                Reads.POD,
                1,
                "spec.priority, 0 when absent",
                "pod.priority >= 1000",
                (r, a, b, c) -> p(r).priority());
        t.string(
                "ownerKind",
                Reads.POD,
                "kind of the controller, '' without one",
                "pod.ownerKind == 'DaemonSet'",
                (r, a, b, c) -> p(r).ownerKind());
        t.string(
                "ownerName",
                Reads.POD,
                "name of the controller, '' without one",
                "pod.ownerName == 'db'",
                (r, a, b, c) -> p(r).ownerName());
        t.bool(
                "terminating",
                Reads.POD,
                "the pod is being deleted",
                "!pod.terminating",
                (r, a, b, c) -> p(r).terminating());
        t.string(
                "label(key)",
                Reads.POD,
                "value of a label, '' when absent",
                "pod.label('net') == 'underlay'",
                (r, a, b, c) -> p(r).label(a));
        t.string(
                "label(key, otherwise)",
                Reads.POD,
                "value of a label, or the second argument when absent",
                "pod.label('tier', 'web') == 'web'",
                (r, a, b, c) -> p(r).label(a, b));
        t.bool(
                "hasLabel(key)",
                Reads.POD,
                "the label is there, whatever its value",
                "pod.hasLabel('net')",
                (r, a, b, c) -> p(r).hasLabel(a));
        t.bool(
                "hasLabel(key, value)",
                Reads.POD,
                "the label is there with exactly this value",
                "pod.hasLabel('net', 'underlay')",
                (r, a, b, c) -> p(r).hasLabel(a, b));
        t.string(
                "nodeSelector(key)",
                Reads.POD,
                "value of spec.nodeSelector, '' when absent",
                "pod.nodeSelector('disk') == 'ssd'",
                (r, a, b, c) -> p(r).nodeSelector(a));
        t.number("cpu", "cores", Reads.POD, 1, "requested CPU", "pod.cpu <= '500m'", (r, a, b, c) -> p(r).cpu());
        t.number(
                "memory",
                "bytes",
                Reads.POD,
                1,
                "requested memory",
                "pod.memory < '2Gi'",
                (r, a, b, c) -> p(r).memory());
        t.number(
                "ephemeralStorage",
                "bytes",
                Reads.POD,
                1,
                "requested ephemeral storage",
                "pod.ephemeralStorage == 0",
                (r, a, b, c) -> p(r).ephemeralStorage());
        t.number(
                "cpuLimit",
                "cores",
                Reads.POD,
                1,
                "CPU limit, 0 when none",
                "pod.cpuLimit > 0",
                (r, a, b, c) -> p(r).cpuLimit());
        t.number(
                "memoryLimit",
                "bytes",
                Reads.POD,
                1,
                "memory limit, 0 when none",
                "pod.memoryLimit > 0",
                (r, a, b, c) -> p(r).memoryLimit());
        t.number(
                "request(resource)",
                "cores, bytes or pieces",
                Reads.POD,
                3,
                "requested amount of a resource, 0 when none",
                "pod.request('nvidia.com/gpu') > 0",
                (r, a, b, c) -> p(r).request(a));
        t.number(
                "volumeClaims",
                "claims",
                Reads.POD,
                5,
                "volumes that are persistent volume claims",
                "pod.volumeClaims == 0",
                (r, a, b, c) -> p(r).volumeClaims());
        t.number(
                "hostPorts",
                "ports",
                Reads.POD,
                5,
                "host ports of the regular containers",
                "pod.hostPorts == 0",
                (r, a, b, c) -> p(r).hostPorts());
        t.bool(
                "tolerates(key, value, effect)",
                Reads.POD,
                "some toleration of the pod tolerates such a taint",
                "pod.tolerates('gpu', '', 'NoSchedule')",
                (r, a, b, c) -> p(r).tolerates(a, b, c));
        t.list(
                "containers",
                RuleType.CONTAINERS,
                Reads.POD,
                "regular containers, then init containers",
                "pod.containers.size > 1",
                (r, a, b, c) -> p(r).containers());
        t.list(
                "tolerations",
                RuleType.TOLERATIONS,
                Reads.POD,
                "spec.tolerations",
                "pod.tolerations.any(t, t.key == 'gpu')",
                (r, a, b, c) -> p(r).tolerations());
        return t;
    }

    private static MemberTable node() {
        MemberTable t = new MemberTable(RuleType.NODE);
        t.string(
                "name", Reads.NODE, "name of the node", "node.name.matches('gpu-[0-9]+')", (r, a, b, c) -> n(r).name());
        t.string(
                "zone",
                Reads.NODE,
                "zone label, today's or the legacy one, '' when absent",
                "node.zone != ''",
                (r, a, b, c) -> n(r).zone());
        t.string(
                "region",
                Reads.NODE,
                "region label, today's or the legacy one, '' when absent",
                "node.region == 'eu'",
                (r, a, b, c) -> n(r).region());
        t.string(
                "label(key)",
                Reads.NODE,
                "value of a label, '' when absent",
                "node.label('disk') == 'ssd'",
                (r, a, b, c) -> n(r).label(a));
        t.string(
                "label(key, otherwise)",
                Reads.NODE,
                "value of a label, or the second argument when absent",
                "node.label('rack', 'r0') != 'r0'",
                (r, a, b, c) -> n(r).label(a, b));
        t.bool(
                "hasLabel(key)",
                Reads.NODE,
                "the label is there, whatever its value",
                "node.hasLabel('disk')",
                (r, a, b, c) -> n(r).hasLabel(a));
        t.bool(
                "hasLabel(key, value)",
                Reads.NODE,
                "the label is there with exactly this value",
                "node.hasLabel('disk', 'ssd')",
                (r, a, b, c) -> n(r).hasLabel(a, b));
        t.string(
                "annotation(key)",
                Reads.NODE,
                "value of an annotation, '' when absent; a change of it alone does not wake pods that wait",
                "number(node.annotation('load/cpu'), 0) < 80",
                (r, a, b, c) -> n(r).annotation(a));
        t.bool(
                "unschedulable",
                Reads.NODE,
                "spec.unschedulable",
                "!node.unschedulable",
                (r, a, b, c) -> n(r).unschedulable());
        t.string(
                "condition(type)",
                Reads.NODE,
                "status of a condition: True, False, Unknown; '' when absent",
                "node.condition('DiskPressure') != 'True'",
                (r, a, b, c) -> n(r).condition(a));
        t.bool(
                "hasImage(name)",
                Reads.NODE,
                "the node reports this image, by the exact name",
                "node.hasImage('web:1.2')",
                (r, a, b, c) -> n(r).hasImage(a));
        t.number(
                "allocatableCpu",
                "cores",
                Reads.NODE,
                1,
                "allocatable CPU",
                "node.allocatableCpu >= 8",
                (r, a, b, c) -> n(r).allocatableCpu());
        t.number(
                "allocatableMemory",
                "bytes",
                Reads.NODE,
                1,
                "allocatable memory",
                "node.allocatableMemory >= '32Gi'",
                (r, a, b, c) -> n(r).allocatableMemory());
        t.number(
                "allocatable(resource)",
                "cores, bytes or pieces",
                Reads.NODE,
                3,
                "allocatable amount of a resource, 0 when none",
                "node.allocatable('nvidia.com/gpu') > 0",
                (r, a, b, c) -> n(r).allocatable(a));
        t.number(
                "requestedCpu",
                "cores",
                Reads.NODE_PODS,
                1,
                "CPU requested by the pods on the node",
                "node.requestedCpu < 6",
                (r, a, b, c) -> n(r).requestedCpu());
        t.number(
                "requestedMemory",
                "bytes",
                Reads.NODE_PODS,
                1,
                "memory requested by the pods on the node",
                "node.requestedMemory < '24Gi'",
                (r, a, b, c) -> n(r).requestedMemory());
        t.number(
                "requested(resource)",
                "cores, bytes or pieces",
                Reads.NODE_PODS,
                3,
                "amount of a resource requested by the pods on the node",
                "node.requested('nvidia.com/gpu') == 0",
                (r, a, b, c) -> n(r).requested(a));
        t.number(
                "freeCpu",
                "cores",
                Reads.NODE_PODS,
                1,
                "allocatable minus requested CPU, may be negative",
                "node.freeCpu >= pod.cpu + 1",
                (r, a, b, c) -> n(r).freeCpu());
        t.number(
                "freeMemory",
                "bytes",
                Reads.NODE_PODS,
                1,
                "allocatable minus requested memory, may be negative",
                "node.freeMemory >= pod.memory + '1Gi'",
                (r, a, b, c) -> n(r).freeMemory());
        t.number(
                "free(resource)",
                "cores, bytes or pieces",
                Reads.NODE_PODS,
                5,
                "allocatable minus requested amount of a resource",
                "node.free('nvidia.com/gpu') >= 2",
                (r, a, b, c) -> n(r).free(a));
        t.number(
                "maxPods",
                "pods",
                Reads.NODE,
                1,
                "allocatable pods",
                "node.podCount < node.maxPods - 5",
                (r, a, b, c) -> n(r).maxPods());
        t.number(
                "podCount",
                "pods",
                Reads.NODE_PODS,
                1,
                "pods on the node",
                "node.podCount < 50",
                (r, a, b, c) -> n(r).podCount());
        t.number(
                "podsWithLabel(key)",
                "pods",
                Reads.NODE_PODS,
                POD_LOOP,
                "pods on the node that have the label",
                "node.podsWithLabel('net') < 20",
                (r, a, b, c) -> n(r).podsWithLabel(a));
        t.number(
                "podsWithLabel(key, value)",
                "pods",
                Reads.NODE_PODS,
                POD_LOOP,
                "pods on the node that have the label with this value",
                "node.podsWithLabel('net', 'underlay') < 10",
                (r, a, b, c) -> n(r).podsWithLabel(a, b));
        t.number(
                "podsInNamespace(namespace)",
                "pods",
                Reads.NODE_PODS,
                POD_LOOP,
                "pods on the node of one namespace",
                "node.podsInNamespace(pod.namespace) < 5",
                (r, a, b, c) -> n(r).podsInNamespace(a));
        t.number(
                "podsWithImage(image)",
                "pods",
                Reads.NODE_PODS,
                2 * POD_LOOP,
                "pods on the node with a container of this image, as written there",
                "node.podsWithImage('web:1.2') > 0",
                (r, a, b, c) -> n(r).podsWithImage(a));
        t.number(
                "podsInTopology(topologyKey, key, value)",
                "pods",
                Reads.TOPOLOGY,
                COUNT,
                "pods with this label on all nodes with the same value of the node label topologyKey; 0 when the node lacks it",
                "node.podsInTopology('rack', 'app', 'db') < 3",
                (r, a, b, c) -> n(r).podsInTopology(a, b, c));
        t.number(
                "nodesInTopology(topologyKey)",
                "nodes",
                Reads.TOPOLOGY,
                COUNT,
                "nodes with the same value of the node label topologyKey, this one included; 0 when the node lacks it",
                "node.nodesInTopology('rack') > 1",
                (r, a, b, c) -> n(r).nodesInTopology(a));
        t.list(
                "taints",
                RuleType.TAINTS,
                Reads.NODE,
                "spec.taints",
                "node.taints.all(t, t.effect != 'NoExecute')",
                (r, a, b, c) -> n(r).taints());
        t.list(
                "pods",
                RuleType.PODS,
                Reads.NODE_PODS,
                "the pods on the node",
                "node.pods.sum(p, p.cpuLimit) < 32",
                (r, a, b, c) -> n(r).pods());
        return t;
    }

    private static MemberTable cluster() {
        MemberTable t = new MemberTable(RuleType.CLUSTER);
        t.number(
                "nodeCount",
                "nodes",
                Reads.CLUSTER,
                1,
                "nodes of the cluster",
                "cluster.nodeCount > 3",
                (r, a, b, c) -> k(r).nodeCount());
        t.number(
                "nodesWithLabel(key)",
                "nodes",
                Reads.CLUSTER,
                COUNT,
                "nodes that have the label",
                "cluster.nodesWithLabel('gpu') > 0",
                (r, a, b, c) -> k(r).nodesWithLabel(a));
        t.number(
                "nodesWithLabel(key, value)",
                "nodes",
                Reads.CLUSTER,
                COUNT,
                "nodes that have the label with this value",
                "cluster.nodesWithLabel('disk', 'ssd') > 2",
                (r, a, b, c) -> k(r).nodesWithLabel(a, b));
        t.number(
                "podsWithLabel(key)",
                "pods",
                Reads.CLUSTER,
                COUNT,
                "placed pods that have the label",
                "cluster.podsWithLabel('license') < 100",
                (r, a, b, c) -> k(r).podsWithLabel(a));
        t.number(
                "podsWithLabel(key, value)",
                "pods",
                Reads.CLUSTER,
                COUNT,
                "placed pods that have the label with this value",
                "cluster.podsWithLabel('license', 'oracle') < 16",
                (r, a, b, c) -> k(r).podsWithLabel(a, b));
        t.number(
                "topologyCount(topologyKey)",
                "values",
                Reads.CLUSTER,
                COUNT,
                "different values of the node label topologyKey",
                "cluster.topologyCount('zone') == 3",
                (r, a, b, c) -> k(r).topologyCount(a));
        t.number(
                "minPodsInTopology(topologyKey, key, value)",
                "pods",
                Reads.CLUSTER,
                2 * COUNT,
                "pods with this label in the topology value that has the fewest",
                "node.podsInTopology('zone', 'app', 'db') <= cluster.minPodsInTopology('zone', 'app', 'db')",
                (r, a, b, c) -> k(r).minPodsInTopology(a, b, c));
        t.number(
                "maxPodsInTopology(topologyKey, key, value)",
                "pods",
                Reads.CLUSTER,
                2 * COUNT,
                "pods with this label in the topology value that has the most",
                "cluster.maxPodsInTopology('zone', 'app', 'db') < 9",
                (r, a, b, c) -> k(r).maxPodsInTopology(a, b, c));
        return t;
    }

    private static MemberTable container() {
        MemberTable t = new MemberTable(RuleType.CONTAINER);
        t.string(
                "name",
                Reads.POD,
                "name of the container",
                "pod.containers.any(c, c.name == 'proxy')",
                (r, a, b, c) -> ((Container) r).name());
        t.string(
                "image",
                Reads.POD,
                "image as written",
                "pod.containers.all(c, c.image.startsWith('registry.local/'))",
                (r, a, b, c) -> ((Container) r).image());
        t.bool(
                "init",
                Reads.POD,
                "it is an init container",
                "pod.containers.count(c, !c.init) == 1",
                (r, a, b, c) -> ((Container) r).init());
        return t;
    }

    private static MemberTable taint() {
        MemberTable t = new MemberTable(RuleType.TAINT);
        t.string(
                "key",
                Reads.NODE,
                "key of the taint",
                "node.taints.any(t, t.key == 'gpu')",
                (r, a, b, c) -> ((Taint) r).key());
        t.string(
                "value",
                Reads.NODE,
                "value of the taint, may be ''",
                "node.taints.any(t, t.value == 'a')",
                (r, a, b, c) -> ((Taint) r).value());
        t.string(
                "effect",
                Reads.NODE,
                "NoSchedule, PreferNoSchedule or NoExecute",
                "node.taints.count(t, t.effect == 'NoSchedule') == 0",
                (r, a, b, c) -> ((Taint) r).effect());
        return t;
    }

    private static MemberTable toleration() {
        MemberTable t = new MemberTable(RuleType.TOLERATION);
        t.string(
                "key",
                Reads.POD,
                "key of the toleration, '' for all",
                "pod.tolerations.any(t, t.key == '')",
                (r, a, b, c) -> ((Toleration) r).key());
        t.string(
                "operator",
                Reads.POD,
                "Exists, Equal or ''",
                "pod.tolerations.any(t, t.operator == 'Exists')",
                (r, a, b, c) -> ((Toleration) r).operator());
        t.string(
                "value",
                Reads.POD,
                "value of the toleration, may be ''",
                "pod.tolerations.any(t, t.value == 'a')",
                (r, a, b, c) -> ((Toleration) r).value());
        t.string(
                "effect",
                Reads.POD,
                "effect of the toleration, '' for all",
                "pod.tolerations.any(t, t.effect == '')",
                (r, a, b, c) -> ((Toleration) r).effect());
        return t;
    }

    private static PodView p(Object receiver) {
        return (PodView) receiver;
    }

    private static NodeView n(Object receiver) {
        return (NodeView) receiver;
    }

    private static ClusterRuleView k(Object receiver) {
        return (ClusterRuleView) receiver;
    }
}
