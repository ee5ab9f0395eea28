package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.release.KubeletRejection;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles;
import io.policyscheduler.framework.scheduler.binding.PodReports;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes whose kubelets rejected pods. A successor of such a pod avoids the node for a while: a kubelet can account for
 * resources that no API object contains, and would reject the successor, too. A node is excluded for 10 s at first, and twice as
 * long after each further rejection, up to 5 minutes. If nodes reject {@value #MANY} such pods and none starts meanwhile, all nodes
 * are excluded: a policy without the predicate that the kubelets check would otherwise place the pod on one node after the other.
 * Owned by the scheduling thread.
 */
public final class KubeletRejections {
    static final Duration FIRST_WAIT = Duration.ofSeconds(10);
    static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
    /** The key of the exclusion of all nodes; no node has an empty name. */
    static final String ALL_NODES = "";

    /** The reason of a node that is available while all others are excluded. */
    static final String EXEMPT = "";

    private static final int MANY = 3;
    private static final int MAX_KINDS = 10_000;

    private final Map<PodKind, Map<String, Rejection>> byKind = new LinkedHashMap<>();
    /** The number of rejected pods of a kind since one was started. */
    private final Map<PodKind, Integer> inARow = new HashMap<>();

    /**
     * An excluded node.
     *
     * @param reason of the kubelet, such as {@code OutOfcpu}
     * @param until when the exclusion ends; in the past while only the duration of the exclusion is stored
     */
    record Rejection(String reason, Instant until, Duration pause) {
        boolean isOver(Instant now) {
            return !until.isAfter(now);
        }

        /** Whether the entry is obsolete: the node has not rejected such a pod for another period of the same length. */
        boolean isForgotten(Instant now) {
            return !until.plus(pause).isAfter(now);
        }
    }

    /**
     * The kubelet of the pod's node has rejected it.
     *
     * @return how long the node is excluded for pods of this kind
     */
    public Duration rejected(PodInfo pod, String reason, Instant now) {
        PodKind kind = PodKind.of(pod);
        Map<String, Rejection> nodes = byKind.computeIfAbsent(kind, key -> new HashMap<>());
        Duration wait = rejected(nodes, pod.nodeName(), reason, now);
        if (inARow.merge(kind, 1, Integer::sum) >= MANY) {
            Duration all = rejected(nodes, ALL_NODES, reason, now);
            wait = all.compareTo(wait) > 0 ? all : wait;
        }
        if (byKind.size() > MAX_KINDS) {
            PodKind oldest = byKind.keySet().iterator().next();
            byKind.remove(oldest);
            inARow.remove(oldest);
        }
        return wait;
    }

    private static Duration rejected(Map<String, Rejection> nodes, String node, String reason, Instant now) {
        Rejection before = nodes.get(node);
        Duration wait = FIRST_WAIT;
        if (before != null && !before.reason().equals(EXEMPT) && !before.isForgotten(now)) {
            // Two pods that were rejected together count as one rejection.
            wait = before.isOver(now) ? twice(before.pause()) : before.pause();
        }
        nodes.put(node, new Rejection(reason, now.plus(wait), wait));
        return wait;
    }

    private static Duration twice(Duration wait) {
        Duration doubled = wait.multipliedBy(2);
        return doubled.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : doubled;
    }

    /**
     * A node has started a pod of this kind.
     *
     * @return true if all nodes were excluded for such pods
     */
    public boolean accepted(PodInfo pod) {
        if (inARow.isEmpty()) {
            return false;
        }
        PodKind kind = PodKind.of(pod);
        inARow.remove(kind);
        Map<String, Rejection> nodes = byKind.get(kind);
        if (nodes == null || nodes.remove(ALL_NODES) == null) {
            return false;
        }
        nodes.values().removeIf(rejection -> rejection.reason().equals(EXEMPT));
        return true;
    }

    /** The node is new or its resources changed. It becomes available for all pods, even if all nodes are excluded. */
    public void nodeChanged(String node) {
        for (Map<String, Rejection> nodes : byKind.values()) {
            nodes.remove(node);
            Rejection all = nodes.get(ALL_NODES);
            if (all != null) {
                nodes.put(node, new Rejection(EXEMPT, all.until(), Duration.ZERO));
            }
        }
        dropEmpty();
    }

    /** The node was deleted. */
    public void nodeDeleted(String node) {
        byKind.values().forEach(nodes -> nodes.remove(node));
        dropEmpty();
    }

    private void dropEmpty() {
        byKind.values().removeIf(Map::isEmpty);
        inARow.keySet().retainAll(byKind.keySet());
    }

    /**
     * Removes obsolete entries. Called periodically.
     *
     * @param before the previous call
     * @return true if an exclusion has ended since
     */
    public boolean expire(Instant before, Instant now) {
        boolean ended = false;
        for (Map<String, Rejection> nodes : byKind.values()) {
            for (Rejection rejection : nodes.values()) {
                ended |= rejection.isOver(now) && !rejection.isOver(before);
            }
            nodes.values().removeIf(rejection -> rejection.isForgotten(now));
        }
        dropEmpty();
        return ended;
    }

    /**
     * Returns the nodes that are excluded for pods like this one, with the reasons of their kubelets; {@link #ALL_NODES} if all are
     * excluded but those with the reason {@link #EXEMPT}. Empty for nearly all pods.
     */
    public Map<String, String> waitingFor(PodInfo pod, Instant now) {
        if (byKind.isEmpty()) {
            return Map.of();
        }
        Map<String, Rejection> nodes = byKind.get(PodKind.of(pod));
        if (nodes == null) {
            return Map.of();
        }
        Map<String, String> waiting = new HashMap<>();
        nodes.forEach((node, rejection) -> {
            if (!rejection.isOver(now)) {
                waiting.put(node, rejection.reason());
            }
        });
        return waiting;
    }

    /**
     * The properties that a pod shares with its successor: the controller, or, without one, namespace and spec.
     *
     * @param owner UID of the controller; else the namespace
     * @param spec null for the pods of a controller
     */
    record PodKind(String owner, @Nullable PodSpec spec) {
        static PodKind of(PodInfo pod) {
            return pod.controller() == null
                    ? new PodKind(pod.namespace(), pod.spec())
                    : new PodKind(pod.controller().uid(), null);
        }
    }

    /**
     * Excludes nodes whose kubelets have just rejected such a pod. Part of every running profile; no release of Kubernetes has this
     * plugin.
     */
    public static final class RejectedNodesFilter implements PreFilterPlugin, FilterPlugin, SignPlugin {
        private static final String NAME = "RefusedPlaces";

        private final KubeletRejections places;
        private final InstantSource clock;
        private final StateKey<Map<String, String>> waiting;

        /** @param keys of the profile that the plugin becomes part of */
        public RejectedNodesFilter(KubeletRejections places, InstantSource clock, StateKeys keys) {
            this.places = places;
            this.clock = clock;
            this.waiting = keys.create(NAME, Map::copyOf);
        }

        @Override
        public String name() {
            return NAME;
        }

        /** Signs the rejections of such pods, not their owner, so that pods of several owners are still batched without rejections. */
        @Override
        public Map<String, Object> sign(PodInfo pod) {
            Map<String, String> nodes = places.waitingFor(pod, clock.instant());
            return nodes.isEmpty() ? Map.of() : Map.of(NAME, nodes);
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
            if (KubeletRejections.EXEMPT.equals(reason)) {
                return Status.SUCCESS;
            }
            if (reason != null) {
                // Preemption does not change the result of the kubelet.
                return Status.unresolvable("node(s) rejected a similar pod (" + reason + ")");
            }
            String others = nodes.get(KubeletRejections.ALL_NODES);
            return others == null
                    ? Status.SUCCESS
                    : Status.unresolvable(
                            "node(s) avoided because other nodes rejected a similar pod (" + others + ")");
        }
    }

    /**
     * Detects that a kubelet has rejected or evicted a pod of this scheduler: kubelet and scheduler disagree about the node, and
     * the successor would fail again. The watch does not contain finished pods, so a pod that leaves it without a deletion is read
     * once. {@link KubeletRejection} has the reasons.
     */
    public static final class RejectionEvents {
        /** The reason of the event. */
        static final String NODE_REJECTED_POD = "NodeRefusedPod";

        private static final Logger log = LoggerFactory.getLogger(RejectionEvents.class);

        /** Limits the load on the API server when thousands of jobs end at the same time. */
        private static final int READS_PER_SECOND = 20;

        private final KubeletRejections places;
        private final SchedulingQueue queue;
        private final SchedulerContext context;
        private final PodReports reports;
        private final CurrentProfiles profiles;
        private final BooleanSupplier leads;
        private int readsLeft = READS_PER_SECOND;
        private Instant expired;

        /** @param leads false while another process schedules, which reports the rejections */
        public RejectionEvents(
                KubeletRejections places,
                SchedulingQueue queue,
                SchedulerContext context,
                PodReports reports,
                CurrentProfiles profiles,
                BooleanSupplier leads) {
            this.places = places;
            this.queue = queue;
            this.context = context;
            this.reports = reports;
            this.profiles = profiles;
            this.leads = leads;
            this.expired = context.clock().instant();
        }

        /** A pod left the watch, with its last observed version. */
        public void vanished(PodInfo pod) {
            boolean isOurs = !pod.nodeName().isEmpty() && profiles.isOurs(pod);
            if (!isOurs || pod.terminating() || readsLeft == 0 || !leads.getAsBoolean()) {
                return;
            }
            readsLeft--;
            context.writer().readPod(pod, read -> {
                if (read instanceof PodRead.Found found && found.pod().isSame(pod)) {
                    context.inbox().post(new ClusterChange.PodEndRead(found.pod()));
                }
            });
        }

        /** A pod has finished, according to the watch or a read. */
        public void finished(PodInfo pod) {
            String reason = pod.failure();
            boolean wasOurs = pod.isFinished() && !pod.nodeName().isEmpty() && profiles.isOurs(pod);
            if (!wasOurs || !leads.getAsBoolean() || !KubeletRejection.is(reason, false)) {
                return;
            }
            Duration wait = places.rejected(pod, reason, context.clock().instant());
            log.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", pod.nodeName())
                    .log(
                            "W114 rejected by the kubelet: {}; similar pods avoid the node for {} s",
                            reason,
                            wait.toSeconds());
            reports.warn(
                    pod,
                    NODE_REJECTED_POD,
                    "Node " + pod.nodeName() + " rejected the pod (" + reason + "): similar pods avoid the node for "
                            + wait.toSeconds() + " s");
            context.listener().onRefused(pod, reason);
        }

        /** A kubelet has started the pod, so that nodes do not reject all pods of its kind. */
        public void started(PodInfo pod) {
            if (places.accepted(pod)) {
                queue.moveAll(ClusterEvent.NODE_WAIT_OVER);
            }
        }

        /** Called once a second. */
        public void tick() {
            readsLeft = READS_PER_SECOND;
            Instant now = context.clock().instant();
            if (places.expire(expired, now)) {
                queue.moveAll(ClusterEvent.NODE_WAIT_OVER);
            }
            expired = now;
        }
    }
}
