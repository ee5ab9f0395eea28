package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_DRIVER;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.CSI_STORAGE_CAPACITY;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.PERSISTENT_VOLUME_CLAIM;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.STORAGE_CLASS;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.AssumedVolumes;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.PodVolumeClaims;
import io.policyscheduler.engine.placement.PodVolumeClaims.Binding;
import io.policyscheduler.engine.placement.PodVolumeClaims.PodVolumes;
import io.policyscheduler.engine.placement.PodVolumeClaims.Reach;
import io.policyscheduler.engine.placement.PodVolumeClaims.Rules;
import io.policyscheduler.engine.placement.VolumeZones;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds volumes for the claims of a pod that the node can use. Reserve assumes the volumes in the cache only; the binding cycle
 * writes them to the API server. Mirrors {@code pkg/scheduler/framework/plugins/volumebinding}.
 */
public final class VolumeBinding
        implements PreFilterPlugin,
                FilterPlugin,
                PreScorePlugin,
                InTreeScore,
                ReservePlugin,
                PreBindPlugin,
                EnqueueExtensions,
                Signers.OfVolumes {
    public static final String NAME = "VolumeBinding";

    private static final Status NOT_FOUND = Status.error("not found");

    private static final String CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
    private static final String MISSING_VOLUME =
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    private static final String NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
    private static final String NO_SPACE = "node(s) did not have enough free storage";
    private static final String EARLIER_CONFLICT = "node(s) had volume node affinity conflict";
    private static final String EARLIER_MISSING_VOLUME = "pvc(s) bound to non-existent pv(s)";

    private final Release release;
    private final InTreeVolumes inTree;
    private final ClusterView cluster;
    private final StateKey<Volumes> key;
    private final StateKey<PodVolumes> reserved;

    /**
     * The claims of a pod.
     *
     * @param claims null for a pod without claims
     * @param failure null, or why no node need be evaluated
     */
    private record Volumes(
            @Nullable PodVolumeClaims claims, @Nullable Status failure) {
        static final Volumes NONE = new Volumes(null, null);

        static Volumes of(PodInfo pod, ClusterView cluster, InTreeVolumes inTree, Release release) {
            List<ClaimInfo> found = new ArrayList<>();
            PodVolumeClaims claims = new PodVolumeClaims(cluster, inTree, Rules.of(release));
            String problem = findClaims(pod, cluster, release, found);
            if (problem != null) {
                return new Volumes(claims, Status.unresolvable(problem));
            }
            for (ClaimInfo claim : found) {
                String error = claims.add(claim);
                if (error != null) {
                    return new Volumes(claims, Status.error(error));
                }
            }
            return new Volumes(
                    claims, claims.hasImmediate() ? Status.unresolvable(PodVolumeClaims.UNBOUND_IMMEDIATE) : null);
        }
    }

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
        return List.of(
                EventHint.of(Hint.ALWAYS, STORAGE_CLASS, ADD),
                EventHint.of((pod, event) -> changesTopologies(event), STORAGE_CLASS, UPDATE),
                EventHint.of(VolumeBinding::isUsed, PERSISTENT_VOLUME_CLAIM, ADD, UPDATE),
                EventHint.of(Hint.ALWAYS, PERSISTENT_VOLUME, ADD, UPDATE),
                EventHint.of(Hint.ALWAYS, NODE, ADD, UPDATE_NODE_LABEL),
                EventHint.of(Hint.ALWAYS, CSI_NODE, ADD),
                EventHint.of((pod, event) -> changesMigration(event), CSI_NODE, UPDATE),
                EventHint.of(VolumeBinding::losesCapacityCheck, CSI_DRIVER, UPDATE),
                EventHint.of(Hint.ALWAYS, CSI_STORAGE_CAPACITY, ADD),
                EventHint.of((pod, event) -> hasMoreSpace(event), CSI_STORAGE_CAPACITY, UPDATE));
    }

    private static boolean changesTopologies(ObjectEvent event) {
        return !(event.old() instanceof StorageClassInfo old)
                || !(event.now() instanceof StorageClassInfo now)
                || !old.allowedTopologies().equals(now.allowedTopologies());
    }

    private static boolean changesMigration(ObjectEvent event) {
        return !(event.old() instanceof CsiNodeInfo old)
                || !(event.now() instanceof CsiNodeInfo now)
                || !old.annotations()
                        .getOrEmpty(InTreeVolumes.MIGRATED_PLUGINS)
                        .equals(now.annotations().getOrEmpty(InTreeVolumes.MIGRATED_PLUGINS));
    }

    /**
     * Whether the pod may use a storage class whose driver no longer checks capacity. Only inline volumes contain the driver, and
     * the cache does not store it.
     */
    private static boolean losesCapacityCheck(PodInfo pod, ObjectEvent event) {
        return event.old() instanceof CsiDriverInfo old
                && event.now() instanceof CsiDriverInfo now
                && old.storageCapacity()
                && !now.storageCapacity()
                && pod.spec().podVolumes().stream()
                        .anyMatch(volume -> volume.kind().equals("csi"));
    }

    private static boolean hasMoreSpace(ObjectEvent event) {
        if (!(event.old() instanceof StorageCapacityInfo old) || !(event.now() instanceof StorageCapacityInfo now)) {
            return true;
        }
        Long before = limit(old);
        Long after = limit(now);
        return after != null && (before == null || after > before);
    }

    private static @Nullable Long limit(StorageCapacityInfo capacity) {
        Long largest = capacity.maximumVolumeSize();
        return largest != null ? largest : capacity.capacity();
    }

    /** Whether the pod references the claim, or the claim is created for an ephemeral volume of the pod. */
    static boolean isUsed(PodInfo pod, ObjectEvent event) {
        ClusterObject claim = event.object();
        return claim.namespace().equals(pod.namespace())
                && pod.volumes().stream().anyMatch(volume -> claim.name().equals(volume.claimName(pod)));
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        if (!PodVolumeClaims.hasClaims(context.pod())) {
            state.write(key, Volumes.NONE);
            return PreFilterResult.SKIP;
        }
        Volumes volumes = Volumes.of(context.pod(), context.cluster(), inTree, release);
        if (volumes.failure() != null && SchedulerChange.CLAIMS_BEFORE_NODES.in(release)) {
            return PreFilterResult.of(volumes.failure());
        }
        state.write(key, volumes);
        boolean namesNodes = SchedulerChange.LOCAL_VOLUMES_SELECT_NODES.in(release)
                && !SchedulerChange.LOCAL_VOLUMES_DO_NOT_SELECT_NODES.in(release);
        Set<String> names = namesNodes && volumes.claims() != null ? namedNodes(volumes.claims()) : null;
        return names == null ? PreFilterResult.ALL_NODES : PreFilterResult.only(names);
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Volumes volumes = state.find(key);
        if (volumes == null) {
            return NOT_FOUND;
        }
        if (volumes.claims() == null) {
            return Status.SUCCESS;
        }
        return volumes.failure() == null
                ? status(volumes.claims().find(node))
                : Status.error(volumes.failure().message());
    }

    private static @Nullable String findClaims(
            PodInfo pod, ClusterView cluster, Release release, List<ClaimInfo> claims) {
        for (Volume volume : pod.volumes()) {
            String name = volume.claimName(pod);
            if (name == null) {
                continue;
            }
            boolean ephemeral = volume.kind() == Volume.Kind.EPHEMERAL;
            boolean findsLost = SchedulerChange.LOST_CLAIMS.in(release);
            ClaimInfo claim = cluster.claim(pod.namespace(), name);
            if (claim == null) {
                return ephemeral && findsLost
                        ? "waiting for ephemeral volume controller to create the persistentvolumeclaim \"" + name + "\""
                        : VolumeZones.claimNotFound(name);
            }
            if (findsLost && claim.phase().equals("Lost")) {
                return "persistentvolumeclaim \"" + name + "\" bound to non-existent persistentvolume \""
                        + claim.volumeName() + "\"";
            }
            if (claim.terminating()) {
                return "persistentvolumeclaim \"" + name + "\" is being deleted";
            }
            String foreign = ephemeral ? claim.ownerProblem(pod) : null;
            if (foreign != null) {
                return findsLost ? foreign : "persistentvolumeclaim \"" + name + "\" was not created for the pod";
            }
            claims.add(claim);
        }
        return null;
    }

    /**
     * Returns the nodes that the node affinity of bound local volumes names, or null if they name none. As in Kubernetes, host names count
     * as names of nodes.
     */
    private static @Nullable Set<String> namedNodes(PodVolumeClaims claims) {
        Set<String> all = null;
        for (PersistentVolumeInfo volume : claims.boundVolumes()) {
            if (volume == null) {
                return null;
            }
            Set<String> names = hosts(volume);
            if (names.isEmpty()) {
                continue;
            }
            if (all == null) {
                all = names;
            } else {
                all.retainAll(names);
            }
        }
        return all;
    }

    private static Set<String> hosts(PersistentVolumeInfo volume) {
        Set<String> all = new TreeSet<>();
        List<NodeSelectorTerm> terms = volume.requiredTerms();
        for (NodeSelectorTerm term : terms == null ? List.<NodeSelectorTerm>of() : terms) {
            Set<String> ofTerm = null;
            for (LabelRequirement requirement : term.expressions()) {
                if (requirement.key().equals(Node.HOSTNAME)
                        && requirement.operator().equals("In")) {
                    if (ofTerm == null) {
                        ofTerm = new TreeSet<>(requirement.values());
                    } else {
                        ofTerm.retainAll(requirement.values());
                    }
                }
            }
            if (ofTerm != null) {
                all.addAll(ofTerm);
            }
        }
        return all;
    }

    private Status status(PodVolumes volumes) {
        if (volumes.error() != null) {
            throw new PluginException(volumes.error());
        }
        if (volumes.reach() == Reach.ALL && volumes.binding() == Binding.POSSIBLE) {
            return Status.SUCCESS;
        }
        List<String> reasons = new ArrayList<>(2);
        if (volumes.reach() == Reach.CONFLICT) {
            reasons.add(SchedulerChange.VOLUME_AFFINITY_TEXT.in(release) ? CONFLICT : EARLIER_CONFLICT);
        }
        if (volumes.binding() != Binding.POSSIBLE) {
            reasons.add(volumes.binding() == Binding.NO_SPACE ? NO_SPACE : NO_VOLUME);
        }
        if (volumes.reach() == Reach.MISSING_VOLUME) {
            boolean isNewer =
                    SchedulerChange.VOLUME_AFFINITY_TEXT.in(release) || SchedulerChange.MISSING_VOLUME_TEXT.in(release);
            reasons.add(isNewer ? MISSING_VOLUME : EARLIER_MISSING_VOLUME);
        }
        return Status.rejected(false, reasons);
    }

    /** Skips: scores only with the alpha gate {@code StorageCapacityScoring}, which is off here. */
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
        if (volumes.claims() == null || node == null) {
            return Status.SUCCESS;
        }
        PodVolumes plan = volumes.claims().find(node);
        Status status = status(plan);
        if (!status.isSuccess()) {
            return status;
        }
        state.write(reserved, plan);
        AssumedVolumes assumed = cluster.assumedVolumes();
        for (PodVolumes.Match match : plan.matches()) {
            assumed.assume(match.boundVolume());
        }
        for (ClaimInfo claim : plan.provisions()) {
            assumed.assume(PodVolumes.selectNode(claim, nodeName));
        }
        return Status.SUCCESS;
    }

    /** Skips: the binding cycle knows whether the pod has volumes to bind. */
    @Override
    public Status preBindPreFlight(CycleState state, PodInfo pod, String node) {
        return Status.SKIP;
    }

    /** Does nothing: the binding cycle writes the assumed volumes, for plugins of every release in the same way. */
    @Override
    public Status preBind(CycleState state, PodInfo pod, String node) {
        return Status.SUCCESS;
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String node) {
        PodVolumes plan = state.find(reserved);
        if (plan == null) {
            return;
        }
        state.delete(reserved);
        AssumedVolumes assumed = cluster.assumedVolumes();
        plan.matches().forEach(match -> assumed.restoreVolume(match.volume().name()));
        plan.provisions().forEach(claim -> assumed.restoreClaim(claim.namespace(), claim.name()));
    }

    /** Returns the volumes of a pod on a node that the plugin of the newest release has passed in this cycle. */
    public static PodVolumes podVolumes(ClusterView cluster, PodInfo pod, NodeInfo node) {
        Volumes volumes = Volumes.of(pod, cluster, InTreeVolumes.of(Release.NEWEST), Release.NEWEST);
        if (volumes.claims() == null || volumes.failure() != null) {
            return PodVolumes.NOTHING;
        }
        PodVolumes found = volumes.claims().find(node);
        if (found.error() != null) {
            throw new PluginException(found.error());
        }
        return found.reach() == Reach.ALL && found.binding() == Binding.POSSIBLE ? found : PodVolumes.NOTHING;
    }
}
