package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;

/**
 * Orders pods by importance: higher priority first, then earlier start. A pod without a start time counts as starting at the
 * moment of the comparison, so of two such pods the first argument always looks older; only the exact sort of the original
 * gives the original's order. Mirrors {@code MoreImportantPod} of {@code pkg/scheduler/util/utils.go}.
 */
final class Importance {
    private Importance() {}

    static boolean isMore(PodInfo a, PodInfo b) {
        if (a.priority() != b.priority()) {
            return a.priority() > b.priority();
        }
        if (a.startTimeMillis() == PodInfo.NO_TIME) {
            return b.startTimeMillis() == PodInfo.NO_TIME;
        }
        return b.startTimeMillis() == PodInfo.NO_TIME || a.startTimeMillis() < b.startTimeMillis();
    }

    /** Insertion sort, as Go does for short slices. */
    static void sort(List<PodInfo> pods) {
        for (int i = 1; i < pods.size(); i++) {
            for (int j = i; j > 0 && isMore(pods.get(j), pods.get(j - 1)); j--) {
                PodInfo swap = pods.get(j);
                pods.set(j, pods.get(j - 1));
                pods.set(j - 1, swap);
            }
        }
    }
}
