package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pods that preemption has promised a place. */
public interface NominatedPods {
    /** Nobody is nominated. */
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

    /** The nodes that somebody is nominated to, and perhaps others; null when that is not known. */
    default @Nullable Collection<String> nodes() {
        return null;
    }

    /** True only when nobody is nominated to any node, so that there is no need to ask about each. */
    default boolean isEmpty() {
        return false;
    }
}
