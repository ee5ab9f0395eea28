package io.policyscheduler.engine.rules.member;

import io.policyscheduler.engine.cluster.object.Container;
import io.policyscheduler.engine.cluster.object.Taint;
import io.policyscheduler.engine.cluster.object.Toleration;
import io.policyscheduler.engine.rules.value.RuleType;

/** Members of what lists hold besides pods: containers, taints and tolerations. */
final class ElementMembers {
    private ElementMembers() {}

    static MemberTable container() {
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
