package io.policyscheduler.framework.insight.lab;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.framework.insight.lab.RunEvents.Order;
import io.policyscheduler.framework.insight.lab.RunSettings.Hazard;
import io.policyscheduler.framework.insight.lab.RunSettings.Outage;
import io.policyscheduler.framework.insight.lab.SimulatedPods.LivePod;
import io.policyscheduler.framework.insight.lab.TraceRun.End;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a run: those of the trace and of the autoscaler, as they come, change, fail, are drained, and go. Belongs to one thread.
 */
final class SimulatedNodes {
    /**
     * A node that has failed.
     *
     * @param node as it returns
     * @param untilNanos when it returns
     */
    private record AwayNode(Node node, long untilNanos) {
        AwayNode with(Node other) {
            return new AwayNode(other, untilNanos);
        }
    }

    private final RunEvents events;
    private final RunSettings settings;
    private final long endNanos;
    private final SimulatedPods pods;
    private final Map<String, Node> nodes;
    /** Numbers the appearances of the nodes that are there, so that a failure hits the node for which it was drawn. */
    private final Map<String, Long> appearances = new HashMap<>();

    private final Map<String, AwayNode> away = new HashMap<>();
    /** Nodes whose notice has begun. */
    private final Set<String> reclaimed = new HashSet<>();
    /** By hazard and node. */
    private final Map<String, SplittableRandom> hazardDraws = new HashMap<>();

    private long appeared;

    /**
     * Creates nodes for a run that has not begun.
     *
     * @param endNanos the end of the trace
     * @param nodes where the nodes that are there are kept, by name; empty
     */
    SimulatedNodes(RunEvents events, RunSettings settings, long endNanos, SimulatedPods pods, Map<String, Node> nodes) {
        this.events = events;
        this.settings = settings;
        this.endNanos = endNanos;
        this.pods = pods;
        this.nodes = nodes;
    }

    /** Returns the nodes that are there, as a view. */
    Collection<Node> all() {
        return Collections.unmodifiableCollection(nodes.values());
    }

    /** Returns a node that is there; null if there is none. */
    @Nullable
    Node get(String name) {
        return nodes.get(name);
    }

    /** The run begins with these nodes. The caller posts them as one list. */
    void begin(List<Node> first) {
        for (Node node : first) {
            nodes.put(node.name(), node);
            events.each(one -> one.node(node));
            appear(node);
        }
    }

    /** The outages of the settings come to pass. */
    void scheduleOutages() {
        for (Outage outage : settings.outages()) {
            events.at(outage.atNanos(), Order.NODES, () -> {
                if (outage.drains()) {
                    drain(outage);
                } else {
                    fail(outage.node(), outage.forNanos());
                }
            });
        }
    }

    /** A node is created or changes in the trace. */
    void upserted(Node node) {
        AwayNode failed = away.get(node.name());
        if (reclaimed.contains(node.name())) {
            // It stays cordoned until it is removed.
            if (failed == null) {
                put(node.withUnschedulable(true));
            }
        } else if (failed == null) {
            put(node);
        } else {
            away.put(node.name(), failed.with(node));
        }
    }

    /** A node is deleted in the trace. */
    void deleted(String name) {
        away.remove(name);
        reclaimed.remove(name);
        remove(name);
    }

    private void fail(String name, long forNanos) {
        Node node = remove(name);
        if (node == null || forNanos == ClusterTrace.NONE) {
            return;
        }
        away.put(name, new AwayNode(node, events.nanos() + forNanos));
        events.at(events.nanos() + forNanos, Order.NODES, () -> {
            AwayNode failed = away.get(name);
            // The trace may have deleted the node, which is then another one.
            if (failed != null && failed.untilNanos() == events.nanos()) {
                away.remove(name);
                put(failed.node());
            }
        });
    }

    /** A node is there, from the start or again: draws when it fails. Exponential times do not depend on how long it was there before. */
    private void appear(Node node) {
        long number = appeared++;
        appearances.put(node.name(), number);
        for (Hazard hazard : settings.hazards()) {
            if (hazard.nodes().test(node)) {
                Duration repair = hazard.repair();
                LoadScenario.Purpose purpose =
                        repair == null ? LoadScenario.Purpose.RECLAIM : LoadScenario.Purpose.FAILURE;
                SplittableRandom draws = hazardDraws.computeIfAbsent(
                        purpose + "/" + hazard.name() + "/" + node.name(),
                        any -> LoadScenario.random(settings.seed(), purpose, hazard.name() + "/" + node.name()));
                long at = later(draws, hazard.between());
                if (at < endNanos) {
                    events.at(at, Order.NODES, () -> {
                        if (Objects.equals(appearances.get(node.name()), number)) {
                            if (repair == null) {
                                reclaim(node.name());
                            } else {
                                fail(node.name(), later(draws, repair) - events.nanos());
                            }
                        }
                    });
                }
            }
        }
    }

    private void reclaim(String name) {
        Node node = nodes.get(name);
        if (node == null || !reclaimed.add(name)) {
            return;
        }
        drain(node);
        events.in(Hazard.NOTICE, Order.NODES, () -> {
            if (reclaimed.contains(name)) {
                removeDrained(name);
            }
        });
    }

    /** Removes a node with the pods that a drain leaves; returns false if it is not there. One that failed before does not return. */
    boolean removeDrained(String name) {
        reclaimed.remove(name);
        pods.on(name).stream()
                .filter(live -> SimulatedPods.staysOnNode(live.pod))
                .forEach(live -> pods.end(live.pod.uid(), End.DELETED));
        return remove(name) != null | away.remove(name) != null;
    }

    /** Returns the time after a random duration; if it is after the trace, the end of the trace. */
    private long later(SplittableRandom draws, Duration mean) {
        // StrictMath gives the same digits on each machine.
        double duration = -StrictMath.log1p(-draws.nextDouble()) * mean.toNanos();
        long left = endNanos - events.nanos();
        return events.nanos() + (duration < left ? (long) duration : left);
    }

    /** Removes a node with its pods; returns null if there is none. */
    private @Nullable Node remove(String name) {
        Node node = nodes.remove(name);
        if (node == null) {
            return null;
        }
        appearances.remove(name);
        pods.on(node.name()).forEach(live -> pods.end(live.pod.uid(), End.NODE_LOST));
        events.each(one -> one.nodeRemoved(node.name()));
        events.post(new ClusterChange.NodeDeleted(node.name()));
        return node;
    }

    private void drain(Outage outage) {
        Node node = nodes.get(outage.node());
        if (node == null) {
            return;
        }
        drain(node);
        if (outage.forNanos() != ClusterTrace.NONE) {
            events.at(
                    events.nanos() + outage.forNanos(),
                    Order.NODES,
                    () -> uncordon(outage.node(), node.unschedulable()));
        }
    }

    private void uncordon(String name, boolean unschedulable) {
        Node node = nodes.get(name);
        AwayNode failed = away.get(name);
        if (reclaimed.contains(name)) {
            return;
        }
        if (node != null) {
            put(node.withUnschedulable(unschedulable));
        } else if (failed != null) {
            away.put(name, failed.with(failed.node().withUnschedulable(unschedulable)));
        }
    }

    /** Cordons a node and evicts its pods. */
    void drain(Node node) {
        put(node.withUnschedulable(true));
        for (LivePod live : pods.on(node.name())) {
            if (!SimulatedPods.staysOnNode(live.pod)) {
                pods.evict(live, End.EVICTED);
            }
        }
    }

    /** A node is there from now on, or has changed. */
    void put(Node node) {
        boolean isNew = nodes.put(node.name(), node) == null;
        events.each(one -> one.node(node));
        events.post(new ClusterChange.NodeUpserted(node));
        if (isNew) {
            appear(node);
            pods.nodeAppeared(node.name());
        }
    }
}
