package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Node groups that grow and shrink in a run: models of Cluster Autoscaler and of Karpenter, not their code. Both add nodes for
 * unschedulable pods. Cluster Autoscaler removes nodes with a low utilization; Karpenter deletes nodes, or replaces them by cheaper
 * ones. A node belongs to a group if its label {@code label} has the name of the group.
 *
 * @param label key of the label that names the group of a node
 * @param groups in the order in which they win ties
 * @param expander selects the group that grows
 * @param seed of the random expander
 * @param scan time between two looks at the cluster
 * @param removal how nodes are removed
 * @param fits decides whether pods fit: both programs use the default plugins; null for the scheduler of the run
 */
public record NodeGroups(
        String label,
        List<Group> groups,
        Expander expander,
        long seed,
        Duration scan,
        Removal removal,
        @Nullable SchedulerSpec fits) {
    /** Pods with this annotation and the value false are not evicted, with the value true even without a controller. */
    static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";

    /** Pods with this annotation and the value true are not evicted. */
    static final String DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt";

    /** Cluster Autoscaler removes at most this many empty nodes at once ({@code --max-empty-bulk-delete}). */
    private static final int MOST_EMPTY = 10;

    public NodeGroups {
        groups = ImmutableList.copyOf(groups);
        if (scan.isZero() || scan.isNegative()) {
            throw new IllegalArgumentException("the scan interval " + scan + " is not positive");
        }
    }

    /** Returns the price of a node per hour; null if it belongs to no group. */
    public @Nullable Double priceOf(Node node) {
        Group group = groupOf(node);
        return group == null ? null : (Double) group.price();
    }

    private @Nullable Group groupOf(Node node) {
        String name = node.labels().get(label);
        return groups.stream()
                .filter(group -> group.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * A group of equal nodes.
     *
     * @param min the group does not shrink below this number of nodes
     * @param max the group does not grow beyond this number of nodes
     * @param price of a node per hour
     * @param priority for the priority expander
     * @param startDelay from the decision to add a node until it is ready
     * @param template a node of the group
     */
    public record Group(String name, int min, int max, double price, int priority, Duration startDelay, Node template) {
        /** Returns a node of the group. */
        Node node(String nodeName, String label, long createdMillis) {
            return new Node(
                    nodeName,
                    nodeName,
                    "1",
                    template.labels().with(Node.HOSTNAME, nodeName).with(label, name),
                    template.annotations(),
                    template.unschedulable(),
                    template.taints(),
                    template.allocatable(),
                    template.images(),
                    template.conditions(),
                    template.zoneKey(),
                    template.kubeletVersion(),
                    createdMillis,
                    template.conditionsSince(),
                    template.declaredFeatures());
        }
    }

    /** Ways to select the group that grows, as {@code --expander} of Cluster Autoscaler. The first group of the file wins ties. */
    public enum Expander {
        /** The group whose new nodes have the least unused CPU and memory. */
        LEAST_WASTE("least-waste"),
        /** The group whose new nodes have the lowest price per placed pod. */
        PRICE("price"),
        /** The group with the highest priority. */
        PRIORITY("priority"),
        /** A random group. */
        RANDOM("random"),
        /** The group whose new nodes take the most pods. */
        MOST_PODS("most-pods");

        private final String label;

        Expander(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /** How nodes are removed. */
    public sealed interface Removal permits ScaleDown, Consolidation {}

    /**
     * The scale-down of Cluster Autoscaler.
     *
     * @param utilization nodes below this share of requested CPU and of requested memory can be removed
     * @param unneeded how long a node must have been removable
     * @param afterAdd how long no node is removed after the last decision to add one
     */
    public record ScaleDown(double utilization, Duration unneeded, Duration afterAdd) implements Removal {}

    /**
     * The consolidation of Karpenter.
     *
     * @param onlyEmpty true for {@code WhenEmpty}, false for {@code WhenEmptyOrUnderutilized}
     * @param after how long no pod must have been bound to a node, or have ended there
     * @param budget most nodes of all groups that are disrupted at once
     * @param percent whether the budget is a percentage of the nodes, rounded up
     */
    public record Consolidation(boolean onlyEmpty, Duration after, int budget, boolean percent) implements Removal {}

    /** The cluster that an autoscaler watches and changes. */
    interface Cluster {
        /** Returns the time, nanoseconds since the start. */
        long nanos();

        Clock clock();

        /** Changes whenever a node, pod, or other object does. */
        long revision();

        Collection<Node> nodes();

        List<ClusterObject> objects();

        /** Returns all pods; those that a decision has just assigned to a node are not bound yet, but have {@code nodeName}. */
        List<PodInfo> pods();

        boolean isBound(PodInfo pod);

        /** Returns whether the last attempt for a pod without a node has failed. */
        boolean isUnschedulable(PodInfo pod);

        /** Returns whether a controller replaces the pod if it is evicted. */
        boolean isReplaced(PodInfo pod);

        /** Returns when a pod was last bound to a node or has ended there; 0 if never. */
        long touched(String node);

        void add(Node node);

        /** Cordons the node, evicts its pods except those of DaemonSets, and removes it when they are gone. */
        void drain(Node node);

        /** Calls an action later. */
        void later(Duration delay, Runnable action);
    }

    /** The state of the model in one run. */
    static final class Autoscaler {
        private final NodeGroups config;
        private final SchedulerSpec fits;
        private final Cluster cluster;
        private final SplittableRandom random;
        /** Nodes that were requested and are not ready yet, by name. */
        private final Map<String, Node> starting = new LinkedHashMap<>();
        /** Since when nodes are unneeded, nanoseconds since the start. */
        private final Map<String, Long> unneeded = new LinkedHashMap<>();
        /** Nodes whose replacement is starting. */
        private final Set<String> replaced = new LinkedHashSet<>();

        /** Nodes that unschedulable pods fit on, so that these pods will probably run there. */
        private final Set<String> nominated = new LinkedHashSet<>();
        /** Nodes that are drained and then removed. */
        private final Set<String> removing = new LinkedHashSet<>();

        private final Map<String, Integer> numbers = new HashMap<>();
        private long lastAdd = ClusterTrace.NONE;
        private long seen = -1;
        private long due = VirtualTime.NEVER;

        Autoscaler(NodeGroups config, SchedulerSpec ofRun, Cluster cluster) {
            this.config = config;
            this.fits = config.fits() == null ? ofRun : config.fits();
            this.cluster = cluster;
            this.random = new SplittableRandom(config.seed());
        }

        /** Looks at the cluster, and changes it if necessary. */
        void scan() {
            if (cluster.revision() == seen && cluster.nanos() < due) {
                return;
            }
            seen = cluster.revision();
            due = VirtualTime.NEVER;
            removing.retainAll(cluster.nodes().stream().map(Node::name).toList());
            Mirror mirror = new Mirror();
            List<PodInfo> left = new ArrayList<>();
            nominated.clear();
            for (PodInfo pod : cluster.pods()) {
                if (cluster.isUnschedulable(pod)) {
                    String node = mirror.place(pod);
                    if (node == null) {
                        left.add(pod);
                    } else {
                        nominated.add(node);
                    }
                }
            }
            boolean grows = !left.isEmpty() && grow(mirror, left);
            if (config.removal() instanceof Consolidation consolidation) {
                if (left.isEmpty() && starting.isEmpty()) {
                    consolidate(consolidation, mirror);
                }
            } else if (config.removal() instanceof ScaleDown down && !grows) {
                shrink(down, mirror);
            }
        }

        /**
         * A group that could grow.
         *
         * @param nodes number of new nodes
         * @param pods that fit on these nodes
         */
        private record Option(Group group, int nodes, List<PodInfo> pods) {
            double waste() {
                long cpu = 0;
                long memory = 0;
                for (PodInfo pod : pods) {
                    cpu += requests(pod).milliCpu();
                    memory += requests(pod).memory();
                }
                ResourceVector each = group.template().allocatable();
                return wasted(cpu, nodes * each.milliCpu()) + wasted(memory, nodes * each.memory());
            }

            private static double wasted(long used, long all) {
                return all == 0 ? 0 : (double) (all - used) / all;
            }

            double pricePerPod() {
                return nodes * group.price() / pods.size();
            }
        }

        private boolean grow(Mirror mirror, List<PodInfo> left) {
            List<Option> options = new ArrayList<>();
            for (Group group : config.groups()) {
                Option option = option(mirror, group, left);
                if (option.nodes() > 0) {
                    options.add(option);
                }
            }
            if (options.isEmpty()) {
                return false;
            }
            Option best = switch (config.expander()) {
                case LEAST_WASTE -> first(options, Comparator.comparingDouble(Option::waste));
                case PRICE -> first(options, Comparator.comparingDouble(Option::pricePerPod));
                case PRIORITY ->
                    first(options, Comparator.comparingInt(one -> -one.group().priority()));
                case RANDOM -> options.get(random.nextInt(options.size()));
                case MOST_PODS ->
                    first(options, Comparator.comparingInt(one -> -one.pods().size()));
            };
            for (int i = 0; i < best.nodes(); i++) {
                start(best.group(), () -> {});
            }
            lastAdd = cluster.nanos();
            return true;
        }

        private static Option first(List<Option> options, Comparator<Option> order) {
            return options.stream().min(order).orElseThrow();
        }

        /** Counts the nodes of a group that the pods need: first-fit decreasing, as the estimator of Cluster Autoscaler. */
        private Option option(Mirror mirror, Group group, List<PodInfo> left) {
            int most = group.max() - size(group);
            int nodes = 0;
            List<PodInfo> placed = new ArrayList<>();
            int mark = mirror.mark();
            ResourceVector each = group.template().allocatable();
            List<PodInfo> sorted = new ArrayList<>(left);
            sorted.sort(Comparator.comparingDouble(pod -> -(share(requests(pod).milliCpu(), each.milliCpu())
                    + share(requests(pod).memory(), each.memory()))));
            for (PodInfo pod : sorted) {
                if (mirror.place(pod) != null) {
                    placed.add(pod);
                } else if (nodes < most) {
                    int before = mirror.mark();
                    mirror.addNode(group.node(group.name() + "-new-" + nodes, config.label(), 0));
                    if (mirror.place(pod) == null) {
                        mirror.undo(before);
                    } else {
                        placed.add(pod);
                        nodes++;
                    }
                }
            }
            mirror.undo(mark);
            return new Option(group, nodes, placed);
        }

        private static double share(long part, long all) {
            return all == 0 ? 0 : (double) part / all;
        }

        private int size(Group group) {
            int size = 0;
            for (Node node : cluster.nodes()) {
                size += config.groupOf(node) == group && !removing.contains(node.name()) ? 1 : 0;
            }
            for (Node node : starting.values()) {
                size += config.groupOf(node) == group ? 1 : 0;
            }
            return size;
        }

        private void start(Group group, Runnable ready) {
            Set<String> names = new LinkedHashSet<>(starting.keySet());
            cluster.nodes().forEach(node -> names.add(node.name()));
            String name;
            do {
                name = group.name() + "-" + numbers.merge(group.name(), 1, Integer::sum);
            } while (names.contains(name));
            long at = cluster.nanos() + group.startDelay().toNanos();
            Node node = group.node(name, config.label(), cluster.clock().millis() + (at - cluster.nanos()) / 1_000_000);
            starting.put(name, node);
            cluster.later(group.startDelay(), () -> {
                starting.remove(node.name());
                cluster.add(node);
                ready.run();
            });
        }

        private void shrink(ScaleDown down, Mirror mirror) {
            long now = cluster.nanos();
            Map<String, Long> since = new LinkedHashMap<>();
            Map<Group, Integer> spare = new HashMap<>();
            List<Node> removable = new ArrayList<>();
            for (Node node : members()) {
                if (utilization(mirror, node) >= down.utilization() || !mirror.empties(node)) {
                    continue;
                }
                since.put(node.name(), unneeded.getOrDefault(node.name(), now));
                removable.add(node);
            }
            unneeded.clear();
            unneeded.putAll(since);
            int empty = 0;
            boolean drained = false;
            for (Node node : removable) {
                Group group = config.groupOf(node);
                if (group == null) {
                    continue;
                }
                long at = since.getOrDefault(node.name(), now) + down.unneeded().toNanos();
                if (lastAdd != ClusterTrace.NONE) {
                    at = Math.max(at, lastAdd + down.afterAdd().toNanos());
                }
                int rest = spare.computeIfAbsent(group, one -> size(one) - one.min());
                if (rest <= 0) {
                    continue;
                }
                boolean isEmpty = mirror.movable(node).isEmpty();
                if (at > now || (isEmpty ? empty >= MOST_EMPTY : drained)) {
                    due = Math.min(due, Math.max(at, now + 1));
                    continue;
                }
                spare.put(group, rest - 1);
                unneeded.remove(node.name());
                remove(node);
                empty += isEmpty ? 1 : 0;
                drained |= !isEmpty;
            }
        }

        private void remove(Node node) {
            removing.add(node.name());
            cluster.drain(node);
        }

        /** Returns the nodes of groups that can be removed. */
        private List<Node> members() {
            return cluster.nodes().stream()
                    .filter(node -> config.groupOf(node) != null
                            && !node.unschedulable()
                            && !replaced.contains(node.name())
                            && !nominated.contains(node.name()))
                    .toList();
        }

        private static double utilization(Mirror mirror, Node node) {
            long cpu = 0;
            long memory = 0;
            for (PodInfo pod : mirror.podsOn(node)) {
                cpu += requests(pod).milliCpu();
                memory += requests(pod).memory();
            }
            return Math.max(
                    share(cpu, node.allocatable().milliCpu()),
                    share(memory, node.allocatable().memory()));
        }

        private void consolidate(Consolidation how, Mirror mirror) {
            long now = cluster.nanos();
            int all = (int) cluster.nodes().stream()
                    .filter(node -> config.groupOf(node) != null)
                    .count();
            int most = how.percent() ? (all * how.budget() + 99) / 100 : how.budget();
            int allowed = most - replaced.size() - removing.size();
            List<Node> candidates = new ArrayList<>();
            Map<Group, Integer> spare = new HashMap<>();
            for (Node node : members()) {
                long at = cluster.touched(node.name()) + how.after().toNanos();
                Group group = config.groupOf(node);
                if (group == null) {
                    continue;
                }
                if (at > now) {
                    due = Math.min(due, at);
                    continue;
                }
                int rest = spare.computeIfAbsent(group, one -> size(one) - one.min());
                if (mirror.movable(node).isEmpty() && mirror.isSettled(node) && rest > 0) {
                    if (allowed > 0) {
                        allowed--;
                        spare.put(group, rest - 1);
                        remove(node);
                    }
                } else {
                    candidates.add(node);
                }
            }
            if (how.onlyEmpty() || allowed <= 0) {
                return;
            }
            candidates.sort(Comparator.comparingInt(node -> mirror.movable(node).size()));
            for (Node node : candidates) {
                if (moves(mirror, node)) {
                    return;
                }
            }
        }

        /** Deletes a node whose pods fit elsewhere, or replaces it by a cheaper one; returns false if neither is possible. */
        private boolean moves(Mirror mirror, Node node) {
            Group own = config.groupOf(node);
            if (own == null) {
                return false;
            }
            boolean shrinks = size(own) > own.min();
            int mark = mirror.mark();
            List<PodInfo> left = mirror.leftOf(node);
            boolean deletes = left != null && left.isEmpty() && shrinks;
            Group cheaper = null;
            if (left != null && !left.isEmpty() && shrinks) {
                List<Group> groups = new ArrayList<>(config.groups());
                groups.sort(Comparator.comparingDouble(Group::price));
                for (Group group : groups) {
                    if (group.price() < own.price() && size(group) < group.max() && takes(mirror, group, left)) {
                        cheaper = group;
                        break;
                    }
                }
            }
            mirror.undo(mark);
            if (deletes) {
                remove(node);
            } else if (cheaper != null) {
                replaced.add(node.name());
                start(cheaper, () -> {
                    replaced.remove(node.name());
                    Mirror later = new Mirror();
                    Node current = later.node(node.name());
                    if (current != null && !current.unschedulable() && later.empties(current)) {
                        remove(current);
                    }
                });
            }
            return deletes || cheaper != null;
        }

        private boolean takes(Mirror mirror, Group group, List<PodInfo> pods) {
            int mark = mirror.mark();
            mirror.addNode(group.node(group.name() + "-new", config.label(), 0));
            boolean all = true;
            for (PodInfo pod : pods) {
                all = all && mirror.place(pod) != null;
            }
            mirror.undo(mark);
            return all;
        }

        private static ResourceVector requests(PodInfo pod) {
            return pod.resources().current().placed();
        }

        /** A copy of the cluster, with the nodes that are starting, in which pods are moved. */
        private final class Mirror {
            private final ClusterState state = new ClusterState(cluster.clock());
            private final SnapshotScheduler scheduler = fits.create(state, TieBreak.first());
            private final Map<String, List<PodInfo>> pods = new LinkedHashMap<>();
            private final Map<String, Integer> allowed = new HashMap<>();
            private final List<DisruptionBudgetInfo> budgets = new ArrayList<>();
            private final Deque<Runnable> journal = new ArrayDeque<>();

            Mirror() {
                for (ClusterObject object : cluster.objects()) {
                    state.putObject(object);
                    if (object instanceof DisruptionBudgetInfo budget) {
                        budgets.add(budget);
                        allowed.put(budget.key(), budget.disruptionsAllowed());
                    }
                }
                cluster.nodes().forEach(state::putNode);
                starting.values().forEach(state::putNode);
                for (PodInfo pod : cluster.pods()) {
                    if (pod.terminating() || pod.nodeName().isEmpty()) {
                        covering(pod).forEach(budget -> allowed.merge(budget.key(), -1, Integer::sum));
                    }
                    String node = pod.nodeName().isEmpty() ? pod.nominatedNodeName() : pod.nodeName();
                    if (!node.isEmpty()) {
                        PodInfo placed = pod.withNodeName(node);
                        state.addPod(placed);
                        pods.computeIfAbsent(node, name -> new ArrayList<>()).add(placed);
                    }
                }
            }

            private List<DisruptionBudgetInfo> covering(PodInfo pod) {
                return budgets.stream()
                        .filter(budget -> budget.namespace().equals(pod.namespace()) && budget.covers(pod.labels()))
                        .toList();
            }

            @Nullable
            Node node(String name) {
                NodeInfo info = state.node(name);
                return info == null ? null : info.node();
            }

            List<PodInfo> podsOn(Node node) {
                return pods.getOrDefault(node.name(), List.of());
            }

            /** Returns the pods that must move if the node is removed. */
            List<PodInfo> movable(Node node) {
                return podsOn(node).stream()
                        .filter(pod -> !pod.terminating() && !TraceRun.staysOnNode(pod))
                        .toList();
            }

            /** Returns whether no decision for the node waits for its bind. */
            boolean isSettled(Node node) {
                return podsOn(node).stream().allMatch(cluster::isBound);
            }

            /** Places a pod; returns its node, null if it fits nowhere. */
            @Nullable
            String place(PodInfo pod) {
                state.startCycle();
                PodInfo free = pod.withNodeName("");
                String node = scheduler
                        .decide(free, NominatedPods.NONE, scheduler.newState())
                        .node();
                if (node != null) {
                    PodInfo placed = fits.volumes().bound(state, free, node);
                    state.addPod(placed);
                    journal.push(() -> state.removePod(placed));
                }
                return node;
            }

            void addNode(Node node) {
                state.putNode(node);
                journal.push(() -> state.removeNode(node.name()));
            }

            /**
             * Removes a node and moves its pods to the others.
             *
             * @return the pods that fit nowhere else; null if one of the pods must not be evicted
             */
            @Nullable
            List<PodInfo> leftOf(Node node) {
                Map<String, Integer> evictions = new HashMap<>();
                for (PodInfo pod : movable(node)) {
                    String safe = pod.annotations().getOrEmpty(SAFE_TO_EVICT);
                    if (safe.equals("false")
                            || pod.annotations().has(DO_NOT_DISRUPT, "true")
                            || !(safe.equals("true") || cluster.isReplaced(pod))) {
                        return null;
                    }
                    for (DisruptionBudgetInfo budget : covering(pod)) {
                        int count = evictions.merge(budget.key(), 1, Integer::sum);
                        if (count > allowed.getOrDefault(budget.key(), 0)) {
                            return null;
                        }
                    }
                }
                if (!isSettled(node)) {
                    return null;
                }
                List<PodInfo> own = podsOn(node);
                own.forEach(state::removePod);
                state.removeNode(node.name());
                journal.push(() -> {
                    state.putNode(node);
                    own.forEach(state::addPod);
                });
                evictions.forEach((budget, count) -> allowed.merge(budget, -count, Integer::sum));
                journal.push(() -> evictions.forEach((budget, count) -> allowed.merge(budget, count, Integer::sum)));
                return movable(node).stream().filter(pod -> place(pod) == null).toList();
            }

            /** Moves the pods of a node if all fit elsewhere; else changes nothing. */
            boolean empties(Node node) {
                int mark = mark();
                List<PodInfo> left = leftOf(node);
                if (left == null || !left.isEmpty()) {
                    undo(mark);
                    return false;
                }
                return true;
            }

            int mark() {
                return journal.size();
            }

            void undo(int mark) {
                while (journal.size() > mark) {
                    journal.pop().run();
                }
            }
        }
    }

    /** Returns the settings of the model by name, for results. */
    public Map<String, String> describe() {
        ImmutableMap.Builder<String, String> all = ImmutableMap.builder();
        all.put("model", removal instanceof Consolidation ? "karpenter" : "cluster-autoscaler");
        all.put("expander", expander.toString());
        all.put("fits", fits == null ? "scheduler" : "default-plugins");
        groups.forEach(group -> all.put("group " + group.name(), group.min() + " to " + group.max() + " nodes"));
        return all.build();
    }
}
