package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the nodes with their pods, and the pending pods, of a scenario. */
final class ScenarioObjects {
    private final ClusterState cluster = new ClusterState();
    private final List<PodInfo> pods = new ArrayList<>();

    ScenarioObjects(JsonNode scenario) throws IOException {
        ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
        for (JsonNode object : scenario.path("cluster")) {
            ClusterObject read = read(reader, object);
            if (read instanceof Node node) {
                cluster.putNode(node);
            } else if (read instanceof PodInfo pod) {
                cluster.addPod(pod);
            }
        }
        for (JsonNode object : scenario.path("pending")) {
            if (read(reader, object) instanceof PodInfo pod) {
                pods.add(pod);
            }
        }
        cluster.startCycle();
    }

    private static @Nullable ClusterObject read(ObjectReader reader, JsonNode object) throws IOException {
        try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            return reader.read(parser, null);
        }
    }

    List<NodeInfo> nodes() {
        return cluster.nodes();
    }

    /** Returns the pods to schedule. */
    List<PodInfo> pods() {
        return pods;
    }
}
