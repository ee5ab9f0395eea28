package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The cluster and the pending pods of a recording. */
final class RecordedCluster {
    final ClusterState cluster = new ClusterState();
    final List<PodInfo> pending = new ArrayList<>();
    /** Node to the pending pods nominated there. */
    final Map<String, List<PodInfo>> nominated = new HashMap<>();

    /** Whether there are devices or claims on any. */
    final boolean hasClaims;

    RecordedCluster(JsonNode scenario, FeatureGates gates) throws IOException {
        ObjectReader reader = new ObjectReader(gates, false);
        for (JsonNode object : scenario.path("cluster")) {
            add(read(reader, object));
        }
        for (JsonNode object : scenario.path("pending")) {
            if (read(reader, object) instanceof PodInfo pod) {
                pending.add(pod);
                nominate(pod);
            }
        }
        hasClaims = !cluster.objects(ResourceKind.RESOURCE_SLICES, ResourceSliceInfo.class, "")
                        .isEmpty()
                || pending.stream().anyMatch(pod -> !pod.spec().resourceClaims().isEmpty());
        cluster.startCycle();
    }

    private static @Nullable ClusterObject read(ObjectReader reader, JsonNode object) throws IOException {
        try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            return reader.read(parser, null);
        }
    }

    private void add(@Nullable ClusterObject object) {
        if (object instanceof Node node) {
            cluster.putNode(node);
        } else if (object instanceof PodInfo pod) {
            // The informer filters finished pods, and a pod without a UID has no place in the cache.
            if (!pod.nodeName().isEmpty() && !pod.isFinished() && !pod.uid().isEmpty()) {
                cluster.addPod(pod);
            }
        } else if (object != null) {
            cluster.putObject(object);
        }
    }

    private void nominate(PodInfo pod) {
        if (!pod.nominatedNodeName().isEmpty()) {
            nominated
                    .computeIfAbsent(pod.nominatedNodeName(), n -> new ArrayList<>())
                    .add(pod);
        }
    }

    /** The pod loses its nomination. */
    void dropNomination(PodInfo pod) {
        List<PodInfo> there = nominated.get(pod.nominatedNodeName());
        if (there != null) {
            there.removeIf(other -> other.isSame(pod));
        }
    }

    List<PodInfo> nominatedOn(String node) {
        return nominated.getOrDefault(node, List.of());
    }

    /** The pod now runs on the node. */
    void place(PodInfo pod, String node) {
        place(pod, node, true);
    }

    /**
     * The pod now runs on the node.
     *
     * @param endsNomination false for recordings without preemption, in which pods stay nominated
     */
    void place(PodInfo pod, String node, boolean endsNomination) {
        cluster.addPod(pod.withNodeName(node));
        if (endsNomination) {
            dropNomination(pod);
        }
    }
}
