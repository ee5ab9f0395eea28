package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.cycle.ScheduleAlgorithm;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides pending pods in queue order: by priority, then in snapshot order. A placed pod runs on its node before the next one is
 * decided; an unschedulable one changes nothing.
 */
public final class Simulation {
    private final ClusterState cluster;
    private final SnapshotScheduler scheduler;
    private final SchedulerSpec.Volumes volumes;
    private final boolean details;
    private final Map<String, List<PodInfo>> nominated = new HashMap<>();
    /** Texts of post-filter plugins since the last placement: the same for equivalent pods. */
    private final Map<Alike, String> postFilterTexts = new HashMap<>();

    private final NominatedPods nominations = new NominatedPods() {
        @Override
        public List<PodInfo> on(String node) {
            return nominated.getOrDefault(node, List.of());
        }

        @Override
        public Collection<String> nodes() {
            return nominated.keySet();
        }

        @Override
        public boolean isEmpty() {
            return nominated.isEmpty();
        }
    };

    /** All fields of a pod that the result of a plugin can depend on, for pods whose name does not matter. */
    private record Alike(
            PodSpec spec,
            Labels labels,
            String namespace,
            @Nullable OwnerReference controller,
            String nominatedNodeName) {}

    /**
     * A simulation.
     *
     * @param cluster receives each placed pod
     * @param details whether outcomes contain the evaluation of every node
     */
    public Simulation(
            ClusterState cluster, SnapshotScheduler scheduler, SchedulerSpec.Volumes volumes, boolean details) {
        this.cluster = cluster;
        this.scheduler = scheduler;
        this.volumes = volumes;
        this.details = details;
    }

    /**
     * Decides the pods.
     *
     * @param progress receives the number of decided pods
     * @return an outcome for each pod, in decision order
     */
    public List<PodOutcome> run(List<PodInfo> pending, IntConsumer progress) {
        List<PodInfo> queue = queue(pending);
        List<PodOutcome> outcomes = new ArrayList<>(queue.size());
        for (PodInfo pod : queue) {
            outcomes.add(decide(pod));
            progress.accept(outcomes.size());
        }
        return outcomes;
    }

    /**
     * Decides the pods before one of them, and then that one, as {@link #run} does.
     *
     * @param last one of the pods
     * @param before receives the outcomes of the others, before that one is decided
     */
    public PodOutcome runUntil(List<PodInfo> pending, PodInfo last, Consumer<List<PodOutcome>> before) {
        List<PodOutcome> outcomes = new ArrayList<>();
        for (PodInfo pod : queue(pending)) {
            if (pod.isSame(last)) {
                before.accept(outcomes);
                return decide(pod);
            }
            outcomes.add(decide(pod));
        }
        throw new IllegalArgumentException(last.key() + " is not pending");
    }

    /** Sorts in queue order and records existing nominations. */
    private List<PodInfo> queue(List<PodInfo> pending) {
        List<PodInfo> queue = new ArrayList<>(pending);
        queue.sort(Comparator.comparingInt(PodInfo::priority).reversed());
        for (PodInfo pod : queue) {
            if (!pod.nominatedNodeName().isEmpty()) {
                nominated
                        .computeIfAbsent(pod.nominatedNodeName(), node -> new ArrayList<>())
                        .add(pod);
            }
        }
        return queue;
    }

    private PodOutcome decide(PodInfo pod) {
        Decision decision = scheduler.decide(pod, nominations);
        if (decision.kind() == Decision.Kind.UNSCHEDULABLE) {
            decision = decision.withMessage(PostFilters.withText(decision.message(), postFilterText(pod)));
        }
        Evaluation evaluation = details ? scheduler.evaluate(pod, nominations) : null;
        String node = decision.node();
        if (node != null) {
            place(pod, node);
        }
        return new PodOutcome(pod.key(), decision, evaluation);
    }

    private String postFilterText(PodInfo pod) {
        if (pod.spec().volumes().stream().anyMatch(volume -> volume.kind() == Volume.Kind.EPHEMERAL)) {
            // Its claims are named after the pod.
            return scheduler.postFilterText(pod, nominations);
        }
        Alike alike = new Alike(pod.spec(), pod.labels(), pod.namespace(), pod.controller(), pod.nominatedNodeName());
        return postFilterTexts.computeIfAbsent(alike, key -> scheduler.postFilterText(pod, nominations));
    }

    private void place(PodInfo pod, String node) {
        postFilterTexts.clear();
        NodeInfo info = cluster.node(node);
        if (info != null) {
            volumes.assume(cluster, pod, info);
        }
        cluster.addPod(volumes.bound(cluster, pod, node));
        List<PodInfo> nominees = nominated.get(pod.nominatedNodeName());
        if (nominees != null) {
            nominees.removeIf(other -> other.isSame(pod));
            if (nominees.isEmpty()) {
                nominated.remove(pod.nominatedNodeName());
            }
        }
    }

    /**
     * The outcome of a pod.
     *
     * @param pod {@code namespace/name}
     * @param details the evaluation of every node at the time of the decision; null unless requested
     */
    public record PodOutcome(
            String pod, Decision decision, @Nullable Evaluation details) {}

    /**
     * A cluster just before the decision for one pending pod: those before it have been decided as a {@link Simulation} does.
     *
     * @param snapshot with the earlier pods on their nodes; unschedulable ones are still pending, as are later ones
     * @param placed number of earlier pods that were placed
     * @param unplaced number of earlier pods that were not
     * @param node the decision for the pod itself; null if it is unschedulable
     */
    public record InOrder(
            ClusterSnapshot snapshot,
            int placed,
            int unplaced,
            @Nullable String node) {
        /**
         * Decides the pods before one.
         *
         * @param pod one of the pending pods of the snapshot
         * @param source the scheduler; nodes with equal totals are selected in turn
         */
        public static InOrder until(ClusterSnapshot snapshot, PodInfo pod, SchedulerSpec source) {
            ClusterState cluster = snapshot.state();
            Simulation simulation =
                    new Simulation(cluster, source.create(cluster, TieBreak.roundRobin()), source.volumes(), false);
            List<InOrder> before = new ArrayList<>();
            Decision decision = simulation
                    .runUntil(
                            snapshot.pending(),
                            pod,
                            outcomes -> before.add(after(snapshot, cluster, source.volumes(), outcomes)))
                    .decision();
            InOrder known = before.get(0);
            return new InOrder(known.snapshot, known.placed, known.unplaced, decision.node());
        }

        private static InOrder after(
                ClusterSnapshot snapshot,
                ClusterState cluster,
                SchedulerSpec.Volumes volumes,
                List<PodOutcome> outcomes) {
            Map<String, String> nodes = new HashMap<>();
            for (PodOutcome outcome : outcomes) {
                if (outcome.decision().isPlaced()) {
                    nodes.put(
                            outcome.pod(),
                            Objects.requireNonNull(outcome.decision().node()));
                }
            }
            List<PodInfo> running = new ArrayList<>(snapshot.running());
            List<PodInfo> pending = new ArrayList<>();
            for (PodInfo other : snapshot.pending()) {
                String node = nodes.get(other.key());
                if (node == null) {
                    pending.add(other);
                } else {
                    running.add(volumes.bound(cluster, other, node));
                }
            }
            List<ClusterObject> objects = snapshot.objects().stream()
                    .map(object -> now(object, cluster))
                    .toList();
            ClusterSnapshot then = snapshot.with(snapshot.nodes(), objects, running, pending);
            return new InOrder(then, nodes.size(), outcomes.size() - nodes.size(), null);
        }

        /** Updates claims and volumes that are assumed for pods. */
        private static ClusterObject now(ClusterObject object, ClusterState cluster) {
            @Nullable ClusterObject known = null;
            if (object instanceof ClaimInfo claim) {
                known = cluster.claim(claim.namespace(), claim.name());
            } else if (object instanceof PersistentVolumeInfo volume) {
                known = cluster.volume(volume.name());
            }
            return known == null ? object : known;
        }
    }

    /**
     * How many copies of a pod fit.
     *
     * @param pod key of the original
     * @param count number of placed copies
     * @param byNode number on each node; nodes without any are absent
     * @param message why no more are placed; empty if the limit was reached
     */
    public record FitCount(String pod, int count, SortedMap<String, Integer> byNode, String message) {
        public FitCount {
            byNode = Collections.unmodifiableSortedMap(new TreeMap<>(byNode));
        }

        /**
         * Places copies until none fits; they stay in the cluster.
         *
         * @param snapshot contains the pod's claims
         * @param limit the maximum, for schedulers that never reject
         */
        public static FitCount place(
                PodInfo pod,
                ClusterSnapshot snapshot,
                ClusterState cluster,
                ScheduleAlgorithm scheduler,
                SchedulerSpec.Volumes volumes,
                int limit) {
            SortedMap<String, Integer> byNode = new TreeMap<>();
            PodTemplates copies = new PodTemplates(snapshot);
            int claims = 0;
            for (int count = 0; count < limit; count++) {
                PodInfo copy = copies.pending(pod, copies.freeName(pod.namespace(), pod.name() + "-fit-", count + 1));
                for (ClusterObject claim :
                        copies.madeClaims().subList(claims, copies.madeClaims().size())) {
                    cluster.putObject(claim);
                    claims++;
                }
                Decision decision = scheduler.decide(copy, NominatedPods.NONE);
                String name = decision.node();
                if (name == null) {
                    return new FitCount(pod.key(), count, byNode, decision.message());
                }
                NodeInfo node = cluster.node(name);
                if (node != null) {
                    volumes.assume(cluster, copy, node);
                }
                cluster.addPod(volumes.bound(cluster, copy, name));
                byNode.merge(name, 1, Integer::sum);
            }
            return new FitCount(pod.key(), limit, byNode, "");
        }
    }

    /**
     * The requests of the pods on each node, and its allocatable resources.
     *
     * @param nodes by name
     */
    public record Utilization(SortedMap<String, Use> nodes) {
        /**
         * Of one node, or the sum of several.
         *
         * @param cpu milli-CPU
         * @param memory bytes
         * @param pods a count
         */
        public record Use(Part cpu, Part memory, Part pods) {
            static final Use NONE = new Use(Part.NONE, Part.NONE, Part.NONE);

            private Use plus(Use other) {
                return new Use(cpu.plus(other.cpu), memory.plus(other.memory), pods.plus(other.pods));
            }
        }

        /** Requested and allocatable amounts. */
        public record Part(long requested, long allocatable) {
            static final Part NONE = new Part(0, 0);

            private Part plus(Part other) {
                return new Part(requested + other.requested, allocatable + other.allocatable);
            }

            /** In percent, above 100 if more is requested than allocatable; 0 if nothing is allocatable. */
            public double percent() {
                return allocatable <= 0 ? 0 : 100.0 * requested / allocatable;
            }
        }

        public Utilization {
            nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
        }

        /** The utilization of a cluster. */
        public static Utilization of(ClusterState cluster) {
            cluster.startCompleteCycle();
            SortedMap<String, Use> nodes = new TreeMap<>();
            for (NodeInfo node : cluster.nodes()) {
                nodes.put(
                        node.name(),
                        new Use(
                                new Part(node.currentRequests().milliCpu(), node.allocatableMilliCpu()),
                                new Part(node.currentRequests().memory(), node.allocatableMemory()),
                                new Part(node.podCount(), node.allocatable().pods())));
            }
            return new Utilization(nodes);
        }

        /** The sum of all nodes. */
        public Use total() {
            Use total = Use.NONE;
            for (Map.Entry<String, Use> node : nodes.entrySet()) {
                total = total.plus(node.getValue());
            }
            return total;
        }
    }
}
