package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.function.Consumer;

/** Binds pods to nodes, without blocking. */
@FunctionalInterface
public interface Binder {
    /**
     * Binds {@code pod}, this UID and no other, to {@code node}.
     *
     * @param done to be called exactly once, on any thread, also before this method returns
     */
    void bind(PodInfo pod, String node, Consumer<BindOutcome> done);
}
