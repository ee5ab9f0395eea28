package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cluster at one moment. Immutable; each scheduler works on its own copy.
 *
 * @param nodes in the order of the API server's list
 * @param objects everything that is neither node nor pod
 * @param running pods that have a node and are not finished
 * @param pending pods without a node that are neither finished nor being deleted
 * @param release of the API server; null if unknown
 * @param now the frozen time of decisions; null for the system clock
 * @param features the known feature gates of the API server by name
 */
public record ClusterSnapshot(
        List<Node> nodes,
        List<ClusterObject> objects,
        List<PodInfo> running,
        List<PodInfo> pending,
        @Nullable Release release,
        @Nullable Instant now,
        Map<String, Boolean> features) {
    public ClusterSnapshot {
        nodes = ImmutableList.copyOf(nodes);
        objects = ImmutableList.copyOf(objects);
        running = ImmutableList.copyOf(running);
        pending = ImmutableList.copyOf(pending);
        features = ImmutableMap.copyOf(features);
    }

    /** A cluster with an unknown API server. */
    public ClusterSnapshot(
            List<Node> nodes, List<ClusterObject> objects, List<PodInfo> running, List<PodInfo> pending) {
        this(nodes, objects, running, pending, null, null, Map.of());
    }

    /** A copy with another release of the API server. */
    public ClusterSnapshot withRelease(Release value) {
        return new ClusterSnapshot(nodes, objects, running, pending, value, now, features);
    }

    /** A copy with other feature gates of the API server. */
    public ClusterSnapshot withFeatures(Map<String, Boolean> gates) {
        return new ClusterSnapshot(nodes, objects, running, pending, release, now, gates);
    }

    /** A copy with other objects, of the same release at the same time. */
    public ClusterSnapshot with(
            List<Node> otherNodes, List<ClusterObject> other, List<PodInfo> runs, List<PodInfo> waits) {
        return new ClusterSnapshot(otherNodes, other, runs, waits, release, now, features);
    }

    /** A copy with another time. */
    public ClusterSnapshot at(@Nullable Instant value) {
        return new ClusterSnapshot(nodes, objects, running, pending, release, value, features);
    }

    /** The release of the cluster: the API server's, else that of the newest kubelet, which may be older; empty if unknown. */
    public Optional<Release> knownRelease() {
        return release != null
                ? Optional.of(release)
                : nodes.stream()
                        .flatMap(node -> Release.ofVersion(node.kubeletVersion()).stream())
                        .max(Comparator.naturalOrder());
    }

    /** The union of two disjoint snapshots. */
    public ClusterSnapshot with(ClusterSnapshot other) {
        return with(
                both(nodes, other.nodes),
                both(objects, other.objects),
                both(running, other.running),
                both(pending, other.pending));
    }

    private static <T> List<T> both(List<T> first, List<T> second) {
        return ImmutableList.<T>builder().addAll(first).addAll(second).build();
    }

    /** A mutable copy: the nodes with their running pods. */
    public ClusterState state() {
        ClusterState state = new ClusterState(now == null ? Clock.systemUTC() : Clock.fixed(now, ZoneOffset.UTC));
        nodes.forEach(state::putNode);
        objects.forEach(state::putObject);
        running.forEach(state::addPod);
        return state;
    }
}
