package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.AmountsView;
import io.policyscheduler.engine.rules.data.LabelsView;

/** Members of maps. An entry {@code map['key']} is the member {@code get}. */
final class MapMembers {
    private MapMembers() {}

    static MemberTable labels() {
        MemberTable t = new MemberTable(RuleType.LABELS);
        t.maybe(
                "get(key)",
                Reads.POD,
                "the entry, null when absent; mostly written ['key'] or .key",
                "pod.labels.get('net') == null",
                (r, a, b, c) -> l(r).get(a));
        t.string(
                "getOrDefault(key, otherwise)",
                Reads.POD,
                "the entry, or the second argument when absent",
                "pod.labels.getOrDefault('tier', 'web') == 'web'",
                (r, a, b, c) -> l(r).getOrDefault(a, b));
        t.bool(
                "containsKey(key)",
                Reads.POD,
                "the key is present, with any value",
                "node.labels.containsKey('gpu')",
                (r, a, b, c) -> l(r).containsKey(a));
        t.number(
                "size()",
                "entries",
                Reads.POD,
                1,
                "number of entries",
                "pod.labels.size() > 0",
                (r, a, b, c) -> l(r).size());
        t.bool(
                "isEmpty()",
                Reads.POD,
                "the map has no entries",
                "!pod.labels.isEmpty()",
                (r, a, b, c) -> l(r).isEmpty());
        return t;
    }

    static MemberTable amounts() {
        MemberTable t = new MemberTable(RuleType.AMOUNTS);
        t.number(
                "get(resource)",
                "cores, bytes, or count",
                Reads.POD,
                3,
                "the amount, 0 when none; mostly written ['resource'], or .cpu, .memory, .pods",
                "node.allocatable.get('nvidia.com/gpu') > 0",
                (r, a, b, c) -> ((AmountsView) r).get(a));
        return t;
    }

    private static LabelsView l(Object receiver) {
        return (LabelsView) receiver;
    }
}
