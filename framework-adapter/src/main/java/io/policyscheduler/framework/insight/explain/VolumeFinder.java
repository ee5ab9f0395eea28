package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lifts for volumes: disks and claims in use, limits of attaching, claims without a volume. */
final class VolumeFinder {
    private static final Set<Volume.Kind> DISKS =
            EnumSet.of(Volume.Kind.GCE_PD, Volume.Kind.AWS_EBS, Volume.Kind.ISCSI, Volume.Kind.RBD);

    /** The resource by which a node states how many volumes of a kind it attaches. */
    private static final Map<String, String> LIMITS = Map.of(
            "MaxEBSVolumeCount", "aws-ebs",
            "EBSLimits", "aws-ebs",
            "MaxGCEPDVolumeCount", "gce-pd",
            "GCEPDLimits", "gce-pd",
            "MaxAzureDiskVolumeCount", "azure-disk",
            "AzureDiskLimits", "azure-disk",
            "MaxCinderVolumeCount", "cinder",
            "CinderLimits", "cinder");

    private final Scene scene;
    private final NodeInfo node;

    VolumeFinder(Scene scene, NodeInfo node) {
        this.scene = scene;
        this.node = node;
    }

    /** Lifts for a reason; empty when it is none of these, or nothing is known. */
    List<Lift> find(String reason, String filter) {
        if (reason.contains("ReadWriteOncePod")) {
            return claimsInUse();
        }
        if (reason.contains("persistentvolumeclaim \"") && reason.endsWith(" not found")) {
            return unboundClaims();
        }
        return switch (reason) {
            case "node(s) had no available disk" -> disksInUse();
            case "node(s) exceed max volume count" -> List.of(limit(LIMITS.get(filter)));
            case "node(s) didn't find available persistent volumes to bind",
                    "node(s) did not have enough free storage",
                    "pod has unbound immediate PersistentVolumeClaims" -> unboundClaims();
            default -> List.of();
        };
    }

    private List<Lift> disksInUse() {
        List<Lift> lifts = new ArrayList<>();
        for (PodInfo other : node.pods()) {
            for (Volume wanted : scene.pod().volumes()) {
                boolean used = DISKS.contains(wanted.kind())
                        && other.volumes().stream()
                                .anyMatch(volume -> volume.kind() == wanted.kind()
                                        && volume.id().equals(wanted.id())
                                        && volume.detail().equals(wanted.detail()));
                if (used) {
                    lifts.add(new WorldLifts.WithoutPod(node.name(), other, "it uses disk " + wanted.id()));
                    break;
                }
            }
        }
        return lifts;
    }

    private List<Lift> claimsInUse() {
        List<Lift> lifts = new ArrayList<>();
        for (PodInfo other : scene.situation.world().running()) {
            if (!other.namespace().equals(scene.pod().namespace())) {
                continue;
            }
            for (Volume wanted : scene.pod().volumes()) {
                if (wanted.kind() == Volume.Kind.CLAIM && other.volumes().contains(wanted)) {
                    lifts.add(new WorldLifts.WithoutPod(
                            node.name(),
                            other,
                            "it uses the claim " + scene.pod().namespace() + "/" + wanted.id()));
                    break;
                }
            }
        }
        return lifts;
    }

    private Lift limit(@Nullable String inTree) {
        int volumes = scene.pod().volumes().size();
        int attached = scene.state.volumeAttachments(node.name()).size();
        for (PodInfo other : node.pods()) {
            attached += other.volumes().size();
        }
        return new WorldLifts.AttachLimit(
                node.name(),
                volumes,
                attached + volumes,
                inTree == null ? "" : ResourceNames.ATTACHABLE_PREFIX + inTree);
    }

    private List<Lift> unboundClaims() {
        List<Lift> lifts = new ArrayList<>();
        PodInfo pod = scene.pod();
        for (Volume volume : pod.volumes()) {
            boolean ephemeral = volume.kind() == Volume.Kind.EPHEMERAL;
            if (volume.kind() != Volume.Kind.CLAIM && !ephemeral) {
                continue;
            }
            String name = ephemeral ? pod.name() + "-" + volume.id() : volume.id();
            ClaimInfo claim = scene.state.claim(pod.namespace(), name);
            if (claim == null) {
                lifts.add(new WorldLifts.BoundClaim(missing(pod.namespace(), name, ephemeral ? pod.uid() : ""), true));
            } else if (!claim.isFullyBound() && !claim.terminating()) {
                lifts.add(new WorldLifts.BoundClaim(claim, false));
            }
        }
        return lifts;
    }

    private static ClaimInfo missing(String namespace, String name, String controllerUid) {
        return new ClaimInfo(
                namespace,
                name,
                "",
                "",
                Labels.EMPTY,
                false,
                "",
                null,
                List.of("ReadWriteOnce"),
                null,
                "",
                0,
                "",
                "",
                controllerUid);
    }
}
