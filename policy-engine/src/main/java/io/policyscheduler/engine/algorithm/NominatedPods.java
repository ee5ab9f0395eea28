package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;

/** Pods that preemption has promised a place. */
public interface NominatedPods {
    /** Nobody is nominated. */
    NominatedPods NONE = new NominatedPods() {
        @Override
        public List<PodInfo> on(String node) {
            return List.of();
        }

        @Override
        public boolean isEmpty() {
            return true;
        }
    };

    /** Pods nominated to {@code node}, in the order of nomination. */
    List<PodInfo> on(String node);

    /** True only when nobody is nominated to any node, so that there is no need to ask about each. */
    default boolean isEmpty() {
        return false;
    }
}
