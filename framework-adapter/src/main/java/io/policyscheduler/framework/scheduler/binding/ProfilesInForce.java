package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.Profiles;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The profiles that decide now, and former ones as long as their plugins may yet be called. */
public final class ProfilesInForce {
    private final PodsInFlight inFlight;
    private final PluginCalls calls;
    private final List<ProfileRuntime> retired = new ArrayList<>();
    private Profiles profiles;

    /** @param calls those of plugins that may block */
    public ProfilesInForce(Profiles profiles, PodsInFlight inFlight, PluginCalls calls) {
        this.profiles = profiles;
        this.inFlight = inFlight;
        this.calls = calls;
    }

    /** The profiles that decide now. */
    public Profiles all() {
        return profiles;
    }

    /** The profile that the pod names; null when it is not ours. */
    public @Nullable ProfileRuntime find(PodInfo pod) {
        return profiles.find(pod);
    }

    /** True for a pod that names one of the profiles. */
    public boolean isOurs(PodInfo pod) {
        return profiles.find(pod) != null;
    }

    /** Puts other profiles in force. */
    public void replace(Profiles next) {
        retired.addAll(profiles.runtimes());
        profiles = next;
    }

    /** Tells the plugins of former profiles of their end, once no pod that these decided is on its way any more. */
    public void closeUnused() {
        retired.removeIf(runtime -> {
            boolean isUsed = inFlight.isUsing(runtime) || calls.isRunning(runtime);
            if (!isUsed) {
                runtime.profile().close();
            }
            return !isUsed;
        });
    }

    /** The end: no pod is decided any more, and all plugins are told. */
    public void closeAll() {
        retired.addAll(profiles.runtimes());
        retired.forEach(runtime -> runtime.profile().close());
        retired.clear();
    }

    /** Runs plugins that may block. */
    void call(ProfileRuntime runtime, Runnable plugins) {
        calls.run(runtime, plugins);
    }
}
