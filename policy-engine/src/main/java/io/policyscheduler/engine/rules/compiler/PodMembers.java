package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.Members.MemberTable;
import io.policyscheduler.engine.rules.data.PodView;
import io.policyscheduler.engine.rules.data.RuleType;

/** The members of pods. */
final class PodMembers {
    private PodMembers() {}

    static MemberTable of() {
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
        t.string(
                "ownerUid",
                Reads.POD,
                "UID of the controller, '' without one; for the members that count by owner",
                "node.podsOfOwner(pod.ownerUid) < 2",
                (r, a, b, c) -> p(r).ownerUid());
        t.string(
                "serviceAccountName",
                Reads.POD,
                "spec.serviceAccountName, '' when absent",
                "pod.serviceAccountName != 'default'",
                (r, a, b, c) -> p(r).serviceAccountName());
        t.string(
                "qosClass",
                Reads.POD,
                "Guaranteed, Burstable or BestEffort, derived from requests and limits",
                "pod.qosClass == 'Guaranteed'",
                (r, a, b, c) -> p(r).qosClass());
        t.string(
                "phase",
                Reads.POD_NAME,
                "status.phase: Pending or Running, '' when absent; rules do not see finished pods",
                "node.pods.count(p, p.phase == 'Pending') < 5",
                (r, a, b, c) -> p(r).phase());
        t.number(
                "ageMinutes",
                "minutes",
                Reads.TIME,
                1,
                "whole minutes since the pod was created, 0 when unknown",
                "pod.ageMinutes > 15",
                (r, a, b, c) -> p(r).ageMinutes());
        t.bool(
                "terminating",
                Reads.POD,
                "the pod is being deleted",
                "!pod.terminating",
                (r, a, b, c) -> p(r).terminating());
        t.map(
                "labels",
                RuleType.LABELS,
                Reads.POD,
                "the labels",
                "pod.labels['net'] == 'underlay'",
                (r, a, b, c) -> p(r).labels());
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
                "the label is present, with any value",
                "pod.hasLabel('net')",
                (r, a, b, c) -> p(r).hasLabel(a));
        t.bool(
                "hasLabel(key, value)",
                Reads.POD,
                "the label is present with exactly this value",
                "pod.hasLabel('net', 'underlay')",
                (r, a, b, c) -> p(r).hasLabel(a, b));
        t.map(
                "annotations",
                RuleType.LABELS,
                Reads.POD,
                "the annotations",
                "pod.annotations['load/class'] == 'heavy'",
                (r, a, b, c) -> p(r).annotations());
        t.string(
                "annotation(key)",
                Reads.POD,
                "value of an annotation, '' when absent",
                "number(pod.annotation('load/cpu'), 0) < 80",
                (r, a, b, c) -> p(r).annotation(a));
        t.map(
                "nodeSelector",
                RuleType.LABELS,
                Reads.POD,
                "spec.nodeSelector",
                "pod.nodeSelector['disk'] == 'ssd'",
                (r, a, b, c) -> p(r).nodeSelector());
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
        t.map(
                "requests",
                RuleType.AMOUNTS,
                Reads.POD,
                "requested amounts of all resources",
                "pod.requests['nvidia.com/gpu'] > 0",
                (r, a, b, c) -> p(r).requests());
        t.number(
                "request(resource)",
                "cores, bytes, or count",
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
                "a toleration of the pod tolerates this taint",
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
        PodObjectMembers.addTo(t);
        return t;
    }

    private static PodView p(Object receiver) {
        return (PodView) receiver;
    }

    /** The members of pods about volumes, claims and budgets. */
    static final class PodObjectMembers {
        /** The approximate cost of iterating over the volumes of a pod, or the budgets of its namespace, in member accesses. */
        private static final int LOOP = 20;

        private PodObjectMembers() {}

        static void addTo(MemberTable t) {
            t.list(
                    "volumes",
                    RuleType.VOLUMES,
                    Reads.POD,
                    "spec.volumes",
                    "pod.volumes.all(v, v.kind != 'hostPath')",
                    (r, a, b, c) -> p(r).volumes());
            t.list(
                    "claims",
                    RuleType.CLAIMS,
                    Reads.CLAIMS,
                    "the persistent volume claims of its volumes, including those of ephemeral volumes and those that do not exist yet",
                    "pod.claims.all(c, c.storageClassName == 'fast')",
                    (r, a, b, c) -> p(r).claims());
            t.maybe(
                    "volumeZone",
                    Reads.CLAIMS,
                    LOOP,
                    "zone of the volumes that its claims are bound to, from their labels or node affinity; null without a zone or with several",
                    "(pod.volumeZone or node.zone) == node.zone",
                    (r, a, b, c) -> p(r).volumeZone());
            t.list(
                    "budgets",
                    RuleType.BUDGETS,
                    Reads.BUDGETS,
                    "the PodDisruptionBudgets that select it",
                    "pod.budgets.any(b, b.name == 'quorum')",
                    (r, a, b, c) -> p(r).budgets());
            t.number(
                    "disruptionsAllowed",
                    "pods",
                    Reads.BUDGETS,
                    LOOP,
                    "the lowest disruptionsAllowed of its budgets, at least 0; 2147483647 without a budget",
                    "node.pods.all(p, p.disruptionsAllowed > 0)",
                    (r, a, b, c) -> p(r).disruptionsAllowed());
        }

        private static PodView p(Object receiver) {
            return (PodView) receiver;
        }
    }
}
