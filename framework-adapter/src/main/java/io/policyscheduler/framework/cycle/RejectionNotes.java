package io.policyscheduler.framework.cycle;

import io.policyscheduler.framework.cycle.attempt.AttemptDetails;
import io.policyscheduler.framework.cycle.attempt.AttemptDetails.Rejection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of the first nodes that were rejected for each reason. */
final class RejectionNotes {
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
