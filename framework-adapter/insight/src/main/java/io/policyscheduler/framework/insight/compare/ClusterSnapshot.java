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
 * A cluster at one moment, of which any number of deciders can have a copy of their own. Immutable.
 *
 * @param nodes in the order in which the API server lists them
 * @param objects everything that is neither node nor pod
 * @param running pods that have a node and are not finished
 * @param pending pods without a node that are neither finished nor being deleted
 * @param release what the API server said; null when only the nodes can tell
 * @param now the moment, at which time stands still; null for the time of the machine, which goes on
 * @param features the feature gates of the API server by name, as far as they are known
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

    /** A cluster whose API server is not known. */
    public ClusterSnapshot(
            List<Node> nodes, List<ClusterObject> objects, List<PodInfo> running, List<PodInfo> pending) {
        this(nodes, objects, running, pending, null, null, Map.of());
    }

    /** A copy in which the API server is of this release. */
    public ClusterSnapshot withRelease(Release value) {
        return new ClusterSnapshot(nodes, objects, running, pending, value, now, features);
    }

    /** A copy in which the API server has these feature gates. */
    public ClusterSnapshot withFeatures(Map<String, Boolean> gates) {
        return new ClusterSnapshot(nodes, objects, running, pending, release, now, gates);
    }

    /** A copy with other objects, of the same release at the same time. */
    public ClusterSnapshot with(
            List<Node> otherNodes, List<ClusterObject> other, List<PodInfo> runs, List<PodInfo> waits) {
        return new ClusterSnapshot(otherNodes, other, runs, waits, release, now, features);
    }

    /** A copy in which this is the time. */
    public ClusterSnapshot at(@Nullable Instant value) {
        return new ClusterSnapshot(nodes, objects, running, pending, release, value, features);
    }

    /** The release of the cluster: the API server's, else that of the newest kubelet, which may be older; empty if none says. */
    public Optional<Release> knownRelease() {
        return release != null
                ? Optional.of(release)
                : nodes.stream()
                        .flatMap(node -> Release.ofVersion(node.kubeletVersion()).stream())
                        .max(Comparator.naturalOrder());
    }

    /** This and another snapshot together; nothing may be in both. */
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

    /** A copy that can be changed: the nodes with the pods that run on them. */
    public ClusterState state() {
        ClusterState state = new ClusterState(now == null ? Clock.systemUTC() : Clock.fixed(now, ZoneOffset.UTC));
        nodes.forEach(state::putNode);
        objects.forEach(state::putObject);
        running.forEach(state::addPod);
        return state;
    }
}
