package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.cycle.AttemptDetails.Rejection;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts why nodes are rejected in one attempt, and by whom. */
final class NodeRejections {
    private final @Nullable Notes notes;
    private final Map<String, Integer> reasons = new HashMap<>();
    private final Set<String> by = new HashSet<>();
    private final Set<String> pending = new HashSet<>();
    /** Statuses that were met and not added to {@link #reasons} yet: nodes mostly fail for few reasons, which are the same objects then. */
    private final @Nullable Status[] met = new @Nullable Status[16];

    private final String[] metBy = new String[met.length];
    private final int[] metNodes = new int[met.length];
    private int metCount;
    private int last;

    /** @param notes are told which node is rejected for what; null when nobody wants to know */
    NodeRejections(@Nullable Notes notes) {
        this.notes = notes;
    }

    /** A filter rejects a node. */
    void add(NodeInfo node, String plugin, Status status) {
        if (notes != null) {
            notes.rejected(node.name(), status.reasons());
        }
        metNodes[slotOf(plugin, status)]++;
    }

    @SuppressWarnings("ReferenceEquality") // equal statuses in two slots give the same counts
    private int slotOf(String plugin, Status status) {
        if (last < metCount && met[last] == status && metBy[last].equals(plugin)) {
            return last;
        }
        for (int i = 0; i < metCount; i++) {
            if (met[i] == status && metBy[i].equals(plugin)) {
                last = i;
                return i;
            }
        }
        if (metCount == met.length) {
            countMet();
        }
        by.add(plugin);
        if (status.code() == Status.Code.PENDING) {
            pending.add(plugin);
        }
        last = metCount++;
        met[last] = status;
        metBy[last] = plugin;
        metNodes[last] = 0;
        return last;
    }

    private void countMet() {
        for (int i = 0; i < metCount; i++) {
            Status status = met[i];
            if (status != null) {
                for (String text : status.reasons()) {
                    add(text, metNodes[i]);
                }
            }
        }
        metCount = 0;
        last = 0;
    }

    /** Counts reasons against a node. */
    void add(String node, List<String> texts) {
        if (notes != null) {
            notes.rejected(node, texts);
        }
        for (String text : texts) {
            add(text, 1);
        }
    }

    /** Counts one reason several nodes. */
    void add(String text, int nodes) {
        reasons.merge(text, nodes, Integer::sum);
    }

    /** Somebody has rejected nodes. */
    void by(String plugin) {
        by.add(plugin);
    }

    /** How many nodes there are for each reason. */
    Map<String, Integer> reasons() {
        countMet();
        return reasons;
    }

    /** Names of the plugins. */
    Set<String> by() {
        return by;
    }

    /** Names of those that wait for something outside of the cluster. */
    Set<String> pending() {
        return pending;
    }

    /** The names of the first nodes that were rejected for each reason. */
    static final class Notes {
        private static final Comparator<Rejection> ORDER =
                Comparator.comparingInt(Rejection::nodes).reversed().thenComparing(Rejection::reason);

        private final Map<String, List<String>> names = new HashMap<>();
        private @Nullable String fullReason;

        /** A node was rejected. */
        @SuppressWarnings("ReferenceEquality") // strings of one plugin are the same object
        void rejected(String node, List<String> reasons) {
            if (reasons.size() == 1 && reasons.get(0) == fullReason) {
                return;
            }
            for (String reason : reasons) {
                List<String> known = names.get(reason);
                if (known == null) {
                    if (names.size() == AttemptDetails.MOST_REASONS) {
                        continue;
                    }
                    known = new ArrayList<>();
                    names.put(reason, known);
                }
                if (known.size() == AttemptDetails.MOST_NAMES) {
                    fullReason = reason;
                } else {
                    known.add(node);
                }
            }
        }

        /** The most frequent reasons, with the names that are known. */
        List<Rejection> of(Map<String, Integer> counts) {
            return counts.entrySet().stream()
                    .map(count -> new Rejection(
                            AttemptDetails.bounded(count.getKey()),
                            count.getValue(),
                            names.getOrDefault(count.getKey(), List.of())))
                    .sorted(ORDER)
                    .limit(AttemptDetails.MOST_REASONS)
                    .toList();
        }
    }
}
