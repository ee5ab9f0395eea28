package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Creates copies of pods. A copy has the labels, the owner and the spec of its original under another name. Claims that belong to
 * one pod only (from the templates of a StatefulSet, of ephemeral volumes and of resource claims) are copied too, without a volume
 * or device; all others are shared.
 */
public final class PodTemplates {
    private final ClusterSnapshot snapshot;
    private final Map<String, ClaimInfo> claims = new HashMap<>();
    private final Map<String, ResourceClaimInfo> resourceClaims = new HashMap<>();
    private final List<ClusterObject> made = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    /** @param snapshot contains the originals and their claims */
    public PodTemplates(ClusterSnapshot snapshot) {
        this.snapshot = snapshot;
        snapshot.running().forEach(pod -> names.add(pod.key()));
        snapshot.pending().forEach(pod -> names.add(pod.key()));
        for (ClusterObject object : snapshot.objects()) {
            if (object instanceof ClaimInfo claim) {
                claims.put(claim.key(), claim);
            } else if (object instanceof ResourceClaimInfo claim) {
                resourceClaims.put(claim.key(), claim);
            }
        }
    }

    /** Claims that were created for the copies, in creation order. */
    public List<ClusterObject> madeClaims() {
        return List.copyOf(made);
    }

    /** A pending copy. Its UID is derived from its name. */
    public PodInfo pending(PodInfo original, String name) {
        return copy(original, name, "", "Pending");
    }

    /** A running copy on a node. */
    public PodInfo running(PodInfo original, String name, String node) {
        return copy(original, name, node, "Running");
    }

    /** The pod without its node, as its controller would create it again under the same name. */
    static PodInfo released(PodInfo pod) {
        return of(pod, pod.name(), pod.uid(), "", "Pending", pod.spec());
    }

    /** An unused name in the namespace: the prefix with the first free number from the given one on. */
    String freeName(String namespace, String prefix, int from) {
        int number = from;
        while (!names.add(namespace + "/" + prefix + number)) {
            number++;
        }
        return prefix + number;
    }

    private PodInfo copy(PodInfo original, String name, String node, String phase) {
        String uid = "copy-of-" + original.uid() + "-" + name;
        List<Volume> volumes = new ArrayList<>();
        for (Volume volume : original.volumes()) {
            volumes.add(copy(original, volume, name, uid));
        }
        return of(original, name, uid, node, phase, withVolumes(original.spec(), volumes)).toBuilder()
                .madeClaims(ofTemplates(original, name, uid))
                .build();
    }

    /** Creates the claims of templates for a copy. */
    private List<PodClaim.Made> ofTemplates(PodInfo original, String name, String uid) {
        List<PodClaim.Made> copied = new ArrayList<>();
        for (PodClaim.Made entry : original.madeClaims()) {
            ResourceClaimInfo claim = resourceClaims.get(original.namespace() + "/" + entry.claimName());
            if (entry.claimName() == null) {
                copied.add(entry);
            } else if (claim != null) {
                ResourceClaimInfo own = ClaimCopies.ofCopy(claim, name, uid, entry.name());
                made.add(own);
                copied.add(new PodClaim.Made(entry.name(), own.name()));
            }
        }
        return copied;
    }

    private Volume copy(PodInfo original, Volume volume, String name, String uid) {
        String suffix = "-" + original.name();
        if (volume.kind() == Volume.Kind.EPHEMERAL) {
            ClaimInfo claim = claims.get(original.namespace() + "/" + original.name() + "-" + volume.id());
            makeClaim(claim, name + "-" + volume.id(), uid);
        } else if (volume.kind() == Volume.Kind.CLAIM
                && isOf(original, "StatefulSet")
                && volume.id().endsWith(suffix)) {
            String copied = volume.id().substring(0, volume.id().length() - suffix.length()) + "-" + name;
            makeClaim(claims.get(original.namespace() + "/" + volume.id()), copied, null);
            return new Volume(volume.kind(), copied, volume.detail(), volume.readOnly(), volume.monitors());
        }
        return volume;
    }

    private static boolean isOf(PodInfo pod, String kind) {
        return pod.controller() != null && pod.controller().kind().equals(kind);
    }

    /** @param owner UID of the pod that owns the claim; null for none */
    private void makeClaim(@Nullable ClaimInfo original, String name, @Nullable String owner) {
        if (original == null || claims.containsKey(original.namespace() + "/" + name)) {
            return;
        }
        Map<String, String> annotations = original.annotations().toMap();
        annotations
                .keySet()
                .removeIf(key -> key.startsWith("pv.kubernetes.io/") || key.equals(ClaimInfo.SELECTED_NODE));
        ClaimInfo claim = new ClaimInfo(
                original.namespace(),
                name,
                "copy-of-" + original.uid() + "-" + name,
                "",
                Labels.copyOf(annotations),
                false,
                "",
                original.storageClassName(),
                original.accessModes(),
                original.selector(),
                original.volumeMode(),
                original.requestedStorage(),
                "Pending",
                original.attributesClassName(),
                owner == null ? "" : owner);
        claims.put(claim.key(), claim);
        made.add(claim);
    }

    private static PodSpec withVolumes(PodSpec spec, List<Volume> volumes) {
        if (volumes.equals(spec.volumes())) {
            return spec;
        }
        return spec.toBuilder().volumes(volumes).build();
    }

    private static PodInfo of(PodInfo original, String name, String uid, String node, String phase, PodSpec spec) {
        return original.toBuilder()
                .name(name)
                .uid(uid)
                .terminating(false)
                .nodeName(node)
                .spec(spec)
                .phase(phase)
                .failure("")
                .startTimeMillis(PodInfo.NO_TIME)
                .nominatedNodeName("")
                .scheduled(null)
                .preempted(false)
                .build();
    }

    /** The snapshot with additional pods and their claims. */
    ClusterSnapshot with(List<PodInfo> running, List<PodInfo> pending) {
        List<ClusterObject> objects = new ArrayList<>(snapshot.objects());
        objects.addAll(made);
        List<PodInfo> allRunning = new ArrayList<>(snapshot.running());
        allRunning.addAll(running);
        List<PodInfo> allPending = new ArrayList<>(snapshot.pending());
        allPending.addAll(pending);
        return snapshot.with(snapshot.nodes(), objects, allRunning, allPending);
    }

    /** Creates and removes resource claims with their pods. Mirrors {@code pkg/controller/resourceclaim}. */
    static final class ClaimCopies {
        private ClaimCopies() {}

        /**
         * The claim of a copied pod instead of the one of the original from the same template: without devices.
         *
         * @param entry of both pods
         */
        static ResourceClaimInfo ofCopy(ResourceClaimInfo original, String copy, String uid, String entry) {
            String name = copy + "-" + entry;
            return new ResourceClaimInfo(
                    original.namespace(),
                    name,
                    "copy-of-" + original.uid() + "-" + name,
                    "",
                    false,
                    new OwnerReference("v1", "Pod", copy, uid),
                    List.of(),
                    original.requests(),
                    original.constraints(),
                    original.config(),
                    null,
                    List.of(),
                    List.of(),
                    false);
        }

        /**
         * The objects after pods are deleted: their own claims are deleted, and unused allocations are released.
         *
         * @param missing their UIDs
         * @param again those of them that are created again with the same UID and their claims
         */
        static List<ClusterObject> without(List<ClusterObject> objects, Set<String> missing, Set<String> again) {
            List<ClusterObject> left = new ArrayList<>(objects.size());
            for (ClusterObject object : objects) {
                if (!(object instanceof ResourceClaimInfo claim)) {
                    left.add(object);
                    continue;
                }
                String owner =
                        claim.controller() == null ? "" : claim.controller().uid();
                if (!missing.contains(owner) || again.contains(owner)) {
                    left.add(released(claim, missing));
                }
            }
            return left;
        }

        private static ResourceClaimInfo released(ResourceClaimInfo claim, Set<String> missing) {
            List<ClaimConsumer> users = claim.reservedFor().stream()
                    .filter(user -> !missing.contains(user.uid()))
                    .toList();
            if (users.size() == claim.reservedFor().size()) {
                return claim;
            }
            DeviceAllocation allocation = users.isEmpty() ? null : claim.allocation();
            return claim.with(claim.finalizers(), allocation, users);
        }
    }

    /** The controllers of pods. */
    public static final class Controllers {
        private Controllers() {}

        /** True for a pod of a DaemonSet, which is tied to its node. */
        public static boolean isDaemon(PodInfo pod) {
            return pod.controller() != null && pod.controller().kind().equals("DaemonSet");
        }

        /** True for the mirror of a static pod, which the kubelet runs without a scheduler. */
        public static boolean isMirror(PodInfo pod) {
            return pod.controller() != null && pod.controller().kind().equals("Node");
        }

        /** True if a controller replaces the pod when it is deleted. */
        public static boolean isReplaced(PodInfo pod) {
            return pod.controller() != null && !isDaemon(pod) && !isMirror(pod);
        }

        /** A number with its noun. */
        static String count(int number, String noun) {
            return number + " " + noun + (number == 1 ? "" : "s");
        }
    }
}
