package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.ImageTable;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.NodeTable;
import io.policyscheduler.engine.cluster.node.NodeTree;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The mutable cluster state: nodes with their pods, and all other objects. Owned by one thread, so that a scheduling cycle reads it
 * without copying a snapshot. Mirrors the node side of {@code pkg/scheduler/internal/cache/cache.go}.
 */
public final class ClusterState implements ClusterView {
    private final Map<String, NodeInfo> infos = new LinkedHashMap<>();
    private final Map<String, NodeInfo> infosWithNode = new HashMap<>();
    private final NodeTree tree = new NodeTree();
    private final ImageTable images = new ImageTable();
    private boolean imageCountsOfEvents;
    private final ObjectStore objects = new ObjectStore();
    private final BudgetLog budgetLog = new BudgetLog();
    private final AssumedVolumes assumedVolumes = new AssumedVolumes(objects);
    private final AssumedClaims assumedClaims = new AssumedClaims(objects);
    private @Nullable List<NodeInfo> affinityNodes;
    /** The node order of v1.17, which continues over the zones. */
    private final NodeOrder passes = new NodeOrder();
    /** The same without repeated and omitted nodes. */
    private final NodeOrder completePasses = new NodeOrder();
    /** The node order of current releases. */
    private final NodeOrder currentOrder = new NodeOrder();

    private NodeOrder order = passes;
    private int invalidAntiAffinity;
    private final NodeTable table = new NodeTable();
    private final ClusterIndex index = new ClusterIndex(table);
    private final Clock clock;
    private Instant now;

    /** @param clock returns the time at which a cycle begins */
    public ClusterState(Clock clock) {
        this.clock = clock;
        this.now = clock.instant();
    }

    /** A cluster with the system clock. */
    public ClusterState() {
        this(Clock.systemUTC());
    }

    /** Adds or replaces a node object. */
    public void putNode(Node node) {
        NodeInfo info = infoOf(node.name());
        Node old = info.hasNode() ? info.node() : null;
        info.setNode(node, images.update(old, node));
        infosWithNode.put(node.name(), info);
        if (old == null || !old.labels().equals(node.labels()) || !old.zoneKey().equals(node.zoneKey())) {
            index.labelsChanged();
        }
        if (old == null) {
            tree.add(node.zoneKey(), node.name());
            passes.invalidate();
            completePasses.invalidate();
            currentOrder.invalidate();
        } else if (!old.zoneKey().equals(node.zoneKey())) {
            tree.remove(old.zoneKey(), node.name());
            tree.add(node.zoneKey(), node.name());
            // Current releases use their order until a node is added or removed.
            passes.markStale();
            completePasses.markStale();
        }
        table.touch(info);
        affinityNodes = null;
    }

    /**
     * Removes a node object; its pods stay until they are removed.
     *
     * @return false if the node was unknown
     */
    public boolean removeNode(String name) {
        NodeInfo info = infos.get(name);
        if (info == null || !info.hasNode()) {
            return false;
        }
        Node old = info.node();
        images.update(old, null);
        info.setNode(null, Map.of());
        infosWithNode.remove(name);
        tree.remove(old.zoneKey(), name);
        passes.invalidate();
        completePasses.invalidate();
        currentOrder.invalidate();
        affinityNodes = null;
        index.labelsChanged();
        table.touch(info);
        removeIfUnused(info);
        return true;
    }

    /** Adds a pod to {@code pod.nodeName()}, which need not be known yet. */
    public void addPod(PodInfo pod) {
        NodeInfo info = infoOf(pod.nodeName());
        info.addPod(pod);
        if (pod.hasPodAffinity()) {
            affinityNodes = null;
            invalidAntiAffinity += hasInvalidAntiAffinity(pod) ? 1 : 0;
        }
        table.podAdded(info, pod);
    }

    /**
     * Removes a pod.
     *
     * @return false if it was not on its node
     */
    public boolean removePod(PodInfo pod) {
        NodeInfo info = infos.get(pod.nodeName());
        PodInfo counted = info == null ? null : info.removePod(pod);
        if (info == null || counted == null) {
            return false;
        }
        if (pod.hasPodAffinity()) {
            affinityNodes = null;
            invalidAntiAffinity -= hasInvalidAntiAffinity(pod) ? 1 : 0;
        }
        table.podRemoved(info, counted);
        removeIfUnused(info);
        return true;
    }

    /** The same as {@link #removePod} and {@link #addPod}; for the versions of a pod on one node, it is a single change of the node. */
    public void replacePod(PodInfo before, PodInfo now) {
        NodeInfo info = infos.get(before.nodeName());
        PodInfo counted = info == null || !before.nodeName().equals(now.nodeName()) ? null : info.removePod(before);
        if (info == null || counted == null) {
            removePod(before);
            addPod(now);
            return;
        }
        info.addPod(now);
        if (before.hasPodAffinity() || now.hasPodAffinity()) {
            affinityNodes = null;
            invalidAntiAffinity += (hasInvalidAntiAffinity(now) ? 1 : 0) - (hasInvalidAntiAffinity(before) ? 1 : 0);
        }
        table.podReplaced(info, counted, now);
    }

    /** Closes a node, which need not be known yet, for all pods, or opens it again. */
    public void setClosed(String node, boolean closed) {
        NodeInfo info = infoOf(node);
        info.setClosed(closed);
        table.touch(info);
        removeIfUnused(info);
    }

    /** Adds or replaces an object that is neither pod nor node. */
    public void putObject(ClusterObject object) {
        if (object instanceof ResourceClaimInfo claim) {
            assumedClaims.putWatched(claim, () -> objects.put(claim));
            return;
        }
        DisruptionBudgetInfo budget = budgetUnderNameOf(object);
        if (!objects.put(object)) {
            throw new IllegalArgumentException("not stored here: " + object.key());
        }
        if (object instanceof DisruptionBudgetInfo now) {
            budgetLog.note(budget, now);
        }
        assumedVolumes.confirm(object);
    }

    /** Removes an object that is neither pod nor node. */
    public void removeObject(ClusterObject object) {
        if (object instanceof ResourceClaimInfo claim) {
            assumedClaims.putWatched(claim, () -> objects.remove(claim));
            return;
        }
        DisruptionBudgetInfo budget = budgetUnderNameOf(object);
        if (!objects.remove(object)) {
            throw new IllegalArgumentException("not stored here: " + object.key());
        }
        budgetLog.note(budget, null);
        assumedVolumes.drop(object);
    }

    private @Nullable DisruptionBudgetInfo budgetUnderNameOf(ClusterObject object) {
        return object.resourceKind() == ResourceKind.DISRUPTION_BUDGETS
                ? object(ResourceKind.DISRUPTION_BUDGETS, DisruptionBudgetInfo.class, object.namespace(), object.name())
                : null;
    }

    /** The recent changes of disruption budgets. */
    public BudgetLog budgetLog() {
        return budgetLog;
    }

    @Override
    public AssumedVolumes assumedVolumes() {
        return assumedVolumes;
    }

    @Override
    public AssumedClaims assumedClaims() {
        return assumedClaims;
    }

    /** True if some required anti-affinity term of {@code pod} has a selector that cannot be parsed. */
    private static boolean hasInvalidAntiAffinity(PodInfo pod) {
        Affinity.PodTerms terms = pod.affinity().podAntiAffinity();
        if (terms != null) {
            for (PodAffinityTerm term : terms.required()) {
                if (term.selector() != null && term.selector().error() != null) {
                    return true;
                }
            }
        }
        return false;
    }

    private NodeInfo infoOf(String name) {
        NodeInfo info = infos.get(name);
        if (info == null) {
            info = new NodeInfo(name);
            infos.put(name, info);
            table.add(info);
        }
        return info;
    }

    private void removeIfUnused(NodeInfo info) {
        if (info.podCount() == 0 && !info.hasNode() && !info.isClosed()) {
            infos.remove(info.name());
            table.remove(info);
        }
    }

    /** The change counter; every change of a node increments it. */
    public long generation() {
        return table.generation();
    }

    /**
     * Starts a scheduling cycle exactly as v1.17: updates the node order and the time. After nodes were added to or removed from one
     * of several zones, the order can repeat a node and omit another one.
     */
    public void startCycle() {
        startCycle(passes, tree::pass, tree::repeats);
    }

    /** The same with each node exactly once: repeated nodes are dropped, and omitted ones added to the end. */
    public void startCompleteCycle() {
        startCycle(completePasses, tree::completePass, tree::repeats);
    }

    /** The same for a cycle of current releases, whose order contains each node exactly once. */
    public void startCurrentCycle() {
        startCycle(currentOrder, tree::fromTheStart, () -> true);
    }

    private void startCycle(NodeOrder requestedOrder, Supplier<List<String>> names, BooleanSupplier repeats) {
        now = clock.instant();
        boolean settled = requestedOrder.isValid();
        if (!settled) {
            List<String> next = names.get();
            List<NodeInfo> list = new ArrayList<>(next.size());
            for (String name : next) {
                NodeInfo info = infosWithNode.get(name);
                if (info != null) {
                    list.add(info);
                }
            }
            boolean complete = list.size() == infosWithNode.size() && new HashSet<>(next).size() == next.size();
            requestedOrder.set(list, repeats.getAsBoolean(), complete);
        }
        if (!settled || order != requestedOrder) {
            order = requestedOrder;
            affinityNodes = null;
            index.setOrder(requestedOrder.slots());
        }
    }

    /** Null while the node order omits or repeats a node, because algorithms that iterate over the nodes then do the same. */
    @Override
    public @Nullable ClusterIndex index() {
        return order.isComplete() ? index : null;
    }

    @Override
    public List<NodeInfo> nodes() {
        return order.nodes();
    }

    @Override
    public List<NodeInfo> nodesWithAffinity() {
        List<NodeInfo> known = affinityNodes;
        if (known == null) {
            known = new ArrayList<>();
            for (NodeInfo info : order.nodes()) {
                if (!info.podsWithAffinity().isEmpty()) {
                    known.add(info);
                }
            }
            known = Collections.unmodifiableList(known);
            affinityNodes = known;
        }
        return known;
    }

    @Override
    public @Nullable NodeInfo node(String name) {
        return infosWithNode.get(name);
    }

    /** Visits every node object with its pods, in the order in which the nodes were added. */
    public void forEachNode(Consumer<NodeInfo> visitor) {
        for (NodeInfo info : infos.values()) {
            if (info.hasNode()) {
                visitor.accept(info);
            }
        }
    }

    /** The number of node objects. */
    public int nodeCount() {
        return infosWithNode.size();
    }

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public @Nullable ImageState image(String name) {
        return images.current(name);
    }

    @Override
    public boolean hasImageCountsOfEvents() {
        return imageCountsOfEvents;
    }

    /** Sets {@link #hasImageCountsOfEvents}. */
    public void useImageCountsOfEvents(boolean value) {
        imageCountsOfEvents = value;
    }

    /** Counts the nodes with each image for all nodes, as if each node had just sent an event. */
    public void countImages() {
        for (NodeInfo info : infosWithNode.values()) {
            info.setImages(images.update(info.node(), info.node()));
            table.touch(info);
        }
    }

    @Override
    public <T extends ClusterObject> @Nullable T object(
            ResourceKind kind, Class<T> type, String namespace, String name) {
        return objects.object(kind, type, namespace, name);
    }

    @Override
    public <T extends ClusterObject> Collection<T> objects(ResourceKind kind, Class<T> type, String namespace) {
        return objects.objects(kind, type, namespace);
    }

    @Override
    public @Nullable ClaimInfo claim(String namespace, String name) {
        return assumedVolumes.claim(namespace, name);
    }

    @Override
    public @Nullable PersistentVolumeInfo volume(String name) {
        return assumedVolumes.volume(name);
    }

    @Override
    public Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName) {
        return assumedVolumes.volumesOfClass(storageClassName);
    }

    @Override
    public Collection<StorageCapacityInfo> storageCapacities(String storageClassName) {
        return objects.storageCapacities(storageClassName);
    }

    @Override
    public Collection<VolumeAttachmentInfo> volumeAttachments(String nodeName) {
        return objects.volumeAttachments(nodeName);
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlices(String nodeName) {
        return objects.resourceSlices(nodeName);
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlicesOfPool(String driver, String pool) {
        return objects.resourceSlicesOfPool(driver, pool);
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlicesWithCounters() {
        return objects.resourceSlicesWithCounters();
    }

    @Override
    public int podsWithInvalidAntiAffinity() {
        return invalidAntiAffinity;
    }

    /** The evaluation order of nodes, cached until nodes are added or removed. */
    static final class NodeOrder {
        private List<NodeInfo> nodes = List.of();
        private int[] slots = new int[0];
        private boolean valid = true;
        private boolean complete;

        /** Nodes were added, removed or moved; the order is computed again on the next use. */
        void markStale() {
            valid = false;
        }

        /** A node of the order was removed, or a new one added. */
        void invalidate() {
            valid = false;
            complete = false;
        }

        boolean isValid() {
            return valid;
        }

        /**
         * Sets the order.
         *
         * @param repeats whether it is valid until nodes are added or removed
         * @param names true if it contains each known node exactly once
         */
        void set(List<NodeInfo> ordered, boolean repeats, boolean names) {
            nodes = Collections.unmodifiableList(ordered);
            slots = ordered.stream().mapToInt(NodeInfo::slot).toArray();
            valid = repeats;
            complete = names;
        }

        List<NodeInfo> nodes() {
            return nodes;
        }

        int[] slots() {
            return slots;
        }

        boolean isComplete() {
            return complete;
        }
    }

    /** The last changes of disruption budgets, for caches. Owned by one thread. */
    public static final class BudgetLog {
        private static final int LOG = 1 << 10;

        /** Visits changed budgets. */
        @FunctionalInterface
        public interface Visitor {
            /**
             * Visits one change; not both are null.
             *
             * @param before null for a new budget
             * @param now null for a deleted one
             */
            void changed(@Nullable DisruptionBudgetInfo before, @Nullable DisruptionBudgetInfo now);
        }

        private record Change(
                @Nullable DisruptionBudgetInfo before,
                @Nullable DisruptionBudgetInfo now) {}

        private final @Nullable Change[] log = new @Nullable Change[LOG];
        private long revision;

        BudgetLog() {}

        void note(@Nullable DisruptionBudgetInfo before, @Nullable DisruptionBudgetInfo now) {
            boolean isSame = before == null ? now == null : before.equals(now);
            if (!isSame) {
                revision++;
                log[(int) revision & (LOG - 1)] = new Change(before, now);
            }
        }

        /** The number of changes so far. */
        public long revision() {
            return revision;
        }

        /**
         * Visits the changes since {@link #revision()} was {@code since}, in order.
         *
         * @return false if some of them are no longer stored; nothing is visited then
         */
        public boolean changedSince(long since, Visitor visitor) {
            if (revision - since > LOG) {
                return false;
            }
            for (long at = since + 1; at <= revision; at++) {
                Change change = log[(int) at & (LOG - 1)];
                if (change != null) {
                    visitor.changed(change.before(), change.now());
                }
            }
            return true;
        }
    }
}
