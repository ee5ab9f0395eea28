package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hard topology spread constraints answered from counts of matching pods by topology pair. */
final class EvenPodsSpreadFilter implements PodFilter {
    private static final Verdict SKEWED = Verdict.unfit(FailureReasons.TOPOLOGY_SPREAD);

    /** A constraint made ready for many comparisons; {@code self} is 1 when it counts the incoming pod. */
    private record Constraint(
            String key, int maxSkew, int self, @Nullable MemoizedSelector selector) {
        static Constraint of(TopologySpreadConstraint constraint, PodInfo pod) {
            return new Constraint(
                    constraint.topologyKey(),
                    constraint.maxSkew(),
                    constraint.selects(pod.labels()) ? 1 : 0,
                    constraint.selector() == null ? null : new MemoizedSelector(constraint.selector()));
        }

        boolean selects(PodInfo pod) {
            return selector != null && selector.matches(pod.labels());
        }

        int countOn(NodeInfo node, String namespace) {
            int count = 0;
            for (int i = 0; selector != null && i < node.podCount(); i++) {
                PodInfo existing = node.pod(i);
                if (existing.namespace().equals(namespace) && selector.matches(existing.labels())) {
                    count++;
                }
            }
            return count;
        }
    }

    private final String namespace;
    private final List<Constraint> constraints;
    private final SpreadCounts counts;

    private EvenPodsSpreadFilter(String namespace, List<Constraint> constraints, SpreadCounts counts) {
        this.namespace = namespace;
        this.constraints = constraints;
        this.counts = counts;
    }

    static EvenPodsSpreadFilter of(PodContext context, List<TopologySpreadConstraint> hard) {
        PodInfo pod = context.pod();
        List<Constraint> constraints = new ArrayList<>(hard.size());
        for (TopologySpreadConstraint constraint : hard) {
            constraints.add(Constraint.of(constraint, pod));
        }
        NodeConstraints demands = NodeConstraints.of(pod);
        TopologyCounts counts = new TopologyCounts();
        for (NodeInfo node : context.cluster().nodes()) {
            Labels labels = node.node().labels();
            if (!hasEveryKey(constraints, labels) || !demands.accept(node.node())) {
                continue;
            }
            for (Constraint constraint : constraints) {
                // A count of 0 is a count: it makes the topology value one that could take the pod.
                counts.add(
                        constraint.key(),
                        labels.getOrEmpty(constraint.key()),
                        constraint.countOn(node, pod.namespace()));
            }
        }
        return new EvenPodsSpreadFilter(pod.namespace(), List.copyOf(constraints), new SpreadCounts(counts));
    }

    @Override
    public Verdict check(NodeInfo node) {
        if (counts.isEmpty()) {
            return Verdict.FITS;
        }
        Labels labels = node.node().labels();
        for (int i = 0; i < constraints.size(); i++) {
            Constraint constraint = constraints.get(i);
            String value = labels.get(constraint.key());
            if (value == null) {
                return SKEWED;
            }
            long skew = counts.get(constraint.key(), value) + constraint.self() - counts.minimum(constraint.key());
            if (skew > constraint.maxSkew()) {
                return SKEWED;
            }
        }
        return Verdict.FITS;
    }

    @Override
    public PodFilter copy() {
        return new EvenPodsSpreadFilter(namespace, constraints, counts.copy());
    }

    @Override
    public @Nullable String addPod(PodInfo added, NodeInfo node) {
        change(added, node.node().labels(), 1);
        return null;
    }

    @Override
    public @Nullable String removePod(PodInfo removed, NodeInfo node) {
        change(removed, node.node().labels(), -1);
        return null;
    }

    /** As in v1.17 without another look at the pod's node selector, so that a count can fall below 0. */
    private void change(PodInfo changed, Labels labels, int amount) {
        if (!changed.namespace().equals(namespace) || !hasEveryKey(constraints, labels)) {
            return;
        }
        for (Constraint constraint : constraints) {
            if (constraint.selects(changed)) {
                counts.add(constraint.key(), labels.getOrEmpty(constraint.key()), amount);
            }
        }
    }

    private static boolean hasEveryKey(List<Constraint> constraints, Labels labels) {
        for (int i = 0; i < constraints.size(); i++) {
            if (!labels.has(constraints.get(i).key())) {
                return false;
            }
        }
        return true;
    }
}
