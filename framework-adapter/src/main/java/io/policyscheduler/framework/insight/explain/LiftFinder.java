package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds out from nodes and pods what would take obstacles away. The reasons say where to look: their texts are the same
 * whichever release's algorithms give them. What comes out is a proposal that has to be tried.
 */
final class LiftFinder {
    private static final String INSUFFICIENT = "Insufficient ";
    private static final String TOO_MANY_PODS = "Too many pods";
    /** Always stands beside a reason that says more. */
    private static final String POD_TERMS = "node(s) didn't match pod affinity/anti-affinity";

    /** Begins what is said of a claim without a volume besides; a volume takes it away too. */
    private static final String OF_CLAIM = "PersistentVolumeClaim ";

    private final Scene scene;

    LiftFinder(Scene scene) {
        this.scene = scene;
    }

    /** Lifts for all obstacles together; empty when there is one for which nothing is known. */
    List<Lift> find(String nodeName, List<Obstacle> obstacles) {
        NodeInfo node = scene.node(nodeName);
        if (node == null) {
            return List.of();
        }
        Set<Lift> lifts = new LinkedHashSet<>();
        boolean needsClaim = false;
        for (Obstacle obstacle : obstacles) {
            for (String reason : obstacle.reasons()) {
                if (reason.equals(POD_TERMS)) {
                    continue;
                }
                List<Lift> found = find(reason, obstacle.filter(), node);
                if (found.isEmpty() && !reason.startsWith(OF_CLAIM)) {
                    return List.of();
                }
                needsClaim |= found.isEmpty();
                lifts.addAll(found);
            }
        }
        boolean getsClaim = lifts.stream().anyMatch(lift -> lift.kind() == Lift.Kind.VOLUME);
        return needsClaim && !getsClaim ? List.of() : withoutVagueLabels(lifts);
    }

    /** Where one obstacle needs a label with any value and another one a certain value, the latter is enough. */
    private static List<Lift> withoutVagueLabels(Set<Lift> lifts) {
        Set<String> definite = new HashSet<>();
        for (Lift lift : lifts) {
            if (lift instanceof NodeLifts.Label label
                    && label.value() != null
                    && !label.value().isEmpty()) {
                definite.add(label.key());
            }
        }
        return lifts.stream()
                .filter(lift -> !(lift instanceof NodeLifts.Label label
                        && "".equals(label.value())
                        && definite.contains(label.key())))
                .toList();
    }

    private List<Lift> find(String reason, String filter, NodeInfo node) {
        NodeFinder ofNode = new NodeFinder(scene, node);
        if (reason.startsWith(INSUFFICIENT) || reason.equals(TOO_MANY_PODS)) {
            String resource = reason.startsWith(INSUFFICIENT) ? reason.substring(INSUFFICIENT.length()) : "pods";
            return ofNode.resource(resource);
        }
        if (reason.startsWith("node(s) had untolerated taint")
                || reason.startsWith("node(s) had taints that the pod didn't tolerate")) {
            return ofNode.taints(filter);
        }
        if (reason.startsWith("node(s) didn't match pod topology spread constraints")) {
            return spread(filter, node);
        }
        if (reason.contains("persistentvolumeclaim \"") || reason.contains("ReadWriteOncePod")) {
            return new VolumeFinder(scene, node).find(reason, filter);
        }
        return switch (reason) {
            case "node(s) were unschedulable" -> List.of(new NodeLifts.Uncordon(node.name()));
            case "node(s) didn't match node selector",
                    "node(s) didn't match Pod's node affinity",
                    "node(s) didn't match Pod's node affinity/selector" -> new SelectorFinder(scene, node).find();
            case "node(s) didn't have the requested labels" -> ofNode.labels();
            case "node(s) didn't have free ports for the requested pod ports" -> ofNode.ports();
            case "node(s) didn't match pod affinity rules" -> new PodTermFinder(scene, node).affinity();
            case "node(s) didn't match pod anti-affinity rules" -> new PodTermFinder(scene, node).antiAffinity();
            case "node(s) didn't satisfy existing pods anti-affinity rules" ->
                new PodTermFinder(scene, node).antiAffinityOfOthers();
            default -> new VolumeFinder(scene, node).find(reason, filter);
        };
    }

    private List<Lift> spread(String filter, NodeInfo node) {
        List<Lift> lifts = new ArrayList<>();
        for (TopologySpreadConstraint constraint : scene.pod().spec().spreadConstraints()) {
            if (constraint.isHard()) {
                int skew = scene.smallestSkew(constraint, filter, node.name());
                if (skew != constraint.maxSkew()) {
                    lifts.add(new PodLifts.Skew(constraint, skew));
                }
            }
        }
        return lifts;
    }
}
