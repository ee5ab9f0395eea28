package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a run is made.
 *
 * @param binding time from a decision until the pod is bound
 * @param start time from the bind until the containers run
 * @param decision time that a scheduling attempt takes; pods wait for one another
 * @param grace time from the eviction of a pod until it is gone
 * @param replacement time until a controller creates the replacement of a pod
 * @param warmUp time before the window of the metrics
 * @param sample period of the samples; zero for none
 * @param gates features of the cluster
 * @param strictV117 whether preemption counts victims exactly as in v1.17
 * @param prices price of a node per hour; null if prices are unknown
 * @param block length of the blocks for which the metrics are computed in addition to the whole window; zero for none
 * @param outages nodes that fail or are drained
 * @param groups groups of nodes that grow and shrink; null for none
 * @param hazards random failures of nodes
 * @param seed of the random failures
 * @param gpuPods the pods for which the fragmentation of GPUs is measured
 */
public record RunSettings(
        Duration binding,
        Duration start,
        Duration decision,
        Duration grace,
        Duration replacement,
        Duration warmUp,
        Duration sample,
        FeatureGates gates,
        boolean strictV117,
        @Nullable ToDoubleFunction<Node> prices,
        Duration block,
        List<Outage> outages,
        @Nullable NodeGroups groups,
        List<Hazard> hazards,
        long seed,
        GpuFragmentation.Expected gpuPods) {
    public RunSettings {
        outages = ImmutableList.copyOf(outages);
        hazards = ImmutableList.copyOf(hazards);
    }

    /** Returns the resources that are measured: those of the nodes of the trace and of the groups. */
    public List<String> resources(ClusterTrace trace) {
        List<Node> nodes = new ArrayList<>(trace.cluster().nodes());
        if (groups != null) {
            groups.groups().forEach(group -> nodes.add(group.template()));
        }
        return RunMetrics.resourcesOf(nodes);
    }

    /** Returns a copy with another warm-up. */
    public RunSettings withWarmUp(Duration other) {
        return new RunSettings(
                binding,
                start,
                decision,
                grace,
                replacement,
                other,
                sample,
                gates,
                strictV117,
                prices,
                block,
                outages,
                groups,
                hazards,
                seed,
                gpuPods);
    }

    /** Returns a copy with another seed. */
    public RunSettings withSeed(long other) {
        return new RunSettings(
                binding,
                start,
                decision,
                grace,
                replacement,
                warmUp,
                sample,
                gates,
                strictV117,
                prices,
                block,
                outages,
                groups,
                hazards,
                other,
                gpuPods);
    }

    /** Returns the defaults for a cluster with these features. */
    public static RunSettings defaults(FeatureGates gates) {
        return new RunSettings(
                Duration.ofMillis(50),
                Duration.ofSeconds(1),
                Duration.ZERO,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ZERO,
                Duration.ZERO,
                gates,
                false,
                null,
                Duration.ZERO,
                List.of(),
                null,
                List.of(),
                1,
                GpuFragmentation.Expected.ARRIVALS);
    }

    /**
     * Random failures of nodes, or reclaims of spot nodes, with exponential times. Each node has its own random numbers, which depend on
     * the seed, on the name of the hazard, and on the name of the node. Thus, a node fails at the same times under each scheduler.
     *
     * @param nodes nodes of the snapshot, of the trace, and of groups
     * @param between the mean time from the moment at which a node is there until it fails
     * @param repair the mean time until it returns; null for a node that is reclaimed: it is cordoned, its pods are evicted, and it is
     *     removed for good after {@link #NOTICE}
     */
    public record Hazard(
            String name,
            Predicate<Node> nodes,
            Duration between,
            @Nullable Duration repair) {
        /** The time from the notice that a node is reclaimed until it is removed. */
        public static final Duration NOTICE = Duration.ofMinutes(2);
    }

    /**
     * A node that is away for a while.
     *
     * @param atNanos when it begins, nanoseconds since the start
     * @param forNanos how long, {@link ClusterTrace#NONE} for the rest of the run
     * @param drains true for a node that is cordoned and whose pods are evicted; false for one that fails with its pods
     */
    public record Outage(String node, long atNanos, long forNanos, boolean drains) {}
}
