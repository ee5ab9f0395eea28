package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import io.policyscheduler.engine.placement.InTreeVolumes.Translation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one pod, divided into bound and unbound ones with delayed binding, and their volumes on a node. The callers look up
 * the claims, because releases differ in which claims they reject. Mirrors {@code GetPodVolumeClaims} and {@code FindPodVolumes} of
 * {@code pkg/scheduler/framework/plugins/volumebinding/binder.go} and of {@code
 * pkg/controller/volume/scheduling/scheduler_binder.go} of v1.17.
 */
public final class PodVolumeClaims {
    /** The reason for unbound claims without delayed binding. */
    public static final String UNBOUND_IMMEDIATE = "pod has unbound immediate PersistentVolumeClaims";

    private static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    private final ClusterView cluster;
    private final InTreeVolumes inTree;
    private final Rules rules;
    private final List<Bound> bound = new ArrayList<>();
    /** Claims with delayed binding, in the order of the pod's volumes. */
    private final List<Waiting> waiting = new ArrayList<>();
    /** The delayed claims without a selected node, the smallest request first. */
    private final List<Waiting> toMatch = new ArrayList<>();

    private boolean hasImmediate;

    /** No claims yet; see {@link #add}. */
    public PodVolumeClaims(ClusterView cluster, InTreeVolumes inTree, Rules rules) {
        this.cluster = cluster;
        this.inTree = inTree;
        this.rules = rules;
    }

    /**
     * The differences between releases.
     *
     * @param comparesModes whether the volume mode of a claim and of a volume must be equal
     * @param skipsTerminating whether volumes that are being deleted are skipped
     * @param attributesClasses the effect of {@code volumeAttributesClassName}
     * @param checksCapacity whether the storage capacities of a driver that publishes them limit new volumes
     * @param missingVolumesReject whether a bound volume that does not exist rejects the node; otherwise it is an error
     */
    public record Rules(
            boolean comparesModes,
            boolean skipsTerminating,
            AttributesClasses attributesClasses,
            boolean checksCapacity,
            boolean missingVolumesReject) {
        /** The effect of {@code volumeAttributesClassName} of claims and volumes. */
        public enum AttributesClasses {
            /** None. */
            IGNORED,
            /** The feature is off: a claim with it is an error, and a volume with it matches no claim. */
            REJECTED,
            /** It must be equal in the claim and in the volume. */
            COMPARED;

            static AttributesClasses of(Release release) {
                if (SchedulerChange.ATTRIBUTES_CLASSES.in(release)) {
                    return COMPARED;
                }
                return SchedulerChange.ATTRIBUTES_CLASSES_ARE_REJECTED.in(release) ? REJECTED : IGNORED;
            }

            private boolean match(PersistentVolumeInfo volume, ClaimInfo claim) {
                return switch (this) {
                    case IGNORED -> true;
                    case REJECTED -> volume.attributesClassName().isEmpty();
                    case COMPARED -> volume.attributesClassName().equals(claim.attributesClassName());
                };
            }
        }

        /** The rules of 1.17. */
        public static Rules v117(FeatureGates gates) {
            return new Rules(
                    gates.enabled(FeatureGates.BLOCK_VOLUME),
                    gates.enabled(FeatureGates.STORAGE_OBJECT_IN_USE_PROTECTION),
                    AttributesClasses.IGNORED,
                    false,
                    false);
        }

        /** The rules of a release after 1.17. */
        public static Rules of(Release release) {
            return new Rules(
                    true,
                    true,
                    AttributesClasses.of(release),
                    SchedulerChange.STORAGE_CAPACITIES.in(release),
                    SchedulerChange.MISSING_VOLUMES_REJECT.in(release));
        }
    }

    /**
     * A bound claim.
     *
     * @param volume null if it does not exist
     * @param plugin the in-tree plugin whose migration changes the volume's node affinity, or null
     * @param translation the volume once {@code plugin} is migrated; null without plugin
     */
    private record Bound(
            ClaimInfo claim,
            @Nullable PersistentVolumeInfo volume,
            @Nullable Plugin plugin,
            @Nullable Translation translation) {}

    /**
     * A claim with delayed binding.
     *
     * @param selectedNode the node that an earlier attempt selected, or null
     * @param candidates the volumes that match; null with a selected node
     */
    private record Waiting(
            ClaimInfo claim,
            StorageClassInfo storageClass,
            @Nullable String selectedNode,
            @Nullable VolumeMatching candidates) {}

    /** Returns whether the pod has a claim. */
    public static boolean hasClaims(PodInfo pod) {
        List<Volume> volumes = pod.volumes();
        for (int i = 0; i < volumes.size(); i++) {
            if (volumes.get(i).claimName(pod) != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds the claim of the pod's next volume.
     *
     * @return null, or the error of its storage class
     */
    public @Nullable String add(ClaimInfo claim) {
        if (claim.isFullyBound()) {
            bound.add(bound(claim));
            return null;
        }
        String className = claim.className();
        StorageClassInfo storageClass = className.isEmpty() ? null : cluster.storageClass(className);
        if (storageClass != null && storageClass.bindingMode() == null) {
            return VolumeZones.noBindingMode(className);
        }
        if (storageClass == null
                || !storageClass.isDelayed()
                || !claim.volumeName().isEmpty()) {
            hasImmediate = true;
            return null;
        }
        String selectedNode = claim.annotations().get(ClaimInfo.SELECTED_NODE);
        Waiting added = new Waiting(
                claim,
                storageClass,
                selectedNode,
                selectedNode == null ? new VolumeMatching(claim, cluster, rules) : null);
        waiting.add(added);
        if (selectedNode == null) {
            toMatch.add(added);
            toMatch.sort(Comparator.comparingLong(entry -> entry.claim.requestedStorage()));
        }
        return null;
    }

    private Bound bound(ClaimInfo claim) {
        PersistentVolumeInfo volume = cluster.volume(claim.volumeName());
        Plugin plugin = volume == null ? null : inTree.ofSource(volume.source());
        return volume != null && plugin != null && inTree.isEnabled(plugin)
                ? new Bound(claim, volume, plugin, inTree.translate(plugin, volume))
                : new Bound(claim, volume, null, null);
    }

    /** Returns whether an unbound claim has no delayed binding, so that {@link #UNBOUND_IMMEDIATE} rejects the pod. */
    public boolean hasImmediate() {
        return hasImmediate;
    }

    /** Returns whether all added claims are those of {@link #hasImmediate}. */
    public boolean isEmpty() {
        return bound.isEmpty() && waiting.isEmpty();
    }

    /** The volumes of the bound claims, in the order of the claims; null for each volume that does not exist. */
    public List<@Nullable PersistentVolumeInfo> boundVolumes() {
        List<@Nullable PersistentVolumeInfo> volumes = new ArrayList<>(bound.size());
        bound.forEach(claim -> volumes.add(claim.volume));
        return volumes;
    }

    /** Finds the volumes of the claims on a node. */
    public PodVolumes find(NodeInfo info) {
        Node node = info.node();
        Reach reach = Reach.ALL;
        for (int i = 0; i < bound.size() && reach == Reach.ALL; i++) {
            Bound claim = bound.get(i);
            if (claim.volume == null) {
                if (!rules.missingVolumesReject) {
                    return PodVolumes.error("could not find v1.PersistentVolume \"" + claim.claim.volumeName() + "\"");
                }
                reach = Reach.MISSING_VOLUME;
                continue;
            }
            List<NodeSelectorTerm> terms = claim.volume.requiredTerms();
            if (claim.plugin != null
                    && claim.translation != null
                    && inTree.isMigrated(claim.plugin, cluster.csiNode(node.name()))) {
                if (claim.translation.error() != null) {
                    return PodVolumes.error("could not translate pv: " + claim.translation.error());
                }
                terms = claim.translation.requiredTerms();
            }
            if (!VolumeMatching.affinityMatches(terms, node.labels())) {
                reach = Reach.CONFLICT;
            }
        }
        return waiting.isEmpty() ? PodVolumes.ofBound(reach) : findWaiting(node, reach);
    }

    private PodVolumes findWaiting(Node node, Reach reach) {
        List<Waiting> toProvision = new ArrayList<>();
        for (Waiting claim : waiting) {
            if (claim.selectedNode != null) {
                if (!claim.selectedNode.equals(node.name())) {
                    return new PodVolumes(reach, Binding.NO_VOLUME, List.of(), List.of(), null);
                }
                toProvision.add(claim);
            }
        }
        List<PodVolumes.Match> matches = new ArrayList<>();
        for (Waiting claim : toMatch) {
            VolumeMatching candidates = claim.candidates;
            if (candidates == null) {
                continue;
            }
            if (candidates.error() != null) {
                return PodVolumes.error(candidates.error());
            }
            PersistentVolumeInfo volume = candidates.find(node.labels(), candidate -> isClaimed(candidate, matches));
            if (volume == null) {
                toProvision.add(claim);
            } else {
                matches.add(new PodVolumes.Match(volume, claim.claim));
            }
        }
        List<ClaimInfo> provisions = new ArrayList<>();
        for (Waiting claim : toProvision) {
            Binding binding = provisioning(claim, node.labels());
            if (binding != Binding.POSSIBLE) {
                return new PodVolumes(reach, binding, matches, List.of(), null);
            }
            provisions.add(claim.claim);
        }
        return new PodVolumes(reach, Binding.POSSIBLE, matches, provisions, null);
    }

    private static boolean isClaimed(PersistentVolumeInfo volume, List<PodVolumes.Match> matches) {
        for (int i = 0; i < matches.size(); i++) {
            if (matches.get(i).volume().name().equals(volume.name())) {
                return true;
            }
        }
        return false;
    }

    private Binding provisioning(Waiting claim, Labels nodeLabels) {
        String provisioner = claim.storageClass.provisioner();
        if (provisioner.isEmpty() || provisioner.equals(NO_PROVISIONER) || !isAllowed(claim.storageClass, nodeLabels)) {
            return Binding.NO_VOLUME;
        }
        return !rules.checksCapacity || hasCapacity(claim, nodeLabels) ? Binding.POSSIBLE : Binding.NO_SPACE;
    }

    private static boolean isAllowed(StorageClassInfo storageClass, Labels nodeLabels) {
        if (storageClass.allowedTopologies().isEmpty()) {
            return true;
        }
        for (List<LabelRequirement> term : storageClass.allowedTopologies()) {
            if (!term.isEmpty() && term.stream().allMatch(requirement -> requirement.matches(nodeLabels))) {
                return true;
            }
        }
        return false;
    }

    private boolean hasCapacity(Waiting claim, Labels nodeLabels) {
        long requested = claim.claim.requestedStorage();
        CsiDriverInfo driver = cluster.csiDriver(claim.storageClass.provisioner());
        if (requested == 0 || driver == null || !driver.storageCapacity()) {
            return true;
        }
        for (StorageCapacityInfo capacity : cluster.storageCapacities(claim.storageClass.name())) {
            if (capacity.suffices(requested, nodeLabels)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a node can use the volumes of the bound claims. */
    public enum Reach {
        /** It can use all of them. */
        ALL,
        /** The node affinity of a volume excludes the node. */
        CONFLICT,
        /** A volume does not exist. */
        MISSING_VOLUME
    }

    /** Whether the delayed claims can be bound on a node. */
    public enum Binding {
        /** All of them can be bound, or there are none. */
        POSSIBLE,
        /** No volume matches a claim, and none can be provisioned. */
        NO_VOLUME,
        /** The storage class of a claim has no capacity left. */
        NO_SPACE
    }

    /**
     * The volumes of a pod on one node.
     *
     * @param reach the result for bound claims
     * @param binding the result for delayed claims
     * @param matches existing volumes for claims; empty if there are none
     * @param provisions claims whose volume must be provisioned for the node; empty if there are none or that is impossible
     * @param error null, or the text of an error that ends the attempt; the other components are then meaningless
     */
    public record PodVolumes(
            Reach reach,
            Binding binding,
            List<Match> matches,
            List<ClaimInfo> provisions,
            @Nullable String error) {
        /** Nothing to bind and nothing to provision. */
        public static final PodVolumes NOTHING =
                new PodVolumes(Reach.ALL, Binding.POSSIBLE, List.of(), List.of(), null);

        private static final PodVolumes CONFLICT =
                new PodVolumes(Reach.CONFLICT, Binding.POSSIBLE, List.of(), List.of(), null);
        private static final PodVolumes MISSING_VOLUME =
                new PodVolumes(Reach.MISSING_VOLUME, Binding.POSSIBLE, List.of(), List.of(), null);

        /** The annotation of a volume that the controller or the scheduler has bound to its claim. */
        public static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

        /** A claim and the volume that it gets. */
        public record Match(PersistentVolumeInfo volume, ClaimInfo claim) {
            /** The volume with a reference to the claim, as the scheduler writes it. */
            public PersistentVolumeInfo boundVolume() {
                Labels annotations = volume.annotations();
                if (!VolumeMatching.isReservedFor(volume, claim) && !annotations.has(BOUND_BY_CONTROLLER)) {
                    annotations = with(annotations, BOUND_BY_CONTROLLER, "yes");
                }
                return volume.withClaimRef(
                        new PersistentVolumeInfo.ClaimRef(claim.namespace(), claim.name(), claim.uid()), annotations);
            }
        }

        public PodVolumes {
            matches = List.copyOf(matches);
            provisions = List.copyOf(provisions);
        }

        static PodVolumes ofBound(Reach reach) {
            return switch (reach) {
                case ALL -> NOTHING;
                case CONFLICT -> CONFLICT;
                case MISSING_VOLUME -> MISSING_VOLUME;
            };
        }

        /** A result with an error. */
        public static PodVolumes error(String text) {
            return new PodVolumes(Reach.CONFLICT, Binding.NO_VOLUME, List.of(), List.of(), text);
        }

        /** Returns the claim with the annotation of the selected node, for the provisioner. */
        public static ClaimInfo selectNode(ClaimInfo claim, String node) {
            return claim.withAnnotations(with(claim.annotations(), ClaimInfo.SELECTED_NODE, node));
        }

        private static Labels with(Labels annotations, String key, String value) {
            Map<String, String> changed = annotations.toMap();
            changed.put(key, value);
            return Labels.copyOf(changed);
        }
    }

    /**
     * The existing volumes that match an unbound claim. Only node affinity is checked for each node; everything else is checked
     * once. Of equal volumes, the first by name is selected. Mirrors {@code FindMatchingVolume} of
     * {@code pkg/controller/volume/persistentvolume/util/util.go}.
     */
    public static final class VolumeMatching {
        private static final String FILESYSTEM = "Filesystem";

        /** Volumes that refer to the claim. The first one that is not taken determines the result, even if it does not match. */
        private final List<PersistentVolumeInfo> reserved = new ArrayList<>();
        /** Free volumes, the smallest first. */
        private final List<PersistentVolumeInfo> free = new ArrayList<>();

        private final @Nullable String error;

        /** The volumes for a claim. */
        public VolumeMatching(ClaimInfo claim, ClusterView cluster, Rules rules) {
            if (rules.attributesClasses == Rules.AttributesClasses.REJECTED
                    && !claim.attributesClassName().isEmpty()) {
                error = "unsupported volumeAttributesClassName is set on claim " + claim.key()
                        + " when the feature-gate VolumeAttributesClass is disabled";
                return;
            }
            String selectorError =
                    claim.selector() == null ? null : claim.selector().error();
            if (selectorError != null) {
                error = "error creating internal label selector for claim: " + claim.key() + ": " + selectorError;
                return;
            }
            error = null;
            for (PersistentVolumeInfo volume : cluster.volumesOfClass(claim.className())) {
                if (volume.capacity() < claim.requestedStorage()
                        || (rules.comparesModes && !mode(volume.volumeMode()).equals(mode(claim.volumeMode())))
                        || (rules.skipsTerminating && volume.terminating())
                        || !rules.attributesClasses.match(volume, claim)) {
                    continue;
                }
                if (isReservedFor(volume, claim)) {
                    reserved.add(volume);
                } else if (isFree(volume, claim)) {
                    free.add(volume);
                }
            }
            free.sort(Comparator.comparingLong(PersistentVolumeInfo::capacity));
        }

        private static String mode(String volumeMode) {
            return volumeMode.isEmpty() ? FILESYSTEM : volumeMode;
        }

        private static boolean isFree(PersistentVolumeInfo volume, ClaimInfo claim) {
            return volume.phase().equals("Available")
                    && volume.claimRef() == null
                    && (claim.selector() == null || claim.selector().matches(volume.labels()))
                    && volume.className().equals(claim.className())
                    && volume.accessModes().containsAll(claim.accessModes());
        }

        /** Returns whether the volume refers to this claim; without a UID, to any claim of this name. */
        public static boolean isReservedFor(PersistentVolumeInfo volume, ClaimInfo claim) {
            PersistentVolumeInfo.ClaimRef ref = volume.claimRef();
            return ref != null
                    && ref.name().equals(claim.name())
                    && ref.namespace().equals(claim.namespace())
                    && (ref.uid().isEmpty() || ref.uid().equals(claim.uid()));
        }

        /** Returns the reason why no volume can be matched; null if there is none. */
        public @Nullable String error() {
            return error;
        }

        /** Returns the volume for the claim on a node with these labels, or null; {@code taken} excludes volumes. */
        public @Nullable PersistentVolumeInfo find(Labels nodeLabels, Predicate<PersistentVolumeInfo> taken) {
            for (PersistentVolumeInfo volume : reserved) {
                if (!taken.test(volume)) {
                    return affinityMatches(volume.requiredTerms(), nodeLabels) ? volume : null;
                }
            }
            for (PersistentVolumeInfo volume : free) {
                if (!taken.test(volume) && affinityMatches(volume.requiredTerms(), nodeLabels)) {
                    return volume;
                }
            }
            return null;
        }

        /**
         * Returns whether a volume with this node affinity can be used on a node with these labels; null allows all nodes. Node fields are
         * empty here. Mirrors {@code CheckNodeAffinity} of {@code pkg/volume/util/util.go}.
         */
        public static boolean affinityMatches(@Nullable List<NodeSelectorTerm> requiredTerms, Labels nodeLabels) {
            return requiredTerms == null || NodeSelectorTerm.anyMatches(requiredTerms, nodeLabels, "");
        }
    }
}
