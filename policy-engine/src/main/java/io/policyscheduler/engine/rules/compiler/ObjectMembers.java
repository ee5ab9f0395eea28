package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.BudgetView;
import io.policyscheduler.engine.rules.data.ClaimView;
import io.policyscheduler.engine.rules.data.ConditionView;
import io.policyscheduler.engine.rules.data.ImageView;
import io.policyscheduler.engine.rules.data.VolumeView;

/** Members of volumes, claims, budgets, and of what a node's status lists. */
final class ObjectMembers {
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
