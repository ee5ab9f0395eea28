package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates claims and volumes. */
public final class StorageObjects {
    private static final long GIBIBYTE = 1L << 30;

    private StorageObjects() {}

    /** A claim for 1Gi of class {@code fast}; an empty volume name means unbound. */
    public static ClaimInfo claim(String namespace, String name, String volumeName) {
        return new ClaimInfo(
                namespace,
                name,
                name + "-uid",
                "1",
                Labels.EMPTY,
                false,
                volumeName,
                "fast",
                List.of("ReadWriteOnce"),
                null,
                "",
                GIBIBYTE,
                volumeName.isEmpty() ? "Pending" : "Bound",
                "",
                "");
    }

    /** A volume with these labels and this node affinity; null for all nodes. */
    public static PersistentVolumeInfo volume(String name, Labels labels, @Nullable List<NodeSelectorTerm> terms) {
        return new PersistentVolumeInfo(
                name,
                name + "-uid",
                "1",
                labels,
                Labels.EMPTY,
                false,
                "fast",
                terms,
                null,
                List.of("ReadWriteOnce"),
                "",
                GIBIBYTE,
                new Volume(Volume.Kind.OTHER, "", "", false, List.of()),
                "Bound",
                "");
    }
}
