package io.policyscheduler.framework.extender;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An extender's answer to a filter call.
 *
 * @param nodes names of the nodes that stay, in the order of the answer
 * @param failed node to the reason it; naming a node here does not remove it
 * @param unresolvable the same for nodes where preemption would not help; 1.17 does not know of them
 */
public record FilterAnswer(
        List<String> nodes, SortedMap<String, String> failed, SortedMap<String, String> unresolvable) {
    public FilterAnswer {
        nodes = List.copyOf(nodes);
        failed = Collections.unmodifiableSortedMap(new TreeMap<>(failed));
        unresolvable = Collections.unmodifiableSortedMap(new TreeMap<>(unresolvable));
    }

    /** An answer that leaves all nodes to preemption. */
    public FilterAnswer(List<String> nodes, SortedMap<String, String> failed) {
        this(nodes, failed, Collections.emptySortedMap());
    }
}
