package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a volume can be reached from: its zone label, or the one zone that its node affinity names. */
final class VolumeZone {
    /** Ends of the keys by which CSI drivers name zones, such as {@code topology.gke.io/zone}. */
    private static final String DRIVER_ZONE = "/zone";

    private VolumeZone() {}

    /** Null when there is none, or more than one. */
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
