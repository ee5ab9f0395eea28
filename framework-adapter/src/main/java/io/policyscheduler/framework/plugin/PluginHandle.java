package io.policyscheduler.framework.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.ClusterView;
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

    /** The scheduler's clock. */
    Clock clock();
}
