package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A plugin that names the parts of a pod that its filter and its scores depend on. If all plugins of a profile do, the scheduler of
 * 1.35 and later tries the next best node of a pod first for the next pod with equal parts: opportunistic batching. Mirrors
 * {@code SignPlugin} of {@code k8s.io/kube-scheduler/framework}.
 */
public interface SignPlugin extends Plugin {
    /** Returns whether {@link #sign} can return a signature. Read once; if false, the profile signs no pod. */
    default boolean signsPods() {
        return true;
    }

    /**
     * Returns the parts of the pod by name. Plugins that read the same part use the same name and value.
     *
     * @return values with {@code equals}; null if results for the pod also depend on other objects, so that it is not batched
     */
    @Nullable
    Map<String, Object> sign(PodInfo pod);
}
