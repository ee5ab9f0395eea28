package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All members of all types: the one table behind the checker, the evaluator and the documentation. */
public final class Members {
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
}
