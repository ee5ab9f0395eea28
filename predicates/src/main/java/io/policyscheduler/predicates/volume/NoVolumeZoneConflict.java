package io.policyscheduler.predicates.volume;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The node lies in a zone and region of the pod's volumes, by the legacy zone labels. Mirrors {@code VolumeZoneChecker} of
 * {@code pkg/scheduler/algorithm/predicates/predicates.go}.
 */
public final class NoVolumeZoneConflict implements Predicate {
    /** Name in a Policy file. */
    public static final String NAME = "NoVolumeZoneConflict";

    private static final Verdict CONFLICT = Verdict.unfit(FailureReasons.VOLUME_ZONE_CONFLICT);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodFilter start(PodContext context) {
        Filter filter = new Filter();
        for (Volume volume : context.pod().volumes()) {
            if (volume.kind() == Volume.Kind.CLAIM) {
                String error = filter.add(context.pod().namespace(), volume.id(), context.cluster());
                if (error != null) {
                    filter.end = Verdict.error(error);
                    break;
                }
            }
        }
        return filter.allowed.isEmpty() && filter.end.fits() ? PodFilter.FITS_ALL : filter;
    }

    /** The values that a volume allows for a node label. */
    private record Allowed(String key, Set<String> values) {}

    private static final class Filter implements PodFilter {
        private final List<Allowed> allowed = new ArrayList<>();
        /** The verdict once everything in {@link #allowed} holds. */
        private Verdict end = Verdict.FITS;

        @Override
        public Verdict check(NodeInfo node) {
            Labels labels = node.node().labels();
            if (!labels.has(Node.LEGACY_ZONE) && !labels.has(Node.LEGACY_REGION)) {
                return Verdict.FITS;
            }
            for (int i = 0; i < allowed.size(); i++) {
                // A node without the label has the empty value, which is never allowed.
                if (!allowed.get(i)
                        .values()
                        .contains(labels.getOrEmpty(allowed.get(i).key()))) {
                    return CONFLICT;
                }
            }
            return end;
        }

        /** Notes what the volume of a claim allows; the result is null or the text of an error. */
        private @Nullable String add(String namespace, String claimName, ClusterView cluster) {
            if (claimName.isEmpty()) {
                return MaxVolumeCount.NAMELESS_CLAIM;
            }
            ClaimInfo claim = cluster.claim(namespace, claimName);
            if (claim == null) {
                return "persistentvolumeclaim \"" + claimName + "\" not found";
            }
            if (claim.volumeName().isEmpty()) {
                return unboundError(claim, cluster);
            }
            PersistentVolumeInfo volume = cluster.volume(claim.volumeName());
            if (volume == null) {
                return "persistentvolume \"" + claim.volumeName() + "\" not found";
            }
            addLabel(volume, Node.LEGACY_REGION);
            addLabel(volume, Node.LEGACY_ZONE);
            return null;
        }

        private static @Nullable String unboundError(ClaimInfo claim, ClusterView cluster) {
            String className = claim.className();
            StorageClassInfo storageClass = className.isEmpty() ? null : cluster.storageClass(className);
            if (storageClass != null && storageClass.bindingMode() == null) {
                return "VolumeBindingMode not set for StorageClass \"" + className + "\"";
            }
            return storageClass != null && storageClass.isDelayed()
                    ? null
                    : "PersistentVolumeClaim was not found: \"" + claim.name() + "\"";
        }

        private void addLabel(PersistentVolumeInfo volume, String key) {
            String value = volume.labels().get(key);
            if (value == null) {
                return;
            }
            Set<String> values = new HashSet<>();
            for (String part : value.split("__", -1)) {
                if (part.isBlank()) {
                    // A list with a gap is taken for a mistake and ignored as a whole.
                    return;
                }
                values.add(part.strip());
            }
            allowed.add(new Allowed(key, values));
        }
    }
}
