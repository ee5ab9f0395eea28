package io.policyscheduler.framework.modern;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.framework.modern.NodeResourcesFit.Hints;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Requires free host ports. Mirrors {@code pkg/scheduler/framework/plugins/nodeports}. */
public final class NodePorts implements PreFilterPlugin, CacheableFilter, EnqueueExtensions, SignPlugin {
    public static final String NAME = "NodePorts";

    private static final Status TAKEN =
            Status.unschedulable("node(s) didn't have free ports for the requested pod ports");

    private final StateKey<List<HostPort>> key;

    /** Creates the plugin for a profile. */
    public NodePorts(PluginHandle handle) {
        this.key = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(EventHint.of(NodePorts::freesPort, POD, DELETE), EventHint.of(Hint.ALWAYS, NODE, ADD));
    }

    private static boolean freesPort(PodInfo pod, ObjectEvent event) {
        PodInfo deleted = event.pod();
        return Hints.wasAssignedOrNominated(deleted)
                && hostPorts(deleted).stream()
                        .anyMatch(port -> hostPorts(pod).stream().anyMatch(port::conflictsWith));
    }

    private static List<HostPort> hostPorts(PodInfo pod) {
        List<HostPort> ports = new ArrayList<>();
        for (Container container : pod.spec().containers()) {
            if (container.runsOn()) {
                ports.addAll(container.hostPorts());
            }
        }
        return ports;
    }

    /** Only the numbers of the ports count, not their protocols and addresses. */
    @Override
    public Map<String, Object> sign(PodInfo pod) {
        return Map.of(
                "host ports",
                pod.spec().containers().stream()
                        .flatMap(container -> container.hostPorts().stream())
                        .map(HostPort::port)
                        .collect(toImmutableSet()));
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        List<HostPort> ports = hostPorts(context.pod());
        if (ports.isEmpty()) {
            return PreFilterResult.SKIP;
        }
        state.write(key, List.copyOf(ports));
        return PreFilterResult.ALL_NODES;
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        return FilterReads.of(state.read(key));
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        List<HostPort> ports = state.read(key);
        for (int i = 0; i < ports.size(); i++) {
            if (node.currentPortConflict(ports.get(i))) {
                return TAKEN;
            }
        }
        return Status.SUCCESS;
    }
}
