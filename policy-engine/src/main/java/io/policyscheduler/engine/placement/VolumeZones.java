package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The zones and regions of a pod's volumes, from the labels of the volumes. Mirrors {@code VolumeZoneChecker} of
 * {@code pkg/scheduler/algorithm/predicates/predicates.go} of 1.17 and {@code pkg/scheduler/framework/plugins/volumezone}.
 */
public final class VolumeZones {
    /** The rules of a release. */
    public enum Rules {
        /** 1.17: labels of beta releases, in volumes and nodes. */
        V1_17,
        /** 1.18: the same labels; a problem with a claim is an error. */
        V1_18,
        /** 1.19: all labels; a problem with a claim is an error. */
        V1_19,
        /** 1.20 to 1.26: all labels; claims are checked for each node. */
        AT_NODES,
        /** 1.27 and 1.28: claims are checked before nodes. */
        BEFORE_NODES,
        /** Since 1.29: a label of a beta release in a volume also applies to nodes that have the current label only. */
        TRANSLATED;

        /** The rules of a release since 1.18. */
        public static Rules of(Release release) {
            if (!SchedulerChange.ZONE_ERRORS_REJECT.in(release)) {
                return SchedulerChange.CURRENT_ZONE_LABELS.in(release) ? V1_19 : V1_18;
            }
            if (!SchedulerChange.ZONES_BEFORE_NODES.in(release)) {
                return AT_NODES;
            }
            return SchedulerChange.TRANSLATED_ZONE_LABELS.in(release) ? TRANSLATED : BEFORE_NODES;
        }

        /** Whether claims are checked before nodes. */
        public boolean checksClaimsFirst() {
            return this == BEFORE_NODES || this == TRANSLATED;
        }

        boolean failsWithErrors() {
            return this == V1_17 || this == V1_18 || this == V1_19;
        }
    }

    private static final String ZONE_DELIMITER = "__";
    private static final List<String> LEGACY_KEYS = List.of(Node.LEGACY_REGION, Node.LEGACY_ZONE);
    /** The topology labels of volumes and nodes. */
    public static final List<String> KEYS = List.of(Node.LEGACY_ZONE, Node.LEGACY_REGION, Node.ZONE, Node.REGION);

    private static final Verdict CONFLICT = Verdict.unfit(FailureReasons.VOLUME_ZONE_CONFLICT);

    /** The values of a topology label, of which the node must have one. */
    private record Place(String key, Set<String> values) {}

    private final Rules rules;
    private final List<Place> places = new ArrayList<>();
    /** The verdict after all places: the error of a volume, if there is one; places of the volumes after it are not included. */
    private final Verdict last;

    /** Collects the places of the volumes of {@code pod}. */
    public VolumeZones(PodInfo pod, ClusterView cluster, Rules rules) {
        this.rules = rules;
        String problem = collect(pod, cluster);
        if (problem == null) {
            last = Verdict.FITS;
        } else {
            last = rules.failsWithErrors()
                    ? Verdict.error(problem)
                    : Verdict.unfit(FailureReason.unresolvable(problem));
        }
    }

    /** The text for a missing claim. */
    public static String claimNotFound(String claim) {
        return "persistentvolumeclaim \"" + claim + "\" not found";
    }

    /** The text for a storage class without a binding mode. */
    public static String noBindingMode(String storageClass) {
        return "VolumeBindingMode not set for StorageClass \"" + storageClass + "\"";
    }

    /** The verdict for all nodes if a claim has an error, or else FITS. */
    public Verdict claims() {
        return last;
    }

    /** Returns whether no volume has a place. */
    public boolean isEmpty() {
        return places.isEmpty();
    }

    /** Returns null, or the error of a claim, which ends the list of places. */
    private @Nullable String collect(PodInfo pod, ClusterView cluster) {
        for (Volume volume : pod.volumes()) {
            if (volume.kind() != Volume.Kind.CLAIM) {
                continue;
            }
            if (volume.id().isEmpty()) {
                return "PersistentVolumeClaim had no name";
            }
            ClaimInfo claim = cluster.claim(pod.namespace(), volume.id());
            if (claim == null) {
                return claimNotFound(volume.id());
            }
            if (claim.volumeName().isEmpty()) {
                String problem = unboundProblem(claim, cluster);
                if (problem != null) {
                    return problem;
                }
                continue;
            }
            PersistentVolumeInfo bound = cluster.volume(claim.volumeName());
            if (bound == null) {
                return "persistentvolume \"" + claim.volumeName() + "\" not found";
            }
            addPlaces(bound.labels());
        }
        return null;
    }

    /** Returns the error of an unbound claim, or null if it has delayed binding. */
    private @Nullable String unboundProblem(ClaimInfo claim, ClusterView cluster) {
        String className = claim.className();
        StorageClassInfo storageClass = className.isEmpty() ? null : cluster.storageClass(className);
        if (storageClass != null && storageClass.bindingMode() == null) {
            return noBindingMode(className);
        }
        if (storageClass != null && storageClass.isDelayed()) {
            return null;
        }
        if (rules == Rules.V1_17) {
            return "PersistentVolumeClaim was not found: \"" + claim.name() + "\"";
        }
        if (className.isEmpty()) {
            return "PersistentVolumeClaim had no pv name and storageClass name";
        }
        if (storageClass != null) {
            return "PersistentVolume had no name";
        }
        return rules.failsWithErrors()
                ? "StorageClass \"" + className + "\" claimed by PersistentVolumeClaim \"" + claim.name()
                        + "\" not found"
                : "storageclass.storage.k8s.io \"" + className + "\" not found";
    }

    private List<String> keys() {
        return rules == Rules.V1_17 || rules == Rules.V1_18 ? LEGACY_KEYS : KEYS;
    }

    private void addPlaces(Labels labels) {
        for (String key : keys()) {
            String value = labels.get(key);
            Set<String> values = value == null ? Set.of() : values(value);
            if (!values.isEmpty()) {
                places.add(new Place(key, values));
            }
        }
    }

    /** Returns the zones in a label. A list with an empty element is invalid, and is ignored completely. */
    private static Set<String> values(String label) {
        Set<String> values = new HashSet<>();
        for (String part : label.split(ZONE_DELIMITER, -1)) {
            if (part.isBlank()) {
                return Set.of();
            }
            values.add(part.strip());
        }
        return values;
    }

    /** Checks a node. */
    public Verdict check(NodeInfo node) {
        if (rules.checksClaimsFirst() && !last.fits()) {
            return last;
        }
        Labels labels = node.node().labels();
        if (!hasTopology(labels)) {
            return Verdict.FITS;
        }
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            String value = labels.get(place.key());
            if (value == null && rules == Rules.TRANSLATED) {
                value = labels.get(current(place.key()));
            }
            if (value == null || !place.values().contains(value)) {
                return CONFLICT;
            }
        }
        return last;
    }

    private boolean hasTopology(Labels labels) {
        List<String> keys = keys();
        for (int i = 0; i < keys.size(); i++) {
            if (labels.has(keys.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static String current(String key) {
        return switch (key) {
            case Node.LEGACY_ZONE -> Node.ZONE;
            case Node.LEGACY_REGION -> Node.REGION;
            default -> key;
        };
    }
}
