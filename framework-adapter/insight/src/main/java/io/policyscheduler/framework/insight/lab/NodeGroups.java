package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
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
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
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

    /** Returns a node of each group, with the label of the group. */
    public List<Node> examples() {
        return groups.stream().map(group -> group.node(group.name(), label, 0)).toList();
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

    /** Receives what has changed in a cluster. */
    interface ChangeListener {
        /** Objects other than nodes and pods have changed. */
        void changed(ClusterChange objects);

        /** A node was added or updated; null if it was deleted. */
        void node(String name, @Nullable Node node);

        /**
         * A pod was added or updated. One that a decision has just assigned to a node is not bound yet, but has {@code nodeName}.
         *
         * @param order of its arrival
         */
        void pod(long order, PodInfo pod);

        /** A pod is no longer there. */
        void gone(String uid);
    }

    /** The cluster that an autoscaler watches and changes. */
    interface Cluster {
        /** Returns the time, nanoseconds since the start. */
        long nanos();

        Clock clock();

        /** Changes whenever a node, pod, or other object does. */
        long revision();

        /** A view of all nodes. */
        Collection<Node> nodes();

        @Nullable
        Node node(String name);

        /** Reports everything that has changed since the last call; the first time, everything. */
        void changes(ChangeListener receiver);

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
        /** Nodes of each group by its name, with those that are starting and without those that are removed; as of the scan. */
        private final Map<String, Integer> sizes = new HashMap<>();

        private final Mirror mirror;
        private long lastAdd = ClusterTrace.NONE;
        private long seen = -1;
        private long due = VirtualTime.NEVER;

        Autoscaler(NodeGroups config, SchedulerSpec ofRun, Cluster cluster) {
            this.config = config;
            this.fits = config.fits() == null ? ofRun : config.fits();
            this.cluster = cluster;
            this.random = new SplittableRandom(config.seed());
            this.mirror = new Mirror();
        }

        /** Looks at the cluster, and changes it if necessary. */
        void scan() {
            if (cluster.revision() == seen && cluster.nanos() < due) {
                return;
            }
            seen = cluster.revision();
            due = VirtualTime.NEVER;
            removing.removeIf(name -> cluster.node(name) == null);
            count();
            mirror.update();
            List<PodInfo> left = new ArrayList<>();
            nominated.clear();
            for (PodInfo pod : mirror.unavailable()) {
                if (cluster.isUnschedulable(pod)) {
                    String node = mirror.place(pod);
                    if (node == null) {
                        left.add(pod);
                    } else {
                        nominated.add(node);
                    }
                }
            }
            boolean grows = !left.isEmpty() && grow(left);
            if (config.removal() instanceof Consolidation consolidation) {
                if (left.isEmpty() && starting.isEmpty()) {
                    consolidate(consolidation);
                }
            } else if (config.removal() instanceof ScaleDown down && !grows) {
                shrink(down);
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

        private boolean grow(List<PodInfo> left) {
            List<Option> options = new ArrayList<>();
            for (Group group : config.groups()) {
                Option option = option(group, left);
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
        private Option option(Group group, List<PodInfo> left) {
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

        private void count() {
            sizes.clear();
            for (Node node : cluster.nodes()) {
                if (!removing.contains(node.name())) {
                    resize(node, 1);
                }
            }
            starting.values().forEach(node -> resize(node, 1));
        }

        private void resize(Node node, int difference) {
            Group group = config.groupOf(node);
            if (group != null) {
                sizes.merge(group.name(), difference, Integer::sum);
            }
        }

        private int size(Group group) {
            return sizes.getOrDefault(group.name(), 0);
        }

        private void start(Group group, Runnable ready) {
            String name;
            do {
                name = group.name() + "-" + numbers.merge(group.name(), 1, Integer::sum);
            } while (starting.containsKey(name) || cluster.node(name) != null);
            long at = cluster.nanos() + group.startDelay().toNanos();
            Node node = group.node(name, config.label(), cluster.clock().millis() + (at - cluster.nanos()) / 1_000_000);
            starting.put(name, node);
            resize(node, 1);
            cluster.later(group.startDelay(), () -> {
                starting.remove(node.name());
                cluster.add(node);
                ready.run();
            });
        }

        private void shrink(ScaleDown down) {
            long now = cluster.nanos();
            Map<String, Long> since = new LinkedHashMap<>();
            Map<Group, Integer> spare = new HashMap<>();
            List<Node> removable = new ArrayList<>();
            for (Node node : members()) {
                if (mirror.utilization(node) >= down.utilization() || !mirror.empties(node)) {
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
            resize(node, -1);
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

        private void consolidate(Consolidation how) {
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
                if (moves(node)) {
                    return;
                }
            }
        }

        /** Deletes a node whose pods fit elsewhere, or replaces it by a cheaper one; returns false if neither is possible. */
        private boolean moves(Node node) {
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
                    if (group.price() < own.price() && size(group) < group.max() && takes(group, left)) {
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
                    count();
                    mirror.update();
                    Node current = cluster.node(node.name());
                    // Another node of the group may have been removed while the replacement was starting.
                    boolean stillShrinks = size(own) > own.min();
                    if (current != null && !current.unschedulable() && stillShrinks && mirror.empties(current)) {
                        remove(current);
                    }
                });
            }
            return deletes || cheaper != null;
        }

        private boolean takes(Group group, List<PodInfo> pods) {
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

        /** The pods of a node. */
        private static final class Pods {
            /** In the order of their arrival. */
            private final SortedMap<Long, PodInfo> all = new TreeMap<>();

            private long milliCpu;
            private long memory;
            private @Nullable List<PodInfo> movable;

            void put(long order, PodInfo pod) {
                all.put(order, pod);
                add(pod, 1);
            }

            void remove(long order, PodInfo pod) {
                all.remove(order);
                add(pod, -1);
            }

            private void add(PodInfo pod, int sign) {
                milliCpu += sign * requests(pod).milliCpu();
                memory += sign * requests(pod).memory();
                movable = null;
            }

            List<PodInfo> movable() {
                List<PodInfo> known = movable;
                if (known == null) {
                    known = all.values().stream()
                            .filter(pod -> !pod.terminating() && !SimulatedPods.staysOnNode(pod))
                            .toList();
                    movable = known;
                }
                return known;
            }
        }

        /** A pod that has arrived; {@code node} is where it runs or will probably run, empty if it is not known. */
        private record Arrived(long order, PodInfo pod, String node) {
            PodInfo placed() {
                return pod.withNodeName(node);
            }
        }

        /** A copy of the cluster, with the nodes that are starting, in which pods are moved. It follows the changes of the cluster. */
        private final class Mirror implements ChangeListener {
            private final ClusterState state = new ClusterState(cluster.clock());
            private final SnapshotScheduler scheduler = fits.create(state, TieBreak.first());
            /** By UID. */
            private final Map<String, Arrived> arrived = new HashMap<>();
            /** By node. */
            private final Map<String, Pods> pods = new HashMap<>();
            /** Pods that are terminating or have no node, in the order of their arrival. */
            private final SortedMap<Long, PodInfo> unavailable = new TreeMap<>();

            private final Map<String, DisruptionBudgetInfo> budgets = new LinkedHashMap<>();
            private final Map<String, Integer> allowed = new HashMap<>();
            private final Deque<Runnable> journal = new ArrayDeque<>();

            /** Undoes all moves, and follows the cluster. */
            void update() {
                undo(0);
                cluster.changes(this);
                for (Node node : starting.values()) {
                    if (state.node(node.name()) == null) {
                        state.putNode(node);
                    }
                }
                allowed.clear();
                budgets.values().forEach(budget -> allowed.put(budget.key(), budget.disruptionsAllowed()));
                if (!budgets.isEmpty()) {
                    for (PodInfo pod : unavailable.values()) {
                        covering(pod).forEach(budget -> allowed.merge(budget.key(), -1, Integer::sum));
                    }
                }
            }

            @Override
            public void changed(ClusterChange change) {
                if (change instanceof ClusterChange.ObjectsReplaced replaced) {
                    replaced.objects().forEach(this::put);
                } else if (change instanceof ClusterChange.ObjectUpserted upserted) {
                    put(upserted.object());
                } else if (change instanceof ClusterChange.ObjectDeleted deleted) {
                    ClusterObject object =
                            state.object(deleted.kind(), ClusterObject.class, deleted.namespace(), deleted.name());
                    if (object != null) {
                        state.removeObject(object);
                        if (object instanceof DisruptionBudgetInfo budget) {
                            budgets.remove(budget.key());
                        }
                    }
                }
            }

            private void put(ClusterObject object) {
                state.putObject(object);
                if (object instanceof DisruptionBudgetInfo budget) {
                    budgets.put(budget.key(), budget);
                }
            }

            @Override
            public void node(String name, @Nullable Node node) {
                if (node != null) {
                    state.putNode(node);
                } else {
                    state.removeNode(name);
                }
            }

            @Override
            public void pod(long order, PodInfo pod) {
                gone(pod.uid());
                Arrived now =
                        new Arrived(order, pod, pod.nodeName().isEmpty() ? pod.nominatedNodeName() : pod.nodeName());
                arrived.put(pod.uid(), now);
                if (pod.terminating() || pod.nodeName().isEmpty()) {
                    unavailable.put(order, pod);
                }
                if (!now.node().isEmpty()) {
                    state.addPod(now.placed());
                    pods.computeIfAbsent(now.node(), name -> new Pods()).put(order, now.placed());
                }
            }

            @Override
            public void gone(String uid) {
                Arrived before = arrived.remove(uid);
                if (before == null) {
                    return;
                }
                unavailable.remove(before.order());
                Pods there = pods.get(before.node());
                if (there != null) {
                    state.removePod(before.placed());
                    there.remove(before.order(), before.placed());
                    if (there.all.isEmpty()) {
                        pods.remove(before.node());
                    }
                }
            }

            /** Returns the pods that are terminating or have no node, in the order of their arrival. */
            Collection<PodInfo> unavailable() {
                return unavailable.values();
            }

            private List<DisruptionBudgetInfo> covering(PodInfo pod) {
                return budgets.values().stream()
                        .filter(budget -> budget.namespace().equals(pod.namespace()) && budget.covers(pod.labels()))
                        .toList();
            }

            List<PodInfo> podsOn(Node node) {
                Pods there = pods.get(node.name());
                return there == null ? List.of() : List.copyOf(there.all.values());
            }

            /** Returns the larger share of requested CPU or memory. */
            double utilization(Node node) {
                Pods there = pods.get(node.name());
                return there == null
                        ? 0
                        : Math.max(
                                share(there.milliCpu, node.allocatable().milliCpu()),
                                share(there.memory, node.allocatable().memory()));
            }

            /** Returns the pods that must move if the node is removed. */
            List<PodInfo> movable(Node node) {
                Pods there = pods.get(node.name());
                return there == null ? List.of() : there.movable();
            }

            /** Returns whether no decision for the node waits for its bind. */
            boolean isSettled(Node node) {
                return podsOn(node).stream().allMatch(cluster::isBound);
            }

            /** Places a pod; returns its node, null if it fits nowhere. */
            @Nullable
            String place(PodInfo pod) {
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
