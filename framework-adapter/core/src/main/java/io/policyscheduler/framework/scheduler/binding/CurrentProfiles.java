package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.Profiles;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The current profiles, and former ones while their plugins may still be called. */
public final class CurrentProfiles {
    private final PodsInFlight inFlight;
    private final PluginCalls calls;
    private final List<ProfileRuntime> retired = new ArrayList<>();
    private Profiles profiles;

    /** @param calls runs plugins that may block */
    public CurrentProfiles(Profiles profiles, PodsInFlight inFlight, PluginCalls calls) {
        this.profiles = profiles;
        this.inFlight = inFlight;
        this.calls = calls;
    }

    /** The current profiles. */
    public Profiles all() {
        return profiles;
    }

    /** The profile of the pod; null if it belongs to another scheduler. */
    public @Nullable ProfileRuntime find(PodInfo pod) {
        return profiles.find(pod);
    }

    /** Whether the pod has the scheduler name of a profile. */
    public boolean isOurs(PodInfo pod) {
        return profiles.find(pod) != null;
    }

    /** Replaces the profiles. */
    public void replace(Profiles next) {
        retired.addAll(profiles.runtimes());
        profiles = next;
    }

    /** Closes the plugins of former profiles once no pod of these is being bound. */
    public void closeUnused() {
        retired.removeIf(runtime -> {
            boolean isUsed = inFlight.isUsing(runtime) || calls.isRunning(runtime);
            if (!isUsed) {
                runtime.profile().close();
            }
            return !isUsed;
        });
    }

    /** Shutdown: no pod is scheduled any more, and all plugins are closed. */
    public void closeAll() {
        retired.addAll(profiles.runtimes());
        retired.forEach(runtime -> runtime.profile().close());
        retired.clear();
    }

    /** Runs plugins that may block. */
    void call(ProfileRuntime runtime, Runnable plugins) {
        calls.run(runtime, plugins);
    }

    /**
     * Runs plugins that may block, and tracks the profiles that have running ones, so that no plugin is closed while it runs. Owned
     * by the scheduling thread.
     */
    public static final class PluginCalls {
        private static final Logger log = LoggerFactory.getLogger(PluginCalls.class);

        private final Executor executor;
        private final EventInbox inbox;
        private final IdentityHashMap<ProfileRuntime, Integer> running = new IdentityHashMap<>();

        /** @param executor runs plugins; must not run them on the scheduling thread if they may block */
        public PluginCalls(Executor executor, EventInbox inbox) {
            this.executor = executor;
            this.inbox = inbox;
        }

        /** Runs plugins of the profile. During shutdown, the executor rejects them, and the next scheduler handles the pod. */
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
}
