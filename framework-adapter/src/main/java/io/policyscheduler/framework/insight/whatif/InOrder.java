package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.World;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cluster at the moment when the turn of one pending pod comes: those before it have been decided as a {@link Simulation} does.
 *
 * @param world with the pods before it on their nodes; those without a place still wait, as do those behind it
 * @param placed how many pods before it got a place
 * @param unplaced how many did not
 * @param node where the pod itself goes; null when it fits nowhere
 */
public record InOrder(
        World world, int placed, int unplaced, @Nullable String node) {
    /**
     * Decides the pods before one.
     *
     * @param pod one of the pending pods of the world
     * @param source the way of deciding; equally good nodes take turns
     */
    public static InOrder until(World world, PodInfo pod, DeciderSource source) {
        ClusterState cluster = world.state();
        Simulation simulation =
                new Simulation(cluster, source.create(cluster, TieBreak.roundRobin()), source.volumes(), false);
        List<InOrder> before = new ArrayList<>();
        Decision decision = simulation
                .runUntil(world.pending(), pod, outcomes -> before.add(after(world, cluster, outcomes)))
                .decision();
        InOrder known = before.get(0);
        return new InOrder(known.world, known.placed, known.unplaced, decision.node());
    }

    private static InOrder after(World world, ClusterState cluster, List<PodOutcome> outcomes) {
        Map<String, String> nodes = new HashMap<>();
        for (PodOutcome outcome : outcomes) {
            if (outcome.decision().isPlaced()) {
                nodes.put(
                        outcome.pod(), Objects.requireNonNull(outcome.decision().node()));
            }
        }
        List<PodInfo> running = new ArrayList<>(world.running());
        List<PodInfo> pending = new ArrayList<>();
        for (PodInfo other : world.pending()) {
            String node = nodes.get(other.key());
            if (node == null) {
                pending.add(other);
            } else {
                running.add(other.withNodeName(node));
            }
        }
        List<ClusterObject> objects =
                world.objects().stream().map(object -> now(object, cluster)).toList();
        World then = world.with(world.nodes(), objects, running, pending);
        return new InOrder(then, nodes.size(), outcomes.size() - nodes.size(), null);
    }

    /** Claims and volumes that pods have been promised are no longer free. */
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
