package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.NodeView;

/** Members of nodes. */
final class NodeMembers {
    private NodeMembers() {}

    static MemberTable of() {
        MemberTable t = new MemberTable(RuleType.NODE);
        t.string(
                "name", Reads.NODE, "name of the node", "node.name.matches('gpu-[0-9]+')", (r, a, b, c) -> n(r).name());
        t.string(
                "zone",
                Reads.NODE,
                "zone label, current or legacy, '' when absent",
                "node.zone != ''",
                (r, a, b, c) -> n(r).zone());
        t.string(
                "region",
                Reads.NODE,
                "region label, current or legacy, '' when absent",
                "node.region == 'eu'",
                (r, a, b, c) -> n(r).region());
        t.map(
                "labels",
                RuleType.LABELS,
                Reads.NODE,
                "the labels",
                "node.labels['disk'] == 'ssd'",
                (r, a, b, c) -> n(r).labels());
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
                "the label is present, with any value",
                "node.hasLabel('disk')",
                (r, a, b, c) -> n(r).hasLabel(a));
        t.bool(
                "hasLabel(key, value)",
                Reads.NODE,
                "the label is present with exactly this value",
                "node.hasLabel('disk', 'ssd')",
                (r, a, b, c) -> n(r).hasLabel(a, b));
        t.map(
                "annotations",
                RuleType.LABELS,
                Reads.NODE,
                "the annotations",
                "node.annotations['load/cpu'] != null",
                (r, a, b, c) -> n(r).annotations());
        t.string(
                "annotation(key)",
                Reads.NODE,
                "value of an annotation, '' when absent; a change of it does not requeue pods",
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
                "the node reports this image, by the exact name; a change of it does not requeue pods",
                "node.hasImage('web:1.2')",
                (r, a, b, c) -> n(r).hasImage(a));
        t.number(
                "imageSize(name)",
                "bytes",
                Reads.NODE,
                1,
                "size of this image, 0 when the node does not report it; a change of it does not requeue pods",
                "node.imageSize('web:1.2') > '100Mi'",
                (r, a, b, c) -> n(r).imageSize(a));
        t.list(
                "images",
                RuleType.IMAGES,
                Reads.NODE,
                "status.images; a change of them does not requeue pods",
                "node.images.sum(i, i.sizeBytes) < '20Gi'",
                (r, a, b, c) -> n(r).images());
        t.list(
                "conditions",
                RuleType.CONDITIONS,
                Reads.NODE,
                "status.conditions, sorted by type",
                "node.conditions.all(c, c.type == 'Ready' || c.status == 'False')",
                (r, a, b, c) -> n(r).conditions());
        t.number(
                "ageMinutes",
                "minutes",
                Reads.TIME,
                1,
                "whole minutes since the node was created, 0 when unknown",
                "node.ageMinutes >= 10",
                (r, a, b, c) -> n(r).ageMinutes());
        t.list(
                "taints",
                RuleType.TAINTS,
                Reads.NODE,
                "spec.taints",
                "node.taints.all(t, t.effect != 'NoExecute')",
                (r, a, b, c) -> n(r).taints());
        NodeAmountMembers.addTo(t);
        NodePodMembers.addTo(t);
        return t;
    }

    private static NodeView n(Object receiver) {
        return (NodeView) receiver;
    }
}
