package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Lifts that change a node. */
final class NodeLifts {
    /** The taint that the node controller puts on a node that is cordoned. */
    static final String UNSCHEDULABLE_TAINT = "node.kubernetes.io/unschedulable";

    private NodeLifts() {}

    /**
     * The node gets more of a resource, by growing or because others leave.
     *
     * @param missing above 0; milli-CPU, bytes or a count
     * @param asked what the pod asks for
     * @param allocatable what the node has in all
     */
    record MoreOf(String node, String resource, long missing, long asked, long allocatable) implements Lift {
        @Override
        public Kind kind() {
            return Kind.RESOURCE;
        }

        @Override
        public String text() {
            String more = resource.equals(ResourceNames.PODS)
                    ? "room for " + missing + (missing == 1 ? " more pod" : " more pods")
                    : Amounts.more(resource, missing);
            return more + " (requests " + Amounts.number(resource, asked) + ", "
                    + Amounts.number(resource, Math.max(0, asked - missing)) + " of "
                    + Amounts.number(resource, allocatable) + " free)";
        }

        @Override
        public boolean exceedsNode() {
            return asked > allocatable;
        }

        /** Half for a sliver, more the larger a part of the node is missing. */
        @Override
        public double effort() {
            return 0.5 + (double) missing / Math.max(allocatable, 1);
        }

        @Override
        public Situation apply(Situation before) {
            return before.withNode(node, this::grown);
        }

        private Node grown(Node old) {
            ResourceVector has = old.allocatable();
            Map<String, Long> scalars = new TreeMap<>();
            for (int i = 0; i < has.scalarCount(); i++) {
                scalars.put(has.scalarName(i), has.scalarAmount(i));
            }
            long milliCpu = has.milliCpu();
            long memory = has.memory();
            long storage = has.ephemeralStorage();
            long pods = has.pods();
            switch (resource) {
                case ResourceNames.CPU -> milliCpu = Arithmetic.SATURATING.add(milliCpu, missing);
                case ResourceNames.MEMORY -> memory = Arithmetic.SATURATING.add(memory, missing);
                case ResourceNames.EPHEMERAL_STORAGE -> storage = Arithmetic.SATURATING.add(storage, missing);
                case ResourceNames.PODS -> pods = Arithmetic.SATURATING.add(pods, missing);
                default -> scalars.merge(resource, missing, Arithmetic.SATURATING::add);
            }
            return Copies.withAllocatable(old, ResourceVector.of(milliCpu, memory, storage, pods, scalars));
        }
    }

    /** The node is uncordoned, and loses the taint that goes with it. */
    record Uncordon(String node) implements Lift {
        @Override
        public Kind kind() {
            return Kind.CORDON;
        }

        @Override
        public String text() {
            return "uncordon the node";
        }

        @Override
        public double effort() {
            return 0.5;
        }

        @Override
        public Situation apply(Situation before) {
            return before.withNode(
                    node,
                    old -> Copies.withTaints(
                            old,
                            false,
                            old.taints().stream()
                                    .filter(taint -> !taint.key().equals(UNSCHEDULABLE_TAINT))
                                    .toList()));
        }
    }

    /** The node loses a taint that reports a problem, such as not being ready. */
    record Untaint(String node, Taint taint) implements Lift {
        @Override
        public Kind kind() {
            return Kind.TAINT;
        }

        @Override
        public String text() {
            return "repair the node, which has the taint " + PodLifts.text(taint);
        }

        @Override
        public double effort() {
            return 1.2;
        }

        @Override
        public Situation apply(Situation before) {
            return before.withNode(
                    node,
                    old -> Copies.withTaints(
                            old,
                            old.unschedulable(),
                            old.taints().stream()
                                    .filter(other -> !other.equals(taint))
                                    .toList()));
        }
    }

    /**
     * The node gets a label, or loses it.
     *
     * @param value null to take the label away; empty where any value will do
     */
    record Label(String node, String key, @Nullable String value) implements Lift {
        @Override
        public Kind kind() {
            return Kind.LABEL;
        }

        @Override
        public String text() {
            if (value == null) {
                return "remove the label " + key;
            }
            return "add the label " + key + (value.isEmpty() ? "" : "=" + value);
        }

        @Override
        public Situation apply(Situation before) {
            return before.withNode(node, old -> {
                Map<String, String> labels = old.labels().toMap();
                if (value == null) {
                    labels.remove(key);
                } else {
                    labels.put(key, value);
                }
                return Copies.withLabels(old, Labels.copyOf(labels));
            });
        }
    }
}
