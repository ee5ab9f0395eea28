package io.policyscheduler.framework.scheduler.binding;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The pods that wait at Permit, and those in PreBind. Calls of other threads come back through the inbox. Mirrors {@code
 * waiting_pods_map.go} and {@code pods_in_prebind_map.go}, except that no signal can be lost.
 */
public final class WaitingPodsMap implements WaitingPods {
    private final EventInbox inbox;
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();
    /** A copy for other threads. */
    private volatile List<WaitingPod> published = List.of();
    /** The pods in PreBind, for other threads. */
    private final Map<String, PreBind> preBinds = new ConcurrentHashMap<>();

    /** @param inbox receives the calls of other threads */
    public WaitingPodsMap(EventInbox inbox) {
        this.inbox = inbox;
    }

    /** The wait for a plugin. */
    record Wait(Duration timeout, Instant deadline) {}

    /** A waiting pod; changed on the scheduling thread only. */
    private final class Waiting implements WaitingPod {
        private final String id;
        private final long token;
        private final PodInfo pod;
        private final String node;
        private final Map<String, Wait> waits;
        private volatile Set<String> pending;

        Waiting(String id, long token, PodInfo pod, String node, Map<String, Wait> waits) {
            this.id = id;
            this.token = token;
            this.pod = pod;
            this.node = node;
            this.waits = new LinkedHashMap<>(waits);
            this.pending = ImmutableSet.copyOf(waits.keySet());
        }

        /** The wait with the earliest deadline; of equal ones that of the earlier plugin. There is always one. */
        Map.Entry<String, Wait> firstToEnd() {
            return Collections.min(
                    waits.entrySet(),
                    Comparator.comparing(entry -> entry.getValue().deadline()));
        }

        @Override
        public PodInfo pod() {
            return pod;
        }

        @Override
        public String node() {
            return node;
        }

        @Override
        public Set<String> pendingPlugins() {
            return pending;
        }

        @Override
        public void allow(String plugin) {
            inbox.post(new ClusterChange.PermitAllowed(id, token, plugin));
        }

        @Override
        public void reject(String message) {
            reject("", message);
        }

        @Override
        public void reject(String plugin, String message) {
            inbox.post(new ClusterChange.PermitRejected(id, token, plugin, message));
        }

        @Override
        public void preempt(String plugin, String message) {
            inbox.post(new ClusterChange.BindingCancelled(id, token, true, "waiting on permit for pod: " + message));
        }
    }

    /** PreBind of one pod: either it finishes or it is cancelled, whichever is first. */
    final class PreBind {
        private final String id;
        private final long token;
        private boolean finished;
        private boolean cancelled;

        private PreBind(String id, long token) {
            this.id = id;
            this.token = token;
        }

        /** Ends PreBind on any thread; false if it was cancelled, and the pod must not be bound. */
        synchronized boolean finish() {
            preBinds.remove(id, this);
            finished |= !cancelled;
            return finished;
        }

        private synchronized boolean cancel(String message) {
            if (!finished && !cancelled) {
                cancelled = true;
                inbox.post(new ClusterChange.BindingCancelled(id, token, false, message));
            }
            return cancelled;
        }
    }

    @Override
    public List<WaitingPod> all() {
        return published;
    }

    @Override
    public boolean cancelBinding(String uid, String message) {
        PreBind preBind = preBinds.get(uid);
        return preBind != null && preBind.cancel(message);
    }

    /** Begins PreBind of a pod. */
    PreBind beginPreBind(String id, long token) {
        PreBind preBind = new PreBind(id, token);
        preBinds.put(id, preBind);
        return preBind;
    }

    /** Discards a binding that has ended. */
    void forget(String id) {
        preBinds.remove(id);
        remove(id);
    }

    void add(String id, long token, PodInfo pod, String node, Map<String, Wait> waits) {
        waiting.put(id, new Waiting(id, token, pod, node, waits));
        show();
    }

    /** Removes the wait for a plugin; true if it was the last one, which also removes the pod. */
    boolean allow(String id, long token, String plugin) {
        Waiting pod = waiting.get(id);
        if (pod == null || pod.token != token || pod.waits.remove(plugin) == null) {
            return false;
        }
        pod.pending = ImmutableSet.copyOf(pod.waits.keySet());
        return pod.waits.isEmpty() && remove(id);
    }

    /** Removes a pod; true if it was waiting. */
    boolean remove(String id) {
        boolean was = waiting.remove(id) != null;
        if (was) {
            show();
        }
        return was;
    }

    /** Rejects a pod through the inbox; false if it does not wait. */
    boolean reject(String id, String message) {
        Waiting pod = waiting.get(id);
        if (pod != null) {
            pod.reject(message);
        }
        return pod != null;
    }

    /** The plugins that a pod waits for; empty if it does not wait. */
    Set<String> pendingPlugins(String id) {
        Waiting pod = waiting.get(id);
        return pod == null ? Set.of() : pod.pending;
    }

    boolean contains(String id) {
        return waiting.containsKey(id);
    }

    private void show() {
        published = List.copyOf(waiting.values());
    }

    /** Rejects, through the inbox, the pods that have waited for longer than a timeout; true if there was one. */
    public boolean fireDue(Instant now) {
        boolean fired = false;
        for (Waiting pod : waiting.values()) {
            Map.Entry<String, Wait> first = pod.firstToEnd();
            if (!first.getValue().deadline().isAfter(now)) {
                pod.reject(
                        first.getKey(),
                        "rejected due to timeout after waiting "
                                + GoDuration.format(first.getValue().timeout()) + " at plugin " + first.getKey());
                fired = true;
            }
        }
        return fired;
    }

    /** The next deadline; null if no pod waits. */
    public @Nullable Instant nextDue() {
        Instant next = null;
        for (Waiting pod : waiting.values()) {
            Instant deadline = pod.firstToEnd().getValue().deadline();
            if (next == null || deadline.isBefore(next)) {
                next = deadline;
            }
        }
        return next;
    }
}
