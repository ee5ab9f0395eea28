package io.policyscheduler.framework.grown;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.WaitingPods;
import java.time.Clock;

/**
 * A plugin of current releases outside of a profile: made anew for each pod, with the cluster of that attempt.
 *
 * @param factory makes it
 * @param args its arguments
 * @param release the release in which it decides
 */
record GrownPlugin(PluginFactory factory, JsonNode args, Release release) {
    /** In the newest release. */
    GrownPlugin(PluginFactory factory, JsonNode args) {
        this(factory, args, Release.NEWEST);
    }

    /** Nobody asks such a plugin for the time. */
    private static final Clock CLOCK = Clock.systemUTC();

    private record Handle(JsonNode args, StateKeys stateKeys, ClusterView cluster, Release release)
            implements PluginHandle {
        @Override
        public String profile() {
            return "";
        }

        @Override
        public WaitingPods waitingPods() {
            return WaitingPods.NONE;
        }

        @Override
        public Clock clock() {
            return CLOCK;
        }
    }

    /** The plugin for one attempt. */
    Plugin make(ClusterView cluster, StateKeys keys) {
        return factory.create(new Handle(args, keys, cluster, release));
    }
}
