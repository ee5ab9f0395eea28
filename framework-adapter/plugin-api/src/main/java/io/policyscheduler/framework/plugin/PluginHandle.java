package io.policyscheduler.framework.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import java.time.Clock;

/** What a plugin gets when it is made. */
public interface PluginHandle {
    /** The scheduler name whose profile the plugin is for. */
    String profile();

    /** The plugin's arguments from {@code pluginConfig}; a missing node when there are none. */
    JsonNode args();

    /** Makes the keys of what the plugin keeps during a cycle. */
    StateKeys stateKeys();

    /** The cluster as the scheduler sees it. Only to be read by methods called on the scheduling thread. */
    ClusterView cluster();

    /** The pods that wait at permit. */
    WaitingPods waitingPods();

    /** The API server; {@link ApiConnection#NONE} where pods are decided offline. */
    default ApiConnection api() {
        return ApiConnection.NONE;
    }

    /** The scheduler's clock. */
    Clock clock();

    /** The release of Kubernetes whose decisions the profile makes. */
    default Release release() {
        return Release.NEWEST;
    }
}
