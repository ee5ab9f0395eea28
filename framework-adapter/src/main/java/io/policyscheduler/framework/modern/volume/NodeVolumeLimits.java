package io.policyscheduler.framework.modern.volume;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The CSI drivers of the node can attach the pod's volumes. Mirrors
 * {@code pkg/scheduler/framework/plugins/nodevolumelimits}.
 */
public final class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin, EnqueueExtensions {
    public static final String NAME = "NodeVolumeLimits";

    private static final Status TOO_MANY = Status.unschedulable("node(s) exceed max volume count");

    private final ClusterView cluster;
    private final StateKey<Wanted> key;
    /** Which drivers' limits are looked at. */
    private final Predicate<String> drivers;

    private final boolean countsOnce;

    /** A volume of a CSI driver. */
    private record Attachable(String driver, String handle) {}

    private final Release release;

    /**
     * Volumes of a pod, or why they cannot be told.
     *
     * @param migrated those that count only where there is a CSINode
     */
    private record Wanted(
            Set<Attachable> plain,
            Set<Attachable> migrated,
            @Nullable Status failure) {
        Set<Attachable> on(@Nullable CsiNodeInfo csiNode, Release release) {
            if (csiNode == null || migrated.isEmpty()) {
                return plain;
            }
            Set<Attachable> all = new LinkedHashSet<>(plain);
            for (Attachable volume : migrated) {
                InTreeVolumes plugin = InTreeVolumes.ofDriver(volume.driver());
                if (plugin == null || plugin.countsAsCsi(csiNode, release)) {
                    all.add(volume);
                }
            }
            return all;
        }
    }

    public NodeVolumeLimits(PluginHandle handle) {
        this(handle, driver -> true, false);
    }

    /**
     * Looks at some drivers only.
     *
     * @param countsOnce whether a volume that is attached, but mounted by no pod, counts once when a pod needs it. Releases up to 1.34
     *     count it twice, so that a pod which replaces another one on a full node waits until the volume is detached
     */
    public NodeVolumeLimits(PluginHandle handle, Predicate<String> drivers, boolean countsOnce) {
        this.drivers = drivers;
        this.countsOnce = countsOnce;
        this.cluster = handle.cluster();
        this.release = handle.release();
        this.key = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return VolumeHints.ofLimits();
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        for (Volume volume : context.pod().volumes()) {
            if (volume.claimName(context.pod()) != null || InTreeVolumes.ofSource(volume) != null) {
                state.write(key, volumes(context.pod(), true));
                return PreFilterResult.ALL_NODES;
            }
        }
        return PreFilterResult.SKIP;
    }

    private Wanted volumes(PodInfo pod, boolean incoming) {
        Set<Attachable> plain = new LinkedHashSet<>();
        Set<Attachable> migrated = new LinkedHashSet<>();
        for (Volume volume : pod.volumes()) {
            String claimName = volume.claimName(pod);
            if (claimName == null) {
                addInline(migrated, volume);
                continue;
            }
            ClaimInfo claim = cluster.claim(pod.namespace(), claimName);
            if (claim == null) {
                if (incoming) {
                    return failed(Status.unresolvable(
                            "looking up PVC " + pod.namespace() + "/" + claimName + ": " + Claims.notFound(claimName)));
                }
                continue;
            }
            String foreign = volume.kind() == Volume.Kind.EPHEMERAL ? Claims.foreign(pod, claim) : null;
            if (foreign != null) {
                return failed(Status.error(foreign));
            }
            addClaim(plain, migrated, claim);
        }
        return new Wanted(plain, migrated, null);
    }

    private static Wanted failed(Status status) {
        return new Wanted(Set.of(), Set.of(), status);
    }

    private static void addInline(Set<Attachable> migrated, Volume volume) {
        InTreeVolumes plugin = InTreeVolumes.ofSource(volume);
        String handle = plugin == null ? null : plugin.handle(volume);
        if (plugin != null && handle != null) {
            migrated.add(new Attachable(plugin.driver(), handle));
        }
    }

    private void addClaim(Set<Attachable> plain, Set<Attachable> migrated, ClaimInfo claim) {
        PersistentVolumeInfo bound = claim.volumeName().isEmpty() ? null : cluster.volume(claim.volumeName());
        if (bound == null) {
            addUnbound(plain, migrated, claim);
            return;
        }
        InTreeVolumes plugin = InTreeVolumes.ofSource(bound.source());
        if (bound.source().kind() == Volume.Kind.CSI) {
            add(plain, bound.source().detail(), bound.source().id());
        } else if (plugin != null) {
            add(migrated, plugin.driver(), plugin.handle(bound));
        }
    }

    /** The volume that a class is going to make is known by the claim's name. */
    private void addUnbound(Set<Attachable> plain, Set<Attachable> migrated, ClaimInfo claim) {
        StorageClassInfo storageClass = claim.className().isEmpty() ? null : cluster.storageClass(claim.className());
        if (storageClass == null) {
            return;
        }
        // No real handle looks like this.
        String handle = "\0" + claim.key();
        InTreeVolumes plugin = InTreeVolumes.ofProvisioner(storageClass.provisioner());
        if (plugin == null) {
            add(plain, storageClass.provisioner(), handle);
        } else {
            add(migrated, plugin.driver(), handle);
        }
    }

    private static void add(Set<Attachable> volumes, String driver, @Nullable String handle) {
        if (handle != null && !driver.isEmpty() && !handle.isEmpty()) {
            volumes.add(new Attachable(driver, handle));
        }
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        if (pod.volumes().isEmpty()) {
            return Status.SUCCESS;
        }
        Wanted wanted = state.find(key);
        if (wanted == null) {
            wanted = volumes(pod, true);
        }
        if (wanted.failure() != null) {
            return wanted.failure();
        }
        CsiNodeInfo csiNode = cluster.csiNode(node.name());
        if (csiNode == null) {
            return Status.SUCCESS;
        }
        Set<Attachable> added = wanted.on(csiNode, release);
        return added.isEmpty() || !hasLimits(csiNode) ? Status.SUCCESS : check(added, node, csiNode);
    }

    private boolean hasLimits(CsiNodeInfo csiNode) {
        for (CsiNodeInfo.Driver driver : csiNode.drivers()) {
            if (driver.allocatableCount() != null && drivers.test(driver.name())) {
                return true;
            }
        }
        return false;
    }

    private Status check(Set<Attachable> wanted, NodeInfo node, CsiNodeInfo csiNode) {
        Set<Attachable> mounted = new HashSet<>();
        for (int i = 0; i < node.podCount(); i++) {
            if (node.pod(i).volumes().isEmpty()) {
                continue;
            }
            Wanted ofPod = volumes(node.pod(i), false);
            if (ofPod.failure() != null) {
                return ofPod.failure();
            }
            mounted.addAll(ofPod.on(csiNode, release));
        }
        Set<Attachable> added = new HashSet<>(wanted);
        added.removeAll(mounted);
        addAttachments(mounted, node.name());
        if (countsOnce) {
            added.removeAll(mounted);
        }
        for (CsiNodeInfo.Driver driver : csiNode.drivers()) {
            Integer limit = drivers.test(driver.name()) ? driver.allocatableCount() : null;
            int more = limit == null ? 0 : count(added, driver.name());
            if (limit != null && more > 0 && count(mounted, driver.name()) + more > limit) {
                return TOO_MANY;
            }
        }
        return Status.SUCCESS;
    }

    private static int count(Set<Attachable> volumes, String driver) {
        int count = 0;
        for (Attachable volume : volumes) {
            count += volume.driver().equals(driver) ? 1 : 0;
        }
        return count;
    }

    /** Volumes that are still attached though no pod of the node uses them any more. */
    private void addAttachments(Set<Attachable> attached, String node) {
        for (VolumeAttachmentInfo attachment : cluster.volumeAttachments(node)) {
            PersistentVolumeInfo volume =
                    attachment.volumeName().isEmpty() ? null : cluster.volume(attachment.volumeName());
            if (volume != null && volume.source().kind() == Volume.Kind.CSI) {
                add(attached, attachment.attacher(), volume.source().id());
            }
        }
    }
}
