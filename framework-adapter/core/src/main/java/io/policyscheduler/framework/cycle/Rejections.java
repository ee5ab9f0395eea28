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
final class Rejections {
    private final @Nullable Notes notes;
    private final Map<String, Integer> reasons = new HashMap<>();
    private final Set<String> by = new HashSet<>();
    private final Set<String> pending = new HashSet<>();
    private String lastPlugin = "";
    private @Nullable Status lastStatus;
    /** How often {@link #lastStatus} has been met and not been counted yet. */
    private int uncounted;

    /** @param notes are told which node is rejected for what; null when nobody wants to know */
    Rejections(@Nullable Notes notes) {
        this.notes = notes;
    }

    /** A filter rejects a node. */
    @SuppressWarnings("ReferenceEquality") // neighbours mostly fail for the same reason, which is the same object then
    void add(NodeInfo node, String plugin, Status status) {
        if (!plugin.equals(lastPlugin)) {
            lastPlugin = plugin;
            by.add(plugin);
        }
        if (notes != null) {
            notes.rejected(node.name(), status.reasons());
        }
        if (status != lastStatus) {
            countLast();
            lastStatus = status;
        }
        if (status.code() == Status.Code.PENDING) {
            pending.add(plugin);
        }
        uncounted++;
    }

    private void countLast() {
        if (lastStatus != null && uncounted > 0) {
            for (String text : lastStatus.reasons()) {
                add(text, uncounted);
            }
        }
        uncounted = 0;
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
        countLast();
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
