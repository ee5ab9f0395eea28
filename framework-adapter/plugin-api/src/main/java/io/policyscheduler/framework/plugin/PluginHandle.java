package io.policyscheduler.framework.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import java.time.Clock;

/** The services for a plugin, passed to its factory. */
public interface PluginHandle {
    /** The scheduler name of the plugin's profile. */
    String profile();

    /** The plugin's arguments from {@code pluginConfig}; a missing node if there are none. */
    JsonNode args();

    /** Creates the keys of the plugin's data in the {@link CycleState}. */
    StateKeys stateKeys();

    /** The scheduler's view of the cluster. Only for methods that are called on the scheduling thread. */
    ClusterView cluster();

    /** The pods that wait at Permit. */
    WaitingPods waitingPods();

    /** The API server; {@link ApiConnection#NONE} in offline commands. */
    default ApiConnection api() {
        return ApiConnection.NONE;
    }

    /** The scheduler's clock. */
    Clock clock();

    /** The release of Kubernetes whose behavior the profile has. */
    default Release release() {
        return Release.NEWEST;
    }
}
