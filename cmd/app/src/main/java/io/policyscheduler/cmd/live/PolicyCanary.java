package io.policyscheduler.cmd.live;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.metrics.PolicyMetrics;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The monitor of a canary. It counts how the decisions of the new and of the current policy differ, and requests a rollback when
 * too many pods of the share are pending or fail. A pod is pending because of the canary if the canary finds no node for it, and
 * the current policy finds one or was not evaluated. A pod fails if its last attempt ended with an error or with a rejected bind.
 */
public final class PolicyCanary implements SchedulerListener {
    private static final int NAMED = 3;

    private final double share;
    private final Limits limits;
    private final Consumer<Rollback> rollback;
    /** Below: touched by the scheduling thread only, by UID. */
    private final Map<String, PodInfo> waiting = new LinkedHashMap<>();

    private final Map<String, PodInfo> failing = new LinkedHashMap<>();
    private final Map<Side, AtomicLongArray> decisions = new EnumMap<>(Side.class);
    private boolean isActive;
    private volatile State state;

    /**
     * When to roll back.
     *
     * @param waiting most pods that wait because of the canary
     * @param failing most pods whose last attempt failed
     */
    public record Limits(int waiting, int failing) {}

    /**
     * The end of a canary.
     *
     * @param cause for users, without names of pods, because a tenant may not see the pods of others
     * @param named some of the pods that wait or fail, for operators
     * @param pods that wait or fail
     */
    public record Rollback(String cause, String named, List<PodInfo> pods) {
        public Rollback {
            pods = List.copyOf(pods);
        }

        /** The cause with the named pods. */
        public String reason() {
            return cause + ": " + named;
        }
    }

    /** The policy that decided a pod. */
    public enum Side {
        CANARY,
        CURRENT;

        /** As in metrics. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The decision that the other policy would have made. */
    public enum Comparison {
        /** The node is among its best ones, or it finds no node either. */
        SAME,
        /** It prefers another node. */
        OTHER_NODE,
        /** It finds no node. */
        NO_NODE,
        /** It finds a node, and the policy in effect for the pod finds none. */
        NODE,
        NOT_EVALUATED;

        /** As in metrics. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Comparison of(Decision decision, @Nullable Ranking other) {
            if (other == null) {
                return NOT_EVALUATED;
            }
            String node = decision.node();
            if (node == null) {
                return other.best().isEmpty() ? SAME : NODE;
            }
            return other.best().isEmpty() ? NO_NODE : other.best().contains(node) ? SAME : OTHER_NODE;
        }
    }

    /**
     * The canary at one moment.
     *
     * @param isActive whether it decides pods
     * @param waiting pods that wait because of it
     * @param failing pods whose last attempt failed
     * @param rollbacks how often it was rolled back
     * @param reason of the last rollback; empty if there was none
     */
    public record State(boolean isActive, int waiting, int failing, int rollbacks, String reason) {}

    /**
     * A watch over a canary that is in effect.
     *
     * @param share of the owners, 0 to 1
     * @param rollback is called on the scheduling thread, once for each canary, and must not block
     */
    public PolicyCanary(double share, Limits limits, Consumer<Rollback> rollback) {
        this.share = share;
        this.limits = limits;
        this.rollback = rollback;
        this.isActive = true;
        this.state = new State(true, 0, 0, 0, "");
        for (Side side : Side.values()) {
            decisions.put(side, new AtomicLongArray(Comparison.values().length));
        }
    }

    /** The state. Any thread. */
    public State state() {
        return state;
    }

    /** Decisions by the policy that made them and by the comparison with the other one. Any thread. */
    public ImmutableMap<Side, ImmutableMap<Comparison, Long>> decisions() {
        ImmutableMap.Builder<Side, ImmutableMap<Comparison, Long>> all = ImmutableMap.builder();
        decisions.forEach((side, counts) -> {
            ImmutableMap.Builder<Comparison, Long> ofSide = ImmutableMap.builder();
            for (Comparison comparison : Comparison.values()) {
                ofSide.put(comparison, counts.get(comparison.ordinal()));
            }
            all.put(side, ofSide.buildOrThrow());
        });
        return all.buildOrThrow();
    }

    /** Registers the metrics, read at each scrape. */
    public void register(PrometheusRegistry registry) {
        PolicyMetrics.Canary.register(
                registry,
                () -> new PolicyMetrics.Canary(
                        state.isActive(), state.waiting(), state.failing(), state.rollbacks(), counts()));
    }

    private Map<String, Map<String, Long>> counts() {
        Map<String, Map<String, Long>> counts = new LinkedHashMap<>();
        decisions().forEach((side, ofSide) -> {
            Map<String, Long> named = new LinkedHashMap<>();
            ofSide.forEach((comparison, count) -> named.put(comparison.text(), count));
            counts.put(side.text(), named);
        });
        return counts;
    }

    @Override
    public void onProfiles(Profiles profiles) {
        isActive = profiles.runtimes().stream().anyMatch(ProfileRuntime::isCanary);
        waiting.clear();
        failing.clear();
        show();
    }

    @Override
    public void onCanary(PodInfo pod, Decision decision, boolean isInShare, @Nullable Ranking other) {
        Comparison comparison = Comparison.of(decision, other);
        AtomicLongArray counts = decisions.get(isInShare ? Side.CANARY : Side.CURRENT);
        if (counts != null) {
            counts.incrementAndGet(comparison.ordinal());
        }
        if (!isInShare || !isActive) {
            return;
        }
        boolean isError = decision.kind() == Decision.Kind.ERROR;
        boolean waits = !isError
                && !decision.isPlaced()
                && (comparison == Comparison.NODE || comparison == Comparison.NOT_EVALUATED);
        boolean changed = set(waiting, pod, waits);
        // The bind of a placed pod can still fail, so that an earlier failure counts until the pod is bound.
        changed |= !decision.isPlaced() && set(failing, pod, isError);
        if (changed) {
            show();
            judge();
        }
    }

    @Override
    public void onBindFailed(QueuedPod entry, String node, String message) {
        PodInfo pod = entry.pod();
        if (isActive && Profiles.isInShare(pod, share) && set(failing, pod, true)) {
            show();
            judge();
        }
    }

    @Override
    public void onBound(QueuedPod entry, String node, long nanos) {
        forget(entry.pod());
    }

    @Override
    public void onPodGone(PodInfo pod) {
        forget(pod);
    }

    @Override
    public void onAssigned(PodInfo pod, boolean waited) {
        forget(pod);
    }

    private static boolean set(Map<String, PodInfo> pods, PodInfo pod, boolean isIn) {
        return isIn ? pods.put(pod.uid(), pod) == null : pods.remove(pod.uid()) != null;
    }

    private void forget(PodInfo pod) {
        boolean changed = waiting.remove(pod.uid()) != null;
        changed |= failing.remove(pod.uid()) != null;
        if (changed) {
            show();
        }
    }

    private void judge() {
        Map<String, PodInfo> counted;
        String limit;
        if (waiting.size() > limits.waiting()) {
            counted = waiting;
            limit = "wait because the canary finds no node, more than --canary-max-waiting=" + limits.waiting();
        } else if (failing.size() > limits.failing()) {
            counted = failing;
            limit = "fail, more than --canary-max-failing=" + limits.failing();
        } else {
            return;
        }
        List<PodInfo> pods = new ArrayList<>(waiting.values());
        failing.values().stream().filter(pod -> !waiting.containsKey(pod.uid())).forEach(pods::add);
        // Until other profiles are in effect, later results are ignored.
        isActive = false;
        Rollback end = new Rollback(counted.size() + " pods " + limit, names(counted), pods);
        state = new State(false, waiting.size(), failing.size(), state.rollbacks() + 1, end.reason());
        rollback.accept(end);
    }

    private static String names(Map<String, PodInfo> pods) {
        List<String> names =
                pods.values().stream().limit(NAMED).map(PodInfo::key).toList();
        return String.join(", ", names) + (pods.size() > NAMED ? ", ..." : "");
    }

    private void show() {
        state = new State(isActive, waiting.size(), failing.size(), state.rollbacks(), state.reason());
    }
}
