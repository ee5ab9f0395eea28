package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.ElementMembers.ObjectMembers;
import io.policyscheduler.engine.rules.compiler.Member.Call;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.data.ClusterCounts.ClusterRuleView;
import io.policyscheduler.engine.rules.data.NowView;
import io.policyscheduler.engine.rules.data.PodView.AmountsView;
import io.policyscheduler.engine.rules.data.PodView.LabelsView;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All members of all types: the table for the checker, the evaluator and the documentation. */
public final class Members {
    private static final Map<RuleType, List<Member>> TABLE = table();

    private Members() {}

    /** The members of a type in the order of the documentation; empty for scalars. */
    public static List<Member> of(RuleType type) {
        return TABLE.getOrDefault(type, List.of());
    }

    /** Types that have members, in the order of the documentation. */
    public static Set<RuleType> types() {
        return TABLE.keySet();
    }

    /** The member of this name and number of arguments, or null. */
    public static @Nullable Member find(RuleType type, String name, int arguments) {
        for (Member member : of(type)) {
            if (member.name().equals(name) && member.parameters().size() == arguments) {
                return member;
            }
        }
        return null;
    }

    /** Names of a type's members, sorted. */
    public static Set<String> names(RuleType type) {
        Set<String> names = new TreeSet<>();
        of(type).forEach(member -> names.add(member.name()));
        return names;
    }

    private static Map<RuleType, List<Member>> table() {
        Map<RuleType, List<Member>> table = new LinkedHashMap<>();
        put(table, PodMembers.of());
        put(table, NodeMembers.of());
        put(table, ClusterMembers.of());
        put(table, TimeMembers.of());
        put(table, ElementMembers.container());
        put(table, ElementMembers.port());
        put(table, ElementMembers.taint());
        put(table, ElementMembers.toleration());
        put(table, ObjectMembers.volume());
        put(table, ObjectMembers.claim());
        put(table, ObjectMembers.budget());
        put(table, ObjectMembers.image());
        put(table, ObjectMembers.condition());
        put(table, MapMembers.labels());
        put(table, MapMembers.amounts());
        return Collections.unmodifiableMap(table);
    }

    private static void put(Map<RuleType, List<Member>> table, MemberTable members) {
        List<Member> list = List.copyOf(members.members());
        table.put(list.get(0).receiver(), list);
    }

    /** Collects members of one type. */
    static final class MemberTable {
        private static final String NO_UNIT = "";

        private final RuleType receiver;
        private final List<Member> members = new ArrayList<>();

        MemberTable(RuleType receiver) {
            this.receiver = receiver;
        }

        List<Member> members() {
            return members;
        }

        void bool(String name, Reads reads, String text, String example, Call.OfBool call) {
            add(name, RuleType.BOOL, NO_UNIT, reads, 1, text, example, call);
        }

        void string(String name, Reads reads, String text, String example, Call.OfString call) {
            add(name, RuleType.STRING, NO_UNIT, reads, 1, text, example, call);
        }

        void number(String name, String unit, Reads reads, int cost, String text, String example, Call.OfNumber call) {
            add(name, RuleType.NUMBER, unit, reads, cost, text, example, call);
        }

        void maybe(String name, Reads reads, String text, String example, Call.OfMaybe call) {
            maybe(name, reads, 1, text, example, call);
        }

        void maybe(String name, Reads reads, int cost, String text, String example, Call.OfMaybe call) {
            add(name, RuleType.MAYBE, NO_UNIT, reads, cost, text, example, call);
        }

        void map(String name, RuleType type, Reads reads, String text, String example, Call.OfMap call) {
            add(name, type, NO_UNIT, reads, 1, text, example, call);
        }

        void list(String name, RuleType type, Reads reads, String text, String example, Call.OfList call) {
            add(name, type, NO_UNIT, reads, 2, text, example, call);
        }

        /** {@code name(a, b)} is a method, other names are properties. */
        private void add(
                String signature,
                RuleType result,
                String unit,
                Reads reads,
                int cost,
                String text,
                String example,
                Call call) {
            int open = signature.indexOf('(');
            boolean property = open < 0;
            String name = property ? signature : signature.substring(0, open);
            List<String> parameters = property || signature.endsWith("()")
                    ? List.of()
                    : List.of(signature
                            .substring(open + 1, signature.length() - 1)
                            .split(", "));
            members.add(
                    new Member(receiver, name, parameters, property, result, unit, text, example, reads, cost, call));
        }
    }

    /** The members of maps. An entry {@code map['key']} is the member {@code get}. */
    static final class MapMembers {
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

    /** The members of the time of the attempt. */
    static final class TimeMembers {
        /** The additional cost of another time zone. */
        private static final int CONVERTED = 3;

        private TimeMembers() {}

        static MemberTable of() {
            MemberTable t = new MemberTable(RuleType.NOW);
            t.number("hour", "hours", Reads.TIME, 1, "0 to 23, UTC", "now.hour < 6", (r, a, b, c) -> n(r).hour());
            t.number(
                    "hour(zone)",
                    "hours",
                    Reads.TIME,
                    CONVERTED,
                    "0 to 23 in a time zone; the zone is a constant",
                    "now.hour('Europe/Berlin') >= 22",
                    (r, a, b, c) -> n(r).hour(a));
            t.number(
                    "minute",
                    "minutes",
                    Reads.TIME,
                    1,
                    "0 to 59, UTC",
                    "now.minute < 30",
                    (r, a, b, c) -> n(r).minute());
            t.number(
                    "minute(zone)",
                    "minutes",
                    Reads.TIME,
                    CONVERTED,
                    "the same in a time zone",
                    "now.minute('Asia/Kolkata') < 30",
                    (r, a, b, c) -> n(r).minute(a));
            t.number(
                    "weekday",
                    "",
                    Reads.TIME,
                    1,
                    "1 for Monday to 7 for Sunday, UTC",
                    "now.weekday >= 6",
                    (r, a, b, c) -> n(r).weekday());
            t.number(
                    "weekday(zone)",
                    "",
                    Reads.TIME,
                    CONVERTED,
                    "the same in a time zone",
                    "now.weekday('America/New_York') < 6",
                    (r, a, b, c) -> n(r).weekday(a));
            return t;
        }

        private static NowView n(Object receiver) {
            return (NowView) receiver;
        }
    }

    /** The members of the cluster. */
    static final class ClusterMembers {
        /** The cost of a count, which is computed once per pod and looked up for each node. */
        static final int COUNT = 20;

        private ClusterMembers() {}

        static MemberTable of() {
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
                    "podsOfOwner(ownerUid)",
                    "pods",
                    Reads.CLUSTER,
                    COUNT,
                    "placed pods with this controller; 0 for ''",
                    "cluster.podsOfOwner(pod.ownerUid) < 50",
                    (r, a, b, c) -> k(r).podsOfOwner(a));
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
                    "lowest number of pods with this label in a topology value",
                    "node.podsInTopology('zone', 'app', 'db') <= cluster.minPodsInTopology('zone', 'app', 'db')",
                    (r, a, b, c) -> k(r).minPodsInTopology(a, b, c));
            t.number(
                    "maxPodsInTopology(topologyKey, key, value)",
                    "pods",
                    Reads.CLUSTER,
                    2 * COUNT,
                    "highest number of pods with this label in a topology value",
                    "cluster.maxPodsInTopology('zone', 'app', 'db') < 9",
                    (r, a, b, c) -> k(r).maxPodsInTopology(a, b, c));
            t.number(
                    "minPodsOfOwnerInTopology(topologyKey, ownerUid)",
                    "pods",
                    Reads.CLUSTER,
                    2 * COUNT,
                    "lowest number of pods with this controller in a topology value",
                    "node.podsOfOwnerInTopology('zone', pod.ownerUid) <= cluster.minPodsOfOwnerInTopology('zone', pod.ownerUid)",
                    (r, a, b, c) -> k(r).minPodsOfOwnerInTopology(a, b));
            t.number(
                    "maxPodsOfOwnerInTopology(topologyKey, ownerUid)",
                    "pods",
                    Reads.CLUSTER,
                    2 * COUNT,
                    "highest number of pods with this controller in a topology value",
                    "cluster.maxPodsOfOwnerInTopology('zone', pod.ownerUid) < 9",
                    (r, a, b, c) -> k(r).maxPodsOfOwnerInTopology(a, b));
            return t;
        }

        private static ClusterRuleView k(Object receiver) {
            return (ClusterRuleView) receiver;
        }
    }
}
