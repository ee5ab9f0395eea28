package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.lab.LoadScenario.Purpose;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cluster at the start, and the pods that arrive afterwards. Immutable.
 *
 * @param cluster the cluster at the start; its pending pods arrive at the start
 * @param start the instant of the start
 * @param arrivals pods, ordered by arrival
 * @param endNanos end of the trace, nanoseconds since the start
 * @param changes what happens to nodes and other objects, ordered by time; of pods, only those that come with a node
 * @param departures when pods of the snapshot, and those of {@code changes}, end
 * @param updates how the same pods change
 * @param uses the measured use of the same pods by UID; its times are nanoseconds since the start
 * @param placements where the record binds the pending pods of {@code cluster}, by UID
 */
public record ClusterTrace(
        ClusterSnapshot cluster,
        Instant start,
        List<Arrival> arrivals,
        long endNanos,
        List<Change> changes,
        List<Departure> departures,
        List<PodUpdate> updates,
        Map<String, MeasuredUse> uses,
        Map<String, Placement> placements) {
    /** The value of a missing time. */
    public static final long NONE = -1;

    public ClusterTrace {
        arrivals = ImmutableList.copyOf(arrivals);
        changes = ImmutableList.copyOf(changes);
        departures = ImmutableList.copyOf(departures);
        updates = ImmutableList.copyOf(updates);
        uses = ImmutableMap.copyOf(uses);
        placements = ImmutableMap.copyOf(placements);
        for (int i = 1; i < arrivals.size(); i++) {
            if (arrivals.get(i).atNanos() < arrivals.get(i - 1).atNanos()) {
                throw new IllegalArgumentException("arrivals are not ordered at " + i);
            }
        }
    }

    /** A trace in which only pods arrive. */
    public ClusterTrace(ClusterSnapshot cluster, Instant start, List<Arrival> arrivals, long endNanos) {
        this(cluster, start, arrivals, endNanos, List.of(), List.of(), List.of(), Map.of(), Map.of());
    }

    /** Returns a copy that ends earlier. */
    public ClusterTrace until(long nanos) {
        return new ClusterTrace(cluster, start, arrivals, nanos, changes, departures, updates, uses, placements);
    }

    /**
     * A change that does not depend on the scheduler.
     *
     * @param atNanos nanoseconds since the start
     * @param change a node or another object is added, updated, or deleted, or a pod appears on a node
     */
    public record Change(long atNanos, ClusterChange change) {}

    /**
     * The end of a pod that the scheduler did not place.
     *
     * @param atNanos nanoseconds since the start
     * @param how why it ended in the record. Under a scheduler, a pod that did not finish its work is removed by its owner
     */
    public record Departure(String uid, long atNanos, TraceRun.End how) {}

    /**
     * The life of a pod with a node in the cluster that the trace was recorded from. Times are nanoseconds since the start.
     *
     * @param startedNanos when its containers ran, {@link #NONE} if they did not
     * @param endedNanos {@link #NONE} for a pod that has not ended
     * @param how why it ended
     */
    public record Placement(String node, long boundNanos, long startedNanos, long endedNanos, TraceRun.End how) {}

    /**
     * Another version of a pod, such as one with other labels, or after a resize. A replacement of the pod does not have it.
     *
     * @param uid in the trace
     * @param atNanos nanoseconds since the start
     * @param to has the new labels and the new spec
     */
    public record PodUpdate(String uid, long atNanos, PodInfo to) {}

    /**
     * Returns a copy in which each pod arrives earlier or later, and ends as much earlier or later. Shifts beyond the start or the end of
     * the trace are reflected there, so that no pods gather.
     *
     * @param seed equal seeds give equal traces
     * @param most the longest shift
     */
    public ClusterTrace jittered(long seed, Purpose purpose, Duration most) {
        long bound = most.toNanos();
        List<Arrival> shifted = new ArrayList<>(arrivals.size());
        for (Arrival arrival : arrivals) {
            long drawn = LoadScenario.random(seed, purpose, arrival.key()).nextLong(-bound, bound + 1);
            long at = Math.abs(arrival.atNanos() + drawn);
            if (at > endNanos && arrival.atNanos() <= endNanos) {
                at = Math.max(0, 2 * endNanos - at);
            }
            long end = arrival.endNanos() == NONE ? NONE : arrival.endNanos() - arrival.atNanos() + at;
            shifted.add(arrival.withTimes(at, end));
        }
        shifted.sort(Comparator.comparingLong(Arrival::atNanos));
        return withArrivals(shifted);
    }

    /** Returns a copy with other arrivals. */
    ClusterTrace withArrivals(List<Arrival> others) {
        return new ClusterTrace(cluster, start, others, endNanos, changes, departures, updates, uses, placements);
    }

    /**
     * A pod that arrives.
     *
     * @param atNanos nanoseconds since the start
     * @param template labels, annotations, owner, and spec of the pod
     * @param durationNanos how long the pod runs after its start, {@link #NONE} for a pod that does not end by itself
     * @param endNanos when its owner removes it, wherever it is, in nanoseconds since the start; {@link #NONE} for never
     * @param restarts whether a controller replaces the pod when it is preempted or evicted
     * @param recorded its life in the cluster that the trace was recorded from; null if it had no node there, or if that is not known
     * @param updates ordered by time
     * @param cloneSuffix what distinguishes the name of a clone and of its controller, such as {@code -x2}; empty for a pod of the trace
     * @param use measured; its times are since the start of the pod if it has a duration, else since the start of the trace
     */
    public record Arrival(
            long atNanos,
            String namespace,
            String name,
            PodInfo template,
            long durationNanos,
            long endNanos,
            boolean restarts,
            @Nullable Placement recorded,
            List<PodUpdate> updates,
            String cloneSuffix,
            MeasuredUse use) {
        /** A pod with an unknown recorded life that does not change and was not measured. */
        public Arrival(
                long atNanos,
                String namespace,
                String name,
                PodInfo template,
                long durationNanos,
                long endNanos,
                boolean restarts) {
            this(
                    atNanos,
                    namespace,
                    name,
                    template,
                    durationNanos,
                    endNanos,
                    restarts,
                    null,
                    List.of(),
                    "",
                    MeasuredUse.NONE);
        }

        public Arrival {
            updates = ImmutableList.copyOf(updates);
            if (atNanos < 0 || durationNanos < NONE || endNanos < NONE) {
                throw new IllegalArgumentException("pod " + namespace + "/" + name + " has a negative time");
            }
        }

        /** The key of its random numbers. */
        String key() {
            return namespace + "/" + name + "@" + atNanos;
        }

        /** Returns a copy that arrives, and is removed, at other times. */
        Arrival withTimes(long at, long end) {
            return new Arrival(
                    at, namespace, name, template, durationNanos, end, restarts, recorded, updates, cloneSuffix, use);
        }

        /** Returns the same pod of a clone of its workload, which has the same labels and another controller. */
        Arrival cloned(String suffix) {
            return new Arrival(
                    atNanos,
                    namespace,
                    name + suffix,
                    template,
                    durationNanos,
                    endNanos,
                    restarts,
                    null,
                    updates,
                    suffix,
                    use);
        }

        /** Returns the pod as the API server creates it. */
        PodInfo pod(String podName, String uid, Instant created) {
            PodInfo.Builder pod = template.toBuilder()
                    .namespace(namespace)
                    .name(podName)
                    .uid(uid)
                    .nodeName("")
                    .phase("Pending")
                    .createdMillis(created.toEpochMilli());
            PodInfo.OwnerReference owner = template.controller();
            if (owner != null && !cloneSuffix.isEmpty()) {
                pod.controller(new PodInfo.OwnerReference(
                        owner.apiVersion(), owner.kind(), owner.name() + cloneSuffix, owner.uid() + cloneSuffix));
            }
            return pod.build();
        }
    }
}
