package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.index.TopologyCounts.TopologyColumn;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.NodeTable;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The running pods with inter-pod affinity, grouped by namespace and {@link Affinity}. All pods of a group have the same effect on
 * an incoming pod, except for their nodes.
 */
public final class PodsWithAffinity {
    private static final int MAX_TARGETS = 1024;

    /** The kind of an existing pod's term. */
    public enum Kind {
        /** Required affinity. */
        REQUIRED,
        /** Preferred affinity, or with a negative weight anti-affinity. */
        PREFERRED,
        /** Required anti-affinity. */
        REQUIRED_ANTI
    }

    /**
     * Terms of the pods of a group that match an incoming pod.
     *
     * @param terms number of terms of this kind and topology key, at least 1
     * @param weight sum of the preferences, negative for anti-affinity; else 0
     */
    public record GroupTerms(Group group, Kind kind, String topologyKey, long terms, long weight) {}

    private record Target(String namespace, Labels labels) {}

    private record CachedTerms(long version, List<GroupTerms> terms) {}

    private record Key(String namespace, Affinity affinity) {}

    /** Pods of one namespace with equal affinity. */
    public static final class Group {
        private final Key key;
        private final PodInfo example;
        private final boolean invalid;
        private final boolean selectsNamespaces;
        private final Map<Integer, Integer> countBySlot = new HashMap<>();

        private Group(Key key, PodInfo example) {
            this.key = key;
            this.example = example;
            this.invalid = hasInvalidSelector(example.affinity().podAffinity())
                    || hasInvalidSelector(example.affinity().podAntiAffinity());
            this.selectsNamespaces = example.affinity().selectsNamespaces();
        }

        /**
         * Adds {@code factor} for each pod of the group to the topology value of its node.
         *
         * @return false if none of their nodes has a value
         */
        public boolean addTo(long[] byValue, TopologyColumn column, long factor) {
            boolean any = false;
            for (Map.Entry<Integer, Integer> entry : countBySlot.entrySet()) {
                int value = column.at(entry.getKey());
                if (value != TopologyColumn.NONE) {
                    byValue[value] += factor * entry.getValue();
                    any = true;
                }
            }
            return any;
        }
    }

    /** The counted pods of a node with affinity and, at the same index, their groups. */
    private static final class Counted {
        static final Counted NOTHING = new Counted(new PodInfo[0], new Group[0]);

        final PodInfo[] pods;
        final Group[] groups;

        Counted(PodInfo[] pods, Group[] groups) {
            this.pods = pods;
            this.groups = groups;
        }
    }

    private final ClusterIndex index;
    private final Map<Key, Group> groups = new LinkedHashMap<>();
    private final List<Counted> bySlot = new ArrayList<>();
    /** By incoming pod; valid until a group is added or removed. */
    private final LinkedHashMap<Target, CachedTerms> termsByPod = new LinkedHashMap<>(16, 0.75f, true);

    /** The node label keys when {@link #termsByPod} was filled. */
    private Set<String> topologyKeys = Set.of();

    private int invalidGroups;
    private int groupsSelectingNamespaces;
    private long seen;
    /** Incremented when a group is added or removed. */
    private long version;

    PodsWithAffinity(ClusterIndex index) {
        this.index = index;
    }

    void refresh() {
        NodeTable table = index.table();
        while (bySlot.size() < table.size()) {
            bySlot.add(Counted.NOTHING);
        }
        if (seen != table.generation()) {
            table.changedSince(seen, this::recount);
            seen = table.generation();
        }
    }

    @SuppressWarnings("ReferenceEquality") // mostly unchanged
    private void recount(int slot) {
        Counted old = bySlot.get(slot);
        NodeInfo node = index.table().at(slot);
        List<PodInfo> now = node == null ? List.of() : node.podsWithAffinity();
        int same = 0;
        while (same < now.size() && same < old.pods.length && now.get(same) == old.pods[same]) {
            same++;
        }
        if (same == now.size() && same == old.pods.length) {
            return;
        }
        for (int i = same; i < old.pods.length; i++) {
            count(old.groups[i], slot, -1);
        }
        Group[] of = new Group[now.size()];
        System.arraycopy(old.groups, 0, of, 0, same);
        for (int i = same; i < of.length; i++) {
            of[i] = groupOf(now.get(i));
            count(of[i], slot, 1);
        }
        bySlot.set(slot, new Counted(now.toArray(PodInfo[]::new), of));
    }

    private Group groupOf(PodInfo pod) {
        Key key = new Key(pod.namespace(), pod.affinity());
        Group group = groups.get(key);
        if (group == null) {
            group = new Group(key, pod);
            groups.put(key, group);
            invalidGroups += group.invalid ? 1 : 0;
            groupsSelectingNamespaces += group.selectsNamespaces ? 1 : 0;
            version++;
        }
        return group;
    }

    private void count(Group group, int slot, int change) {
        group.countBySlot.merge(slot, change, (a, b) -> a + b == 0 ? null : a + b);
        if (group.countBySlot.isEmpty()) {
            groups.remove(group.key);
            invalidGroups -= group.invalid ? 1 : 0;
            groupsSelectingNamespaces -= group.selectsNamespaces ? 1 : 0;
            version++;
        }
    }

    /** True if some selector is invalid, so that results depend on the order of pods. */
    public boolean anyInvalid() {
        return invalidGroups > 0;
    }

    /** True if some term has a namespace selector, which {@link #termsMatching} ignores. */
    public boolean anySelectsNamespaces() {
        return groupsSelectingNamespaces > 0;
    }

    /**
     * The terms of all groups that match {@code pod}, by its namespace and labels only. Terms with a topology key that no node has
     * are omitted.
     */
    public List<GroupTerms> termsMatching(PodInfo pod) {
        Set<String> keys = index.topologyKeys();
        if (!topologyKeys.equals(keys)) {
            topologyKeys = keys;
            version++;
        }
        Target target = new Target(pod.namespace(), pod.labels());
        CachedTerms known = termsByPod.get(target);
        if (known == null || known.version() != version) {
            known = new CachedTerms(version, work(pod));
            termsByPod.put(target, known);
            if (termsByPod.size() > MAX_TARGETS) {
                termsByPod.remove(termsByPod.keySet().iterator().next());
            }
        }
        return known.terms();
    }

    private List<GroupTerms> work(PodInfo pod) {
        List<GroupTerms> found = new ArrayList<>(0);
        for (Group group : groups.values()) {
            Affinity.PodTerms affinity = group.example.affinity().podAffinity();
            if (affinity != null) {
                add(found, group, Kind.REQUIRED, affinity.requiredIndex(), 0, pod);
                add(found, group, Kind.PREFERRED, affinity.preferredIndex(), 1, pod);
            }
            Affinity.PodTerms anti = group.example.affinity().podAntiAffinity();
            if (anti != null) {
                add(found, group, Kind.REQUIRED_ANTI, anti.requiredIndex(), 0, pod);
                add(found, group, Kind.PREFERRED, anti.preferredIndex(), -1, pod);
            }
        }
        return List.copyOf(found);
    }

    /** Adds terms whose topology key some node has; others have no effect. */
    private void add(List<GroupTerms> found, Group group, Kind kind, PodTermIndex terms, int sign, PodInfo pod) {
        Set<String> keys = terms.topologyKeys();
        if (keys.isEmpty()) {
            return;
        }
        PodTermIndex.NamespaceRule rule = PodTermIndex.NamespaceRule.first(group.example.namespace(), pod.namespace());
        boolean fewer = keys.size() <= topologyKeys.size();
        for (String key : fewer ? keys : topologyKeys) {
            if (fewer && !topologyKeys.contains(key)) {
                continue;
            }
            PodTermIndex.Meant matching = terms.meaning(key, pod.labels(), rule);
            if (matching.terms() > 0) {
                found.add(new GroupTerms(group, kind, key, matching.terms(), sign * matching.weight()));
            }
        }
    }

    private static boolean hasInvalidSelector(Affinity.@Nullable PodTerms terms) {
        return terms != null && (terms.requiredError() != null || terms.preferredError() != null);
    }
}
