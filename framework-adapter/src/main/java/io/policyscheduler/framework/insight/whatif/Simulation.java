package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.PostFilters;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.DetailedDecider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides pending pods one after the other as the scheduler's queue would: the highest priority first, then in the order of
 * appearance. A pod that fits is taken to run on its node before the next one is decided; one that does not changes nothing.
 */
public final class Simulation {
    private final ClusterState cluster;
    private final DetailedDecider decider;
    private final DeciderSource.Volumes volumes;
    private final boolean details;
    private final Map<String, List<PodInfo>> nominated = new HashMap<>();
    /** What post-filter plugins had to say since the last pod was placed: of pods that are alike, the same. */
    private final Map<Alike, String> postFilterTexts = new HashMap<>();

    private final NominatedPods promises = new NominatedPods() {
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

    /** All of a pod that the answer of a plugin may hang on, for pods whose name plays no part. */
    private record Alike(
            PodSpec spec,
            Labels labels,
            String namespace,
            @Nullable OwnerReference controller,
            String nominatedNodeName) {}

    /**
     * A simulation.
     *
     * @param cluster is changed by each pod that is placed
     * @param details whether outcomes tell about every node
     */
    public Simulation(ClusterState cluster, DetailedDecider decider, DeciderSource.Volumes volumes, boolean details) {
        this.cluster = cluster;
        this.decider = decider;
        this.volumes = volumes;
        this.details = details;
    }

    /**
     * Decides the pods.
     *
     * @param progress is told the number of pods decided so far
     * @return an outcome for each pod, in the order decided
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
     * Decides the pods that come before one of them, and then that one, as {@link #run} does.
     *
     * @param last one of the pods
     * @param before is told what came of the others, before that one is decided
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

    /** In the order of decision; what preemption has promised them is noted. */
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
        Decision decision = decider.decide(pod, promises);
        if (decision.kind() == Decision.Kind.UNSCHEDULABLE) {
            decision = decision.withMessage(PostFilters.withText(decision.message(), postFilterText(pod)));
        }
        Evaluation evaluation = details ? decider.evaluate(pod, promises) : null;
        String node = decision.node();
        if (node != null) {
            place(pod, node);
        }
        return new PodOutcome(pod.key(), decision, evaluation);
    }

    private String postFilterText(PodInfo pod) {
        if (pod.spec().volumes().stream().anyMatch(volume -> volume.kind() == Volume.Kind.EPHEMERAL)) {
            // Its claims are named after it.
            return decider.postFilterText(pod, promises);
        }
        Alike alike = new Alike(pod.spec(), pod.labels(), pod.namespace(), pod.controller(), pod.nominatedNodeName());
        return postFilterTexts.computeIfAbsent(alike, key -> decider.postFilterText(pod, promises));
    }

    private void place(PodInfo pod, String node) {
        postFilterTexts.clear();
        NodeInfo info = cluster.node(node);
        if (info != null) {
            volumes.assume(cluster, pod, info);
        }
        cluster.addPod(pod.withNodeName(node));
        List<PodInfo> promised = nominated.get(pod.nominatedNodeName());
        if (promised != null) {
            promised.removeIf(other -> other.isSame(pod));
            if (promised.isEmpty()) {
                nominated.remove(pod.nominatedNodeName());
            }
        }
    }
}
