package io.policyscheduler.framework.insight.lab;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.lab.RunEvents.Order;
import io.policyscheduler.framework.insight.lab.RunMetrics.Count;
import io.policyscheduler.framework.insight.lab.SimulatedPods.LivePod;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The cluster as the autoscaler of a run receives it: the changes since its last look. */
final class AutoscaledCluster implements NodeGroups.Cluster {
    private final RunEvents events;
    private final SimulatedNodes nodes;
    private final SimulatedPods pods;
    private final Duration grace;

    private final List<ClusterChange> unseenObjects = new ArrayList<>();
    private final Set<String> unseenNodes = new LinkedHashSet<>();
    /** UIDs. */
    private final Set<String> unseenPods = new LinkedHashSet<>();

    /** @param grace time from the eviction of a pod until it is gone */
    AutoscaledCluster(RunEvents events, SimulatedNodes nodes, SimulatedPods pods, Duration grace) {
        this.events = events;
        this.nodes = nodes;
        this.pods = pods;
        this.grace = grace;
        events.addReceiver(this::add);
    }

    private void add(ClusterChange change) {
        if (change instanceof ClusterChange.PodUpserted upserted) {
            unseenPods.add(upserted.pod().uid());
        } else if (change instanceof ClusterChange.PodDeleted deleted) {
            unseenPods.add(deleted.uid());
        } else if (change instanceof ClusterChange.PodsReplaced replaced) {
            replaced.pods().forEach(pod -> unseenPods.add(pod.uid()));
        } else if (change instanceof ClusterChange.NodeUpserted upserted) {
            unseenNodes.add(upserted.node().name());
        } else if (change instanceof ClusterChange.NodeDeleted deleted) {
            unseenNodes.add(deleted.name());
        } else if (change instanceof ClusterChange.NodesReplaced replaced) {
            replaced.nodes().forEach(node -> unseenNodes.add(node.name()));
        } else {
            unseenObjects.add(change);
        }
    }

    /** A scheduling decision about a pod was made. */
    void decided(String uid) {
        unseenPods.add(uid);
    }

    @Override
    public long nanos() {
        return events.nanos();
    }

    @Override
    public Clock clock() {
        return events.clock();
    }

    @Override
    public long revision() {
        return events.revision();
    }

    @Override
    public Collection<Node> nodes() {
        return nodes.all();
    }

    @Override
    public @Nullable Node node(String name) {
        return nodes.get(name);
    }

    @Override
    public void changes(NodeGroups.ChangeListener receiver) {
        unseenObjects.forEach(receiver::changed);
        unseenNodes.forEach(name -> receiver.node(name, nodes.get(name)));
        for (String uid : unseenPods) {
            LivePod live = pods.get(uid);
            if (live == null) {
                receiver.gone(uid);
            } else {
                boolean isDecided = live.pod.nodeName().isEmpty() && !live.target.isEmpty();
                receiver.pod(live.order, isDecided ? live.pod.withNodeName(live.target) : live.pod);
            }
        }
        unseenObjects.clear();
        unseenNodes.clear();
        unseenPods.clear();
    }

    private LivePod live(PodInfo pod) {
        return Objects.requireNonNull(pods.get(pod.uid()), pod.key());
    }

    @Override
    public boolean isBound(PodInfo pod) {
        return live(pod).bound != ClusterTrace.NONE;
    }

    @Override
    public boolean isUnschedulable(PodInfo pod) {
        return pod.nodeName().isEmpty()
                && pod.nominatedNodeName().isEmpty()
                && !pod.terminating()
                && live(pod).unschedulable;
    }

    @Override
    public boolean isReplaced(PodInfo pod) {
        return SimulatedPods.source(live(pod)).restarts();
    }

    @Override
    public long touched(String node) {
        return pods.touched(node);
    }

    @Override
    public void add(Node node) {
        pods.touch(node.name());
        events.each(one -> one.count(Count.NODES_STARTED));
        nodes.put(node);
    }

    @Override
    public void drain(Node node) {
        nodes.drain(node);
        events.in(grace, Order.AUTOSCALER, () -> {
            if (nodes.removeDrained(node.name())) {
                events.each(one -> one.count(Count.NODES_STOPPED));
            }
        });
    }

    @Override
    public void later(Duration delay, Runnable action) {
        events.in(delay, Order.NODES, action);
    }
}
