package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import java.util.IdentityHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the plugins that may block, and knows which profiles have some running, so that no plugin is closed at its work. Belongs to
 * the scheduling thread.
 */
public final class PluginCalls {
    private static final Logger log = LoggerFactory.getLogger(PluginCalls.class);

    private final Executor executor;
    private final EventInbox inbox;
    private final IdentityHashMap<ProfileRuntime, Integer> running = new IdentityHashMap<>();

    /** @param executor runs plugins; must not run them on the scheduling thread if they may block */
    public PluginCalls(Executor executor, EventInbox inbox) {
        this.executor = executor;
        this.inbox = inbox;
    }

    /** Runs plugins of the profile. While the program ends nothing is taken any more; the pod is left to the next scheduler. */
    void run(ProfileRuntime runtime, Runnable plugins) {
        running.merge(runtime, 1, Integer::sum);
        try {
            executor.execute(() -> {
                try {
                    plugins.run();
                } finally {
                    inbox.post(new ClusterChange.Task("the end of a plugin call", () -> ended(runtime)));
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("no more plugin calls: {}", e.getMessage());
            ended(runtime);
        }
    }

    private void ended(ProfileRuntime runtime) {
        running.computeIfPresent(runtime, (key, count) -> count == 1 ? null : count - 1);
    }

    boolean isRunning(ProfileRuntime runtime) {
        return running.containsKey(runtime);
    }
}
