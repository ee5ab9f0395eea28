package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.Members.MemberTable;
import io.policyscheduler.engine.rules.data.NodeView.ConditionView;
import io.policyscheduler.engine.rules.data.NodeView.ImageView;
import io.policyscheduler.engine.rules.data.PodRelations.ClaimView;
import io.policyscheduler.engine.rules.data.PodView.BudgetView;
import io.policyscheduler.engine.rules.data.PodView.ContainerView;
import io.policyscheduler.engine.rules.data.PodView.PortView;
import io.policyscheduler.engine.rules.data.PodView.VolumeView;
import io.policyscheduler.engine.rules.data.RuleType;

/** The members of list elements other than pods: containers and their ports, taints and tolerations. */
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

    /** The members of volumes, claims, budgets, and of lists in a node's status. */
    static final class ObjectMembers {
        private ObjectMembers() {}

        static MemberTable volume() {
            MemberTable t = new MemberTable(RuleType.VOLUME);
            t.string(
                    "name",
                    Reads.POD,
                    "name of the volume; kube-api-access for the volume that the API server adds",
                    "pod.volumes.any(v, v.name == 'scratch')",
                    (r, a, b, c) -> ((VolumeView) r).name());
            t.string(
                    "kind",
                    Reads.POD,
                    "kind of the volume source: persistentVolumeClaim, configMap, emptyDir, hostPath, csi, ephemeral, ...",
                    "pod.volumes.count(v, v.kind == 'emptyDir') < 3",
                    (r, a, b, c) -> ((VolumeView) r).kind());
            t.maybe(
                    "claimName",
                    Reads.POD,
                    "claimName of a persistentVolumeClaim, null for other kinds",
                    "pod.volumes.any(v, v.claimName == 'data')",
                    (r, a, b, c) -> ((VolumeView) r).claimName());
            return t;
        }

        static MemberTable claim() {
            MemberTable t = new MemberTable(RuleType.CLAIM);
            t.string(
                    "name",
                    Reads.CLAIMS,
                    "name of the claim",
                    "pod.claims.any(c, c.name.startsWith('data-'))",
                    (r, a, b, c) -> ((ClaimView) r).name());
            t.bool(
                    "exists",
                    Reads.CLAIMS,
                    "the claim exists; if not, strings are '', numbers are 0, and lists are empty",
                    "pod.claims.all(c, c.exists)",
                    (r, a, b, c) -> ((ClaimView) r).exists());
            t.string(
                    "storageClassName",
                    Reads.CLAIMS,
                    "storage class, '' when absent",
                    "pod.claims.all(c, c.storageClassName != 'slow')",
                    (r, a, b, c) -> ((ClaimView) r).storageClassName());
            t.list(
                    "accessModes",
                    RuleType.STRINGS,
                    Reads.CLAIMS,
                    "spec.accessModes",
                    "pod.claims.any(c, c.accessModes contains 'ReadWriteMany')",
                    (r, a, b, c) -> ((ClaimView) r).accessModes());
            t.number(
                    "requestedStorage",
                    "bytes",
                    Reads.CLAIMS,
                    1,
                    "requested storage",
                    "pod.claims.sum(c, c.requestedStorage) < '1Ti'",
                    (r, a, b, c) -> ((ClaimView) r).requestedStorage());
            t.string(
                    "phase",
                    Reads.CLAIMS,
                    "status.phase: Pending, Bound or Lost",
                    "pod.claims.all(c, c.phase == 'Bound')",
                    (r, a, b, c) -> ((ClaimView) r).phase());
            t.maybe(
                    "volumeName",
                    Reads.CLAIMS,
                    "the volume that it is bound to, null when unbound",
                    "pod.claims.all(c, c.volumeName != null)",
                    (r, a, b, c) -> ((ClaimView) r).volumeName());
            t.maybe(
                    "zone",
                    Reads.CLAIMS,
                    "zone of that volume, from its label or node affinity; null without a zone or with several",
                    "pod.claims.all(c, (c.zone or node.zone) == node.zone)",
                    (r, a, b, c) -> ((ClaimView) r).zone());
            return t;
        }

        static MemberTable budget() {
            MemberTable t = new MemberTable(RuleType.BUDGET);
            t.string(
                    "name",
                    Reads.BUDGETS,
                    "name of the budget",
                    "pod.budgets.any(b, b.name == 'quorum')",
                    (r, a, b, c) -> ((BudgetView) r).name());
            t.number(
                    "disruptionsAllowed",
                    "pods",
                    Reads.BUDGETS,
                    1,
                    "status.disruptionsAllowed",
                    "pod.budgets.all(b, b.disruptionsAllowed > 0)",
                    (r, a, b, c) -> ((BudgetView) r).disruptionsAllowed());
            return t;
        }

        static MemberTable image() {
            MemberTable t = new MemberTable(RuleType.IMAGE);
            t.list(
                    "names",
                    RuleType.STRINGS,
                    Reads.NODE,
                    "tags and digests, as the node reports them",
                    "node.images.any(i, i.names contains 'web:1.2')",
                    (r, a, b, c) -> ((ImageView) r).names());
            t.number(
                    "sizeBytes",
                    "bytes",
                    Reads.NODE,
                    1,
                    "size of the image",
                    "node.images.max(i, i.sizeBytes) < '4Gi'",
                    (r, a, b, c) -> ((ImageView) r).sizeBytes());
            return t;
        }

        static MemberTable condition() {
            MemberTable t = new MemberTable(RuleType.CONDITION);
            t.string(
                    "type",
                    Reads.NODE,
                    "type of the condition",
                    "node.conditions.any(c, c.type == 'KernelDeadlock')",
                    (r, a, b, c) -> ((ConditionView) r).type());
            t.string(
                    "status",
                    Reads.NODE,
                    "True, False or Unknown",
                    "node.conditions.all(c, c.status != 'Unknown')",
                    (r, a, b, c) -> ((ConditionView) r).status());
            t.number(
                    "ageMinutes",
                    "minutes",
                    Reads.TIME,
                    1,
                    "whole minutes since its last transition, 0 when unknown",
                    "node.conditions.all(c, c.type != 'Ready' || c.ageMinutes >= 5)",
                    (r, a, b, c) -> ((ConditionView) r).ageMinutes());
            return t;
        }
    }
}
