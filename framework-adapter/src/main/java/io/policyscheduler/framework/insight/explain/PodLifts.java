package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lifts that change the pod, and so hold for all nodes. */
final class PodLifts {
    private PodLifts() {}

    /** A taint as kubectl writes it. */
    static String text(Taint taint) {
        return taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":" + taint.effect();
    }

    /** A selector as kubectl writes it. */
    static String text(@Nullable LabelSelector selector) {
        if (selector == null || selector.isEmpty()) {
            return selector == null ? "nothing" : "any pod";
        }
        return selector.requirements().stream().map(PodLifts::text).collect(Collectors.joining(","));
    }

    private static String text(LabelRequirement requirement) {
        String values = String.join(",", requirement.values());
        return switch (requirement.operator()) {
            case "In" ->
                requirement.values().size() == 1
                        ? requirement.key() + "=" + values
                        : requirement.key() + " in (" + values + ")";
            case "NotIn" -> requirement.key() + " notin (" + values + ")";
            case "Exists" -> requirement.key();
            case "DoesNotExist" -> "!" + requirement.key();
            default -> requirement.key() + " " + requirement.operator() + " " + values;
        };
    }

    /** The pod tolerates a taint. */
    record Tolerate(Taint taint) implements Lift {
        @Override
        public Kind kind() {
            return Kind.TOLERATION;
        }

        @Override
        public String text() {
            return "add a toleration for " + PodLifts.text(taint);
        }

        @Override
        public @Nullable String node() {
            return null;
        }

        @Override
        public Situation apply(Situation before) {
            List<Toleration> tolerations = new ArrayList<>(before.pod().tolerations());
            tolerations.add(new Toleration(taint.key(), "Equal", taint.value(), taint.effect()));
            return before.withPod(Copies.withTolerations(before.pod(), tolerations));
        }
    }

    /**
     * The pod no longer demands anything of a label that says what a node is, such as its name or zone.
     *
     * @param key a label key
     * @param demand what is demanded, for people
     */
    record WithoutDemand(String key, String demand) implements Lift {
        @Override
        public Kind kind() {
            return Kind.NODE_DEMAND;
        }

        @Override
        public String text() {
            return "remove the pod's requirement of " + demand;
        }

        @Override
        public @Nullable String node() {
            return null;
        }

        @Override
        public double effort() {
            return 1.5;
        }

        @Override
        public Situation apply(Situation before) {
            PodInfo pod = before.pod();
            Map<String, String> selector = pod.spec().nodeSelector().toMap();
            selector.remove(key);
            Affinity affinity = pod.affinity();
            return before.withPod(Copies.withNodeDemands(
                    pod,
                    Labels.copyOf(selector),
                    new Affinity(
                            without(affinity.requiredNode()),
                            affinity.preferredNode(),
                            affinity.podAffinity(),
                            affinity.podAntiAffinity())));
        }

        private @Nullable List<NodeSelectorTerm> without(@Nullable List<NodeSelectorTerm> terms) {
            if (terms == null) {
                return null;
            }
            List<NodeSelectorTerm> left = new ArrayList<>();
            for (NodeSelectorTerm term : terms) {
                List<LabelRequirement> expressions = term.expressions().stream()
                        .filter(expression -> !expression.key().equals(key))
                        .toList();
                if (expressions.isEmpty() && term.fields().isEmpty()) {
                    // A term without a demand is met by every node, and the terms are alternatives.
                    return null;
                }
                left.add(new NodeSelectorTerm(expressions, term.fields()));
            }
            return left;
        }
    }

    /**
     * The pod gives up a required term of inter-pod affinity.
     *
     * @param anti of podAntiAffinity
     * @param why what is in the way, for people
     */
    record WithoutPodTerm(boolean anti, PodAffinityTerm term, String why) implements Lift {
        @Override
        public Kind kind() {
            return Kind.POD_DEMAND;
        }

        @Override
        public String text() {
            return "remove the pod " + (anti ? "anti-affinity" : "affinity") + " to " + PodLifts.text(term.selector())
                    + " by " + term.topologyKey() + " (" + why + ")";
        }

        @Override
        public @Nullable String node() {
            return null;
        }

        @Override
        public double effort() {
            return 1.5;
        }

        @Override
        public Situation apply(Situation before) {
            Affinity affinity = before.pod().affinity();
            return before.withPod(Copies.withAffinity(
                    before.pod(),
                    new Affinity(
                            affinity.requiredNode(),
                            affinity.preferredNode(),
                            anti ? affinity.podAffinity() : without(affinity.podAffinity()),
                            anti ? without(affinity.podAntiAffinity()) : affinity.podAntiAffinity())));
        }

        private Affinity.@Nullable PodTerms without(Affinity.@Nullable PodTerms terms) {
            return terms == null
                    ? null
                    : new Affinity.PodTerms(
                            terms.required().stream()
                                    .filter(other -> !other.equals(term))
                                    .toList(),
                            terms.preferred());
        }
    }

    /**
     * A hard spread constraint allows more skew, or goes.
     *
     * @param maxSkew how much; 0 for a constraint that goes
     */
    record Skew(TopologySpreadConstraint constraint, int maxSkew) implements Lift {
        @Override
        public Kind kind() {
            return Kind.SPREAD;
        }

        @Override
        public String text() {
            String which = "for spreading " + PodLifts.text(constraint.selector()) + " by " + constraint.topologyKey();
            return maxSkew == 0
                    ? "remove the constraint " + which
                    : "set maxSkew to " + maxSkew + " instead of " + constraint.maxSkew() + " " + which;
        }

        @Override
        public @Nullable String node() {
            return null;
        }

        @Override
        public double effort() {
            return maxSkew == 0 ? 1.6 : 1.4;
        }

        @Override
        public Situation apply(Situation before) {
            List<TopologySpreadConstraint> constraints = new ArrayList<>();
            for (TopologySpreadConstraint other : before.pod().spec().spreadConstraints()) {
                if (!other.equals(constraint)) {
                    constraints.add(other);
                } else if (maxSkew > 0) {
                    constraints.add(new TopologySpreadConstraint(
                            maxSkew,
                            other.topologyKey(),
                            other.whenUnsatisfiable(),
                            other.selector(),
                            other.minDomains(),
                            other.nodeAffinityPolicy(),
                            other.nodeTaintsPolicy(),
                            other.matchLabelKeys()));
                }
            }
            return before.withPod(Copies.withSpread(before.pod(), constraints));
        }
    }
}
