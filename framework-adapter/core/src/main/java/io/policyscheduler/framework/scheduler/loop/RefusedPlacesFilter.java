package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import java.time.InstantSource;
import java.util.Map;

/** Leaves out nodes whose kubelets have just refused such a pod. Part of every profile that runs; no release has its like. */
public final class RefusedPlacesFilter implements PreFilterPlugin, FilterPlugin {
    private static final String NAME = "RefusedPlaces";

    private final RefusedPlaces places;
    private final InstantSource clock;
    private final StateKey<Map<String, String>> waiting;

    /** @param keys of the profile that the plugin becomes part of */
    public RefusedPlacesFilter(RefusedPlaces places, InstantSource clock, StateKeys keys) {
        this.places = places;
        this.clock = clock;
        this.waiting = keys.create(NAME, Map::copyOf);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        Map<String, String> nodes = places.waitingFor(context.pod(), clock.instant());
        if (nodes.isEmpty()) {
            return PreFilterResult.SKIP;
        }
        state.write(waiting, nodes);
        return PreFilterResult.ALL_NODES;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Map<String, String> nodes = state.find(waiting);
        if (nodes == null) {
            return Status.SUCCESS;
        }
        String reason = nodes.get(node.name());
        if (RefusedPlaces.EXEMPT.equals(reason)) {
            return Status.SUCCESS;
        }
        if (reason != null) {
            // Preemption does not change the result of the kubelet.
            return Status.unresolvable("node(s) rejected a similar pod (" + reason + ")");
        }
        String others = nodes.get(RefusedPlaces.ALL_NODES);
        return others == null
                ? Status.SUCCESS
                : Status.unresolvable("node(s) avoided because other nodes rejected a similar pod (" + others + ")");
    }
}
