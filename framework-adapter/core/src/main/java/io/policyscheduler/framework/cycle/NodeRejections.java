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

/** Counts rejection reasons and rejecting plugins of one attempt. */
final class NodeRejections {
    private final @Nullable Notes notes;
    private final Map<String, Integer> reasons = new HashMap<>();
    private final Set<String> by = new HashSet<>();
    private final Set<String> pending = new HashSet<>();
    /**
     * Statuses that are counted but not yet added to {@link #reasons}. Most nodes fail for few reasons, which are the same objects.
     */
    private final @Nullable Status[] met = new @Nullable Status[16];

    private final String[] metBy = new String[met.length];
    private final int[] metNodes = new int[met.length];
    private int metCount;
    private int last;

    /** @param notes records rejected nodes by reason; null if not needed */
    NodeRejections(@Nullable Notes notes) {
        this.notes = notes;
    }

    /** Adds the rejection of a node by a filter. */
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

    /** Adds reasons of a node. */
    void add(String node, List<String> texts) {
        if (notes != null) {
            notes.rejected(node, texts);
        }
        for (String text : texts) {
            add(text, 1);
        }
    }

    /** Adds one reason of several nodes. */
    void add(String text, int nodes) {
        reasons.merge(text, nodes, Integer::sum);
    }

    /** Adds a plugin that rejected nodes. */
    void by(String plugin) {
        by.add(plugin);
    }

    /** The number of nodes by reason. */
    Map<String, Integer> reasons() {
        countMet();
        return reasons;
    }

    /** Names of the rejecting plugins. */
    Set<String> by() {
        return by;
    }

    /** Names of the plugins that returned the code {@code PENDING}. */
    Set<String> pending() {
        return pending;
    }

    /** The first nodes that were rejected for each reason. */
    static final class Notes {
        private static final Comparator<Rejection> ORDER =
                Comparator.comparingInt(Rejection::nodes).reversed().thenComparing(Rejection::reason);

        private final Map<String, List<String>> names = new HashMap<>();
        private @Nullable String fullReason;

        /** Records a rejected node. */
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

        /** The most frequent reasons, with the recorded names. */
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
