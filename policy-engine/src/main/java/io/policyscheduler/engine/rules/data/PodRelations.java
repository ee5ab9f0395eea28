package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The objects of a pod: its claims and their volumes, and the budgets that cover it. */
public final class PodRelations {
    /** The cost of looking up a claim and its volume. */
    private static final int CLAIM = 3;

    private final ClusterView cluster;
    private final Meter meter;

    PodRelations(ClusterView cluster, Meter meter) {
        this.cluster = cluster;
        this.meter = meter;
    }

    /** In the order of the volumes, including missing claims. */
    List<ClaimView> claims(PodInfo pod) {
        List<Volume> volumes = pod.volumes();
        meter.charge((long) CLAIM * volumes.size());
        List<ClaimView> claims = new ArrayList<>();
        for (Volume volume : volumes) {
            String name = volume.claimName(pod);
            if (name != null) {
                claims.add(ClaimView.of(cluster, pod.namespace(), name));
            }
        }
        return claims;
    }

    /** The zone of all bound volumes that have one; null if there is none, or they differ. */
    @Nullable
    String volumeZone(PodInfo pod) {
        String zone = null;
        for (ClaimView claim : claims(pod)) {
            String here = claim.zone();
            if (here != null && zone != null && !zone.equals(here)) {
                return null;
            }
            zone = here == null ? zone : here;
        }
        return zone;
    }

    /** The budgets that cover the pod, in name order. */
    List<DisruptionBudgetInfo> budgets(PodInfo pod) {
        List<DisruptionBudgetInfo> covering = new ArrayList<>();
        Collection<DisruptionBudgetInfo> all = cluster.budgets(pod.namespace());
        for (DisruptionBudgetInfo budget : all) {
            meter.charge(1L
                    + (budget.selector() == null
                            ? 0
                            : budget.selector().requirements().size()));
            if (budget.covers(pod.labels())) {
                covering.add(budget);
            }
        }
        return covering;
    }

    /** The minimum of the budgets of a pod, never below 0; {@link Integer#MAX_VALUE} if it has none. */
    double disruptionsAllowed(PodInfo pod) {
        int least = Integer.MAX_VALUE;
        for (DisruptionBudgetInfo budget : budgets(pod)) {
            least = Math.max(0, Math.min(least, budget.disruptionsAllowed()));
        }
        return least;
    }

    /** Whole minutes from a time to that of the attempt; 0 if unknown or in the future. */
    double minutesSince(long millis) {
        if (millis == PodInfo.NO_TIME) {
            return 0;
        }
        return Math.max(0, Math.floorDiv(cluster.now().toEpochMilli() - millis, 60_000L));
    }

    /**
     * A view of a claim of a pod for rules. Public only because MVEL calls it.
     *
     * @param name its name, even if there is no such claim
     * @param claim null if it does not exist
     * @param volume its bound volume; null if unknown
     */
    public record ClaimView(
            String name,
            @Nullable ClaimInfo claim,
            @Nullable PersistentVolumeInfo volume) {
        static ClaimView of(ClusterView cluster, String namespace, String name) {
            ClaimInfo claim = cluster.claim(namespace, name);
            if (claim == null || claim.volumeName().isEmpty()) {
                return new ClaimView(name, claim, null);
            }
            return new ClaimView(name, claim, cluster.volume(claim.volumeName()));
        }

        public boolean exists() {
            return claim != null;
        }

        public String storageClassName() {
            return claim == null ? "" : claim.className();
        }

        public List<String> accessModes() {
            return claim == null ? List.of() : claim.accessModes();
        }

        public double requestedStorage() {
            return claim == null ? 0 : claim.requestedStorage();
        }

        public String phase() {
            return claim == null ? "" : claim.phase();
        }

        /** Null if it is not bound. */
        public @Nullable String volumeName() {
            return claim == null || claim.volumeName().isEmpty() ? null : claim.volumeName();
        }

        /** The zone of its volume, null if it has none or several. */
        public @Nullable String zone() {
            return volume == null ? null : VolumeZone.of(volume);
        }

        /** The zone of a volume: its zone label, or the only zone in its node affinity. */
        static final class VolumeZone {
            /** The suffix of zone keys of CSI drivers, such as {@code topology.gke.io/zone}. */
            private static final String DRIVER_ZONE = "/zone";

            private VolumeZone() {}

            /** Null if there is none, or more than one. */
            static @Nullable String of(PersistentVolumeInfo volume) {
                String label = volume.labels().get(Node.LEGACY_ZONE);
                if (label == null) {
                    label = volume.labels().get(Node.ZONE);
                }
                return label == null ? required(volume.requiredTerms()) : label;
            }

            private static @Nullable String required(@Nullable List<NodeSelectorTerm> terms) {
                String found = null;
                for (NodeSelectorTerm term : terms == null ? List.<NodeSelectorTerm>of() : terms) {
                    String zone = zone(term);
                    if (zone == null || (found != null && !found.equals(zone))) {
                        return null;
                    }
                    found = zone;
                }
                return found;
            }

            private static @Nullable String zone(NodeSelectorTerm term) {
                for (LabelRequirement requirement : term.expressions()) {
                    if (requirement.key().endsWith(DRIVER_ZONE)
                            && requirement.operator().equals("In")
                            && requirement.values().size() == 1) {
                        return requirement.values().get(0);
                    }
                }
                return null;
            }
        }
    }
}
