package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.embedded.kubelet.NodeAdmission;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Verdict;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The embedded kubelet's admission: GeneralPredicates once more, as a real kubelet of the cluster's release does, so that a
 * scheduler that places too much is found out. Mirrors {@code pkg/kubelet/lifecycle/predicate.go}.
 */
public final class GeneralPredicatesAdmission implements NodeAdmission {
    private static final String INSUFFICIENT = "Insufficient ";

    private final FeatureGates gates;
    private final Predicate predicates;

    /** @param release of the kubelet, which decides what of a pod counts */
    public GeneralPredicatesAdmission(Release release) {
        this.gates = FeatureGates.defaults().at(release);
        this.predicates = Algorithms.registry().predicate("GeneralPredicates", AlgorithmConfig.of(gates));
    }

    @Override
    public @Nullable String reject(ObjectNode pod, ObjectNode node, List<ObjectNode> podsOnNode) {
        ObjectReader reader = new ObjectReader(gates, false);
        ClusterState state = new ClusterState();
        if (!(read(reader, node, "Node") instanceof Node nodeObject)
                || !(read(reader, pod, "Pod") instanceof PodInfo podInfo)) {
            return null;
        }
        state.putNode(nodeObject);
        for (ObjectNode other : podsOnNode) {
            if (read(reader, other, "Pod") instanceof PodInfo running && !running.isSame(podInfo)) {
                state.addPod(running);
            }
        }
        state.startCycle();
        NodeInfo info = state.node(nodeObject.name());
        if (info == null) {
            return null;
        }
        Verdict verdict = predicates.start(PodContext.of(podInfo, state)).check(info);
        if (verdict.fits()) {
            return null;
        }
        if (verdict.reasons().isEmpty()) {
            return "UnexpectedAdmissionError: " + verdict.error();
        }
        FailureReason first = verdict.reasons().get(0);
        if (first.text().startsWith(INSUFFICIENT)) {
            String resource = first.text().substring(INSUFFICIENT.length());
            return "OutOf" + resource + ": Node didn't have enough resource: " + resource;
        }
        return "Predicate: " + first.text();
    }

    private static @Nullable ClusterObject read(ObjectReader reader, ObjectNode object, String kind) {
        try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            return reader.read(parser, kind);
        } catch (IOException e) {
            return null;
        }
    }
}
