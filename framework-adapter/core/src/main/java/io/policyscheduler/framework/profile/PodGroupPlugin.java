package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PermitPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.Map;

/**
 * The plugins for groups of pods, which configurations can enable since 1.35 and 1.36. All of them do nothing, because the feature
 * gates of groups are off by default: the API server then drops the group of a pod. Mirrors {@code plugins/gangscheduling} and
 * {@code plugins/topologyaware}.
 *
 * @param name of the plugin
 * @param generatesPlacements whether it is a plugin of {@code placementGenerate}
 * @param scoresPlacements whether it is a plugin of {@code placementScore}
 */
public record PodGroupPlugin(String name, boolean generatesPlacements, boolean scoresPlacements) implements Plugin {
    /** Returns the plugins by name. */
    public static Map<String, PluginFactory> factories() {
        return Map.of(
                PluginNames.GANG_SCHEDULING,
                handle -> new GangScheduling(),
                PluginNames.TOPOLOGY_PLACEMENT_GENERATOR,
                handle -> new PodGroupPlugin(PluginNames.TOPOLOGY_PLACEMENT_GENERATOR, true, false),
                PluginNames.POD_GROUP_PODS_COUNT,
                handle -> new PodGroupPlugin(PluginNames.POD_GROUP_PODS_COUNT, false, true));
    }

    /** Admits all pods. */
    private static final class GangScheduling implements PreEnqueuePlugin, PermitPlugin {
        @Override
        public String name() {
            return PluginNames.GANG_SCHEDULING;
        }

        @Override
        public Status preEnqueue(PodInfo pod) {
            return Status.SUCCESS;
        }

        @Override
        public Answer permit(CycleState state, PodInfo pod, String node) {
            return Answer.APPROVED;
        }
    }
}
