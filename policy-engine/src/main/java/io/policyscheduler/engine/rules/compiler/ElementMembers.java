package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.ContainerView;
import io.policyscheduler.engine.rules.data.PortView;

/** Members of what lists hold besides pods: containers and their ports, taints and tolerations. */
final class ElementMembers {
    private ElementMembers() {}

    static MemberTable container() {
        MemberTable t = new MemberTable(RuleType.CONTAINER);
        t.string(
                "name",
                Reads.POD,
                "name of the container",
                "pod.containers.any(c, c.name == 'proxy')",
                (r, a, b, c) -> ((ContainerView) r).name());
        t.string(
                "image",
                Reads.POD,
                "image as written",
                "pod.containers.all(c, c.image.startsWith('registry.local/'))",
                (r, a, b, c) -> ((ContainerView) r).image());
        t.bool(
                "init",
                Reads.POD,
                "it is an init container",
                "pod.containers.count(c, !c.init) == 1",
                (r, a, b, c) -> ((ContainerView) r).init());
        t.list(
                "ports",
                RuleType.PORTS,
                Reads.POD,
                "its ports",
                "pod.containers.any(c, c.ports.any(p, p.hostPort > 0))",
                (r, a, b, c) -> ((ContainerView) r).ports());
        return t;
    }

    static MemberTable port() {
        MemberTable t = new MemberTable(RuleType.PORT);
        t.string(
                "name",
                Reads.POD,
                "name of the port, '' when absent",
                "pod.containers.any(c, c.ports.any(p, p.name == 'metrics'))",
                (r, a, b, c) -> ((PortView) r).name());
        t.number(
                "containerPort",
                "",
                Reads.POD,
                1,
                "number of the port",
                "pod.containers.any(c, c.ports.any(p, p.containerPort == 8080))",
                (r, a, b, c) -> ((PortView) r).containerPort());
        t.number(
                "hostPort",
                "",
                Reads.POD,
                1,
                "port of the host, 0 when none",
                "node.hostPorts.all(p, p.hostPort != 80)",
                (r, a, b, c) -> ((PortView) r).hostPort());
        t.string(
                "protocol",
                Reads.POD,
                "TCP, UDP or SCTP",
                "node.hostPorts.all(p, p.protocol == 'TCP')",
                (r, a, b, c) -> ((PortView) r).protocol());
        return t;
    }

    static MemberTable taint() {
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

    static MemberTable toleration() {
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
}
