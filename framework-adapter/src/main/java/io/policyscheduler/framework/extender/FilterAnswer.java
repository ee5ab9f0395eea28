package io.policyscheduler.framework.extender;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An extender's answer to a filter call.
 *
 * @param nodes names of the nodes that stay, in the order of the answer
 * @param failed node to the reason against it; naming a node here does not remove it
 */
public record FilterAnswer(List<String> nodes, SortedMap<String, String> failed) {
    public FilterAnswer {
        nodes = List.copyOf(nodes);
        failed = Collections.unmodifiableSortedMap(new TreeMap<>(failed));
    }
}
