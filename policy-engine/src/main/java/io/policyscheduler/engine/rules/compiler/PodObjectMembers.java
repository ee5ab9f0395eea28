package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.PodView;

/** Members of pods about volumes, claims and budgets. */
final class PodObjectMembers {
    /** Going through the volumes of a pod, or the budgets of its namespace, costs about this many member accesses. */
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
