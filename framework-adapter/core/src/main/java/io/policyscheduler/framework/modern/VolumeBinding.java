package io.policyscheduler.framework.modern;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.AssumedVolumes;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.VolumeMatching;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Claims get volumes that the node can use. Reserving a node takes the volumes in this scheduler's own view only; writing that
 * to the API server is left to who runs the profile. Mirrors {@code pkg/scheduler/framework/plugins/volumebinding}.
 */
public final class VolumeBinding
        implements PreFilterPlugin,
                FilterPlugin,
                PreScorePlugin,
                InTreeScore,
                ReservePlugin,
                PreBindPlugin,
                EnqueueExtensions {
    public static final String NAME = "VolumeBinding";

    private static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
    private static final Status NOT_FOUND = Status.error("not found");

    private static final String EARLIER_CONFLICT = "node(s) had volume node affinity conflict";
    private static final String EARLIER_GONE = "pvc(s) bound to non-existent pv(s)";

    private final Release release;
    private final InTreeVolumes inTree;
    private final ClusterView cluster;
    private final StateKey<Volumes> key;
    private final StateKey<PodVolumes.Plan> reserved;

    /** @param ofPod null for a pod without claims */
    private record Volumes(@Nullable PodVolumes ofPod) {}

    public VolumeBinding(PluginHandle handle) {
        this.release = handle.release();
        this.inTree = InTreeVolumes.of(release);
        this.cluster = handle.cluster();
        this.key = handle.stateKeys().create(NAME, UnaryOperator.identity());
        this.reserved = handle.stateKeys().create("Reserve" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return VolumeHints.ofBinding();
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        if (!PodVolumes.hasClaims(context.pod())) {
            state.write(key, new Volumes(null));
            return PreFilterResult.SKIP;
        }
        PodVolumes volumes = new PodVolumes(context.pod(), context.cluster(), inTree, release);
        if (volumes.failure() != null && SchedulerChange.CLAIMS_BEFORE_NODES.in(release)) {
            return PreFilterResult.of(volumes.failure());
        }
        state.write(key, new Volumes(volumes));
        boolean namesNodes = SchedulerChange.LOCAL_VOLUMES_NAME_NODES.in(release)
                && !SchedulerChange.LOCAL_VOLUMES_NAME_NO_NODES.in(release);
        Set<String> names = namesNodes ? volumes.namedNodes() : null;
        return names == null ? PreFilterResult.ALL_NODES : PreFilterResult.only(names);
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Volumes volumes = state.find(key);
        if (volumes == null) {
            return NOT_FOUND;
        }
        if (volumes.ofPod() != null && volumes.ofPod().failure() != null) {
            return Status.error(volumes.ofPod().failure().message());
        }
        return volumes.ofPod() == null
                ? Status.SUCCESS
                : worded(volumes.ofPod().plan(node).status());
    }

    private Status worded(Status status) {
        if (status.isSuccess() || SchedulerChange.VOLUME_AFFINITY_TEXT.in(release)) {
            return status;
        }
        return new Status(
                status.code(), status.reasons().stream().map(this::worded).toList());
    }

    private String worded(String reason) {
        return switch (reason) {
            case PodVolumes.NODE_CONFLICT -> EARLIER_CONFLICT;
            case PodVolumes.VOLUME_GONE ->
                SchedulerChange.MISSING_VOLUME_TEXT.in(release) ? PodVolumes.VOLUME_GONE : EARLIER_GONE;
            default -> reason;
        };
    }

    /** Scores only where the alpha gate {@code StorageCapacityScoring} is on, which it is not here. */
    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        return Status.SKIP;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return MIN_SCORE;
    }

    @Override
    public Status reserve(CycleState state, PodInfo pod, String nodeName) {
        Volumes volumes = state.find(key);
        if (volumes == null) {
            return NOT_FOUND;
        }
        NodeInfo node = cluster.node(nodeName);
        if (volumes.ofPod() == null || node == null) {
            return Status.SUCCESS;
        }
        PodVolumes.Plan plan = volumes.ofPod().plan(node);
        if (!plan.status().isSuccess()) {
            return plan.status();
        }
        state.write(reserved, plan);
        AssumedVolumes assumed = cluster.assumedVolumes();
        for (PodVolumes.Match match : plan.matches()) {
            assumed.assume(bound(match.volume(), match.claim()));
        }
        for (ClaimInfo claim : plan.provisions()) {
            assumed.assume(claim.withAnnotations(with(claim.annotations(), ClaimInfo.SELECTED_NODE, nodeName)));
        }
        return Status.SUCCESS;
    }

    private static PersistentVolumeInfo bound(PersistentVolumeInfo volume, ClaimInfo claim) {
        Labels annotations = volume.annotations();
        if (!VolumeMatching.isReservedFor(volume, claim) && !annotations.has(BOUND_BY_CONTROLLER)) {
            annotations = with(annotations, BOUND_BY_CONTROLLER, "yes");
        }
        return volume.withClaimRef(
                new PersistentVolumeInfo.ClaimRef(claim.namespace(), claim.name(), claim.uid()), annotations);
    }

    private static Labels with(Labels annotations, String key, String value) {
        Map<String, String> changed = annotations.toMap();
        changed.put(key, value);
        return Labels.copyOf(changed);
    }

    /** What was reserved is written by whoever binds, for plugins of every release in the same way. */
    @Override
    public Status preBind(CycleState state, PodInfo pod, String node) {
        return Status.SUCCESS;
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String node) {
        PodVolumes.Plan plan = state.find(reserved);
        if (plan == null) {
            return;
        }
        state.delete(reserved);
        AssumedVolumes assumed = cluster.assumedVolumes();
        plan.matches().forEach(match -> assumed.restoreVolume(match.volume().name()));
        plan.provisions().forEach(claim -> assumed.restoreClaim(claim.namespace(), claim.name()));
    }

    /**
     * What the VolumeBinding plugin means to do for a pod on the node that it gets.
     *
     * @param matches existing volumes picked for claims
     * @param provisions claims whose volume must be made for the node
     */
    public record VolumePlan(List<Match> matches, List<ClaimInfo> provisions) {
        /** Nothing has to be done, or nothing can be. */
        private static final VolumePlan NOTHING = new VolumePlan(List.of(), List.of());

        /** A volume picked for a claim. */
        public record Match(PersistentVolumeInfo volume, ClaimInfo claim) {}

        public VolumePlan {
            matches = ImmutableList.copyOf(matches);
            provisions = ImmutableList.copyOf(provisions);
        }

        /** The plan for a node that the plugin has let pass in this cycle. */
        public static VolumePlan of(PodInfo pod, NodeInfo node, ClusterView cluster) {
            PodVolumes volumes = new PodVolumes(pod, cluster, InTreeVolumes.of(Release.NEWEST), Release.NEWEST);
            if (volumes.failure() != null) {
                return NOTHING;
            }
            PodVolumes.Plan plan = volumes.plan(node);
            return new VolumePlan(
                    plan.matches().stream()
                            .map(match -> new Match(match.volume(), match.claim()))
                            .toList(),
                    plan.provisions());
        }
    }
}
