package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pods that preemption has nominated to a node. */
public interface NominatedPods {
    /** No pod is nominated. */
    NominatedPods NONE = new NominatedPods() {
        @Override
        public List<PodInfo> on(String node) {
            return List.of();
        }

        @Override
        public Collection<String> nodes() {
            return List.of();
        }

        @Override
        public boolean isEmpty() {
            return true;
        }
    };

    /** Pods nominated to {@code node}, in the order of nomination. */
    List<PodInfo> on(String node);

    /** A superset of the nodes with nominated pods; null if unknown. */
    default @Nullable Collection<String> nodes() {
        return null;
    }

    /** True only if no pod is nominated, so that nodes need not be checked. */
    default boolean isEmpty() {
        return false;
    }
}
