package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lifts for a node that the pod's nodeSelector and required node affinity do not mean. */
final class SelectorFinder {
    /** Labels that say what a node is; nobody changes them to make a pod fit. */
    private static final Set<String> IDENTITY = Set.of(
            "kubernetes.io/hostname",
            "kubernetes.io/arch",
            "kubernetes.io/os",
            "beta.kubernetes.io/arch",
            "beta.kubernetes.io/os",
            "node.kubernetes.io/instance-type",
            "beta.kubernetes.io/instance-type",
            Node.ZONE,
            Node.REGION,
            Node.LEGACY_ZONE,
            Node.LEGACY_REGION);

    private final Scene scene;
    private final Node node;

    SelectorFinder(Scene scene, NodeInfo node) {
        this.scene = scene;
        this.node = node.node();
    }

    /** The fewest changes; empty when none is known. */
    List<Lift> find() {
        Set<Lift> lifts = new LinkedHashSet<>();
        scene.pod().spec().nodeSelector().forEach((key, value) -> {
            if (!node.labels().has(key, value)) {
                lifts.add(label(key, value, key + "=" + value));
            }
        });
        List<NodeSelectorTerm> terms = scene.pod().affinity().requiredNode();
        if (terms == null || NodeSelectorTerm.anyMatches(terms, node.labels(), node.name())) {
            return List.copyOf(lifts);
        }
        List<Lift> fewest = null;
        for (NodeSelectorTerm term : terms) {
            List<Lift> ofTerm = ofTerm(term);
            if (ofTerm != null && (fewest == null || ofTerm.size() < fewest.size())) {
                fewest = ofTerm;
            }
        }
        if (fewest == null) {
            return List.of();
        }
        lifts.addAll(fewest);
        return List.copyOf(lifts);
    }

    private Lift label(String key, @Nullable String value, String demand) {
        return IDENTITY.contains(key)
                ? new PodLifts.WithoutDemand(key, demand)
                : new NodeLifts.Label(node.name(), key, value);
    }

    /** Null when no label makes the term match. */
    private @Nullable List<Lift> ofTerm(NodeSelectorTerm term) {
        // Whether the fields match: the expressions are changed, not they.
        boolean fields = new NodeSelectorTerm(List.of(), term.fields()).matches(node.labels(), node.name());
        if (!fields && !term.fields().isEmpty()) {
            return null;
        }
        List<Lift> lifts = new ArrayList<>();
        for (LabelRequirement expression : term.expressions()) {
            if (expression.error() != null) {
                return null;
            }
            if (!expression.matches(node.labels())) {
                Lift lift = ofExpression(expression);
                if (lift == null) {
                    return null;
                }
                lifts.add(lift);
            }
        }
        return lifts.isEmpty() ? null : lifts;
    }

    private @Nullable Lift ofExpression(LabelRequirement expression) {
        String demand = expression.key() + " " + expression.operator()
                + (expression.values().isEmpty() ? "" : " " + String.join(",", expression.values()));
        String first = expression.values().isEmpty() ? "" : expression.values().get(0);
        return switch (expression.operator()) {
            case "In" -> label(expression.key(), first, demand);
            case "Exists" -> label(expression.key(), "", demand);
            case "NotIn", "DoesNotExist" -> label(expression.key(), null, demand);
            case "Gt" -> number(expression.key(), first, 1, demand);
            case "Lt" -> number(expression.key(), first, -1, demand);
            default -> null;
        };
    }

    private @Nullable Lift number(String key, String bound, int step, String demand) {
        try {
            return label(key, Long.toString(Math.addExact(Long.parseLong(bound), step)), demand);
        } catch (ArithmeticException | NumberFormatException e) {
            return null;
        }
    }
}
