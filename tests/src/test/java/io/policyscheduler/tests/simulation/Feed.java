package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.StoredObjects.StoredEvent;
import io.policyscheduler.cmd.live.EventHandlers;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * List and watch of one resource by one scheduler process, as a Reflector does it, with everything that can go wrong on the
 * way: late, doubled and overtaking events, broken connections, versions that are no longer known, old lists.
 */
final class Feed {
    private final SimulationRun simulation;
    private final int process;
    private final ClusterLog.Resource resource;
    private final EventHandlers listener;
    private final BiFunction<ObjectNode, String, @Nullable ClusterObject> decoder;
    private final Consumer<Runnable> afterDrain;
    private final RandomChoices random;
    private final boolean lateOther;

    private final TreeSet<Integer> undelivered = new TreeSet<>();
    private final Map<String, Long> lastOfObject = new HashMap<>();
    private SortedMap<String, ObjectNode> shown = new TreeMap<>();
    private int known;
    private int delivered;
    private long last;
    private int epoch;
    private boolean connected;
    private boolean isListed;
    private boolean isStale;

    /**
     * @param decoder reads the JSON of an object of a kind
     * @param afterDrain runs actions after the scheduler has processed the events that were posted before
     */
    Feed(
            SimulationRun simulation,
            int process,
            ClusterLog.Resource resource,
            EventInbox inbox,
            BiFunction<ObjectNode, String, @Nullable ClusterObject> decoder,
            Consumer<Runnable> afterDrain) {
        this.decoder = decoder;
        this.simulation = simulation;
        this.process = process;
        this.resource = resource;
        this.listener = new EventHandlers(inbox, resource.watched);
        this.afterDrain = afterDrain;
        this.random = simulation.random();
        this.lateOther = random.percent(20);
        simulation
                .time()
                .in(random.skewedMillis(simulation.isCalm() ? 50 : 3000), process, name("list"), () -> reconnect(true));
    }

    private String name(String what) {
        return what + " " + resource.watched.resource();
    }

    /** The objects as the scheduler has received them, by namespace and name. */
    SortedMap<String, ObjectNode> shown() {
        return shown;
    }

    /** Whether the last list was older than earlier events, and the watch has not caught up yet. */
    boolean isStale() {
        return isStale;
    }

    /** Plans the delivery of new events. */
    void follow() {
        while (known < resource.events.size()) {
            undelivered.add(known);
            if (connected) {
                plan(known);
            }
            known++;
        }
    }

    private void plan(int index) {
        long now = simulation.time().now();
        long at = now
                + (isLate() ? simulation.scenario().lateMillis() : 0)
                + random.skewedMillis(
                        simulation.isCalm() ? 20 : simulation.scenario().feedDelayMillis());
        if (simulation.scenario().reorders()) {
            String key = ClusterLog.key(resource.events.get(index).object());
            at = Math.max(at, lastOfObject.getOrDefault(key, 0L));
            lastOfObject.put(key, at);
        } else {
            at = Math.max(at, last);
            last = at;
        }
        int planned = epoch;
        simulation.time().in(at - now, process, "", () -> deliver(index, planned));
    }

    private boolean isLate() {
        boolean isPods = resource.watched.kind() == ResourceKind.PODS;
        return !simulation.isCalm() && (simulation.scenario().latePods() ? isPods : !isPods && lateOther);
    }

    private void deliver(int index, int planned) {
        if (planned != epoch || !undelivered.remove(index)) {
            return;
        }
        StoredEvent event = resource.events.get(index);
        delivered = Math.max(delivered, index + 1);
        simulation.trace().add("watch " + event.type() + " " + resource.watched.resource() + " " + describe(event));
        fire(event);
        if (!simulation.isCalm() && random.percent(3)) {
            fire(event);
        }
        if (isStale && undelivered.isEmpty()) {
            isStale = false;
        }
    }

    private static String describe(StoredEvent event) {
        ObjectNode object = event.object();
        String node = Manifests.nodeOf(object);
        return ClusterLog.key(object) + "@" + event.resourceVersion() % 1_000_000
                + (node.isEmpty() ? "" : " on " + node);
    }

    private void fire(StoredEvent event) {
        ObjectNode object = event.object();
        ObjectNode previous = event.previous();
        boolean before = previous != null && !Manifests.isFinished(previous);
        boolean after = event.type() != StoredEvent.Type.DELETED && !Manifests.isFinished(object);
        String key = ClusterLog.key(object);
        if (after) {
            ClusterObject decoded = decoder.apply(object, resource.watched.objectKind());
            if (decoded == null) {
                throw new IllegalStateException("unreadable: " + object);
            }
            if (before) {
                listener.onModified(decoded);
            } else {
                listener.onAdded(decoded);
            }
            afterDrain.accept(() -> shown.put(key, object));
        } else if (before) {
            ClusterObject decoded = decoder.apply(object, resource.watched.objectKind());
            if (decoded != null) {
                listener.onDeleted(decoded);
            }
            afterDrain.accept(() -> shown.remove(key));
        }
    }

    /** The connection breaks, and is later resumed from its last version or with a new list. */
    void breakOff(boolean expired, long millis) {
        if (!connected) {
            return;
        }
        connected = false;
        epoch++;
        simulation.time().in(millis, process, name(expired ? "relist" : "resume"), () -> reconnect(expired));
    }

    private void reconnect(boolean expired) {
        connected = true;
        if (expired) {
            int oldest = delivered;
            if (simulation.scenario().staleLists() && !simulation.isCalm() && random.percent(50)) {
                oldest = Math.max(0, delivered - random.between(1, 6));
            }
            // The first list is always the latest.
            list(isListed && random.percent(50) ? random.between(oldest, known) : known);
            isListed = true;
        } else {
            last = simulation.time().now();
            undelivered.forEach(this::plan);
        }
    }

    private void list(int upTo) {
        isStale = upTo < delivered;
        delivered = upTo;
        SortedMap<String, ObjectNode> state = resource.stateAfter(upTo);
        List<ClusterObject> items = new ArrayList<>();
        for (ObjectNode object : state.values()) {
            ClusterObject decoded = decoder.apply(object, resource.watched.objectKind());
            if (decoded != null) {
                items.add(decoded);
            }
        }
        listener.onReplaced(
                items,
                upTo == 0 ? "0" : Long.toString(resource.events.get(upTo - 1).resourceVersion()));
        afterDrain.accept(() -> shown = state);
        undelivered.clear();
        lastOfObject.clear();
        last = simulation.time().now();
        for (int index = upTo; index < known; index++) {
            undelivered.add(index);
            plan(index);
        }
        simulation.trace().add(name("listed") + (isStale ? " (stale)" : "") + " " + state.keySet());
    }
}
