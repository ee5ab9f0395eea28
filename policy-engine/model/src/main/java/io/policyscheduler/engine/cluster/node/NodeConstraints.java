package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.cluster.selector.TermSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requirements of a pod for node labels and names: {@code nodeSelector} and required node affinity. Immutable. Mirrors
 * {@code podMatchesNodeSelectorAndAffinityTerms} of {@code pkg/scheduler/algorithm/predicates/predicates.go}.
 */
public final class NodeConstraints {
    private final LabelSelector selector;
    private final @Nullable NodeTermSet terms;

    private NodeConstraints(LabelSelector selector, @Nullable List<NodeSelectorTerm> terms) {
        this.selector = selector;
        this.terms = terms == null ? null : NodeTermSet.ofRequired(terms);
    }

    /** The requirements of {@code pod}; an invalid key or value in its nodeSelector makes the nodeSelector match all nodes. */
    public static NodeConstraints of(PodInfo pod) {
        return new NodeConstraints(
                LabelSelector.ofValidatedMap(pod.spec().nodeSelector()),
                pod.affinity().requiredNode());
    }

    /** The requirements of {@code pod} in current releases, which do not validate its nodeSelector. */
    public static NodeConstraints ofCurrent(PodInfo pod) {
        Labels required = pod.spec().nodeSelector();
        List<LabelRequirement> requirements = new ArrayList<>(required.size());
        required.forEach((key, value) -> requirements.add(new LabelRequirement(key, "In", List.of(value), null)));
        return new NodeConstraints(
                requirements.isEmpty() ? LabelSelector.EVERYTHING : new LabelSelector(requirements),
                pod.affinity().requiredNode());
    }

    /** True if {@code node} satisfies the requirements. */
    public boolean accept(Node node) {
        return selector.matches(node.labels()) && (terms == null || terms.anyMatches(node.labels(), node.name()));
    }

    /** Terms of node affinity, indexed by label to evaluate many nodes. Immutable. */
    public static final class NodeTermSet {
        private static final int MAX_LINEAR = 4;
        private static final String NAME_FIELD = "metadata.name";

        private record Weighted(NodeSelectorTerm term, long weight) {}

        /** The key of the field {@code metadata.name}; no label key contains a blank. */
        private static final String NAME_KEY = "field metadata.name";

        private final List<Weighted> scanned = new ArrayList<>(1);
        private final TermSet lastSum;
        private final boolean matchesNames;
        private final boolean isComputed;

        private NodeTermSet(List<Weighted> terms, boolean fields) {
            TermSet.Builder builder = new TermSet.Builder();
            boolean named = false;
            boolean any = false;
            boolean isFew = terms.size() <= MAX_LINEAR
                    && terms.stream().allMatch(of -> of.term().expressions().size() <= MAX_LINEAR);
            for (Weighted weighted : terms) {
                NodeSelectorTerm term = weighted.term();
                boolean reads = fields && !term.fields().isEmpty();
                if (isFew || (reads && !areNames(term.fields()))) {
                    scanned.add(fields ? weighted : new Weighted(withoutFields(term), weighted.weight()));
                    continue;
                }
                if (term.expressions().isEmpty() && !reads) {
                    // Matches no node.
                    continue;
                }
                List<LabelRequirement> requirements = new ArrayList<>(term.expressions());
                if (reads) {
                    named = true;
                    for (LabelRequirement field : term.fields()) {
                        requirements.add(new LabelRequirement(NAME_KEY, field.operator(), field.values(), null));
                    }
                }
                builder.add(new LabelSelector(requirements), 0, weighted.weight());
                any = true;
            }
            this.lastSum = builder.build();
            this.matchesNames = named;
            this.isComputed = any;
        }

        private static NodeSelectorTerm withoutFields(NodeSelectorTerm term) {
            return term.fields().isEmpty() ? term : new NodeSelectorTerm(term.expressions(), List.of());
        }

        private static boolean areNames(List<LabelRequirement> fields) {
            for (LabelRequirement field : fields) {
                boolean known =
                        field.operator().equals("In") || field.operator().equals("NotIn");
                if (!known || field.values().size() != 1 || !field.key().equals(NAME_FIELD)) {
                    return false;
                }
            }
            return true;
        }

        /** ORed terms, with their fields. */
        public static NodeTermSet ofRequired(List<NodeSelectorTerm> terms) {
            return new NodeTermSet(
                    terms.stream().map(term -> new Weighted(term, 1)).toList(), true);
        }

        /**
         * Preferences.
         *
         * @param fields false to ignore the terms' fields, as v1.17 does
         */
        public static NodeTermSet ofPreferred(List<Affinity.PreferredNodeTerm> terms, boolean fields) {
            return new NodeTermSet(
                    terms.stream()
                            .map(preferred -> new Weighted(preferred.term(), preferred.weight()))
                            .toList(),
                    fields);
        }

        /** True if the node satisfies some term. */
        public boolean anyMatches(Labels labels, String nodeName) {
            for (int i = 0; i < scanned.size(); i++) {
                if (scanned.get(i).term().matches(labels, nodeName)) {
                    return true;
                }
            }
            return isComputed && lastSum(labels, nodeName).terms() > 0;
        }

        /** The sum of the weights of the terms that the node satisfies. */
        public long weight(Labels labels, String nodeName) {
            long sum = 0;
            for (int i = 0; i < scanned.size(); i++) {
                if (scanned.get(i).term().matches(labels, nodeName)) {
                    sum += scanned.get(i).weight();
                }
            }
            return isComputed ? sum + lastSum(labels, nodeName).weight() : sum;
        }

        private TermSet.Sum lastSum(Labels labels, String nodeName) {
            return lastSum.of(matchesNames ? labels.with(NAME_KEY, nodeName) : labels, group -> true);
        }
    }
}
