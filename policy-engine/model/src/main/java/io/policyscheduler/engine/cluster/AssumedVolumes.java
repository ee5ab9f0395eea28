package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.selector.LabelSyntax;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Claims and volumes that this scheduler has assumed but that the API server has not confirmed yet. They replace the stored
 * objects. Mirrors the assume caches of {@code pkg/controller/volume/scheduling/scheduler_assume_cache.go}.
 */
public final class AssumedVolumes {
    private final ObjectStore store;
    private final Map<String, ClaimInfo> claims = new HashMap<>();
    private final Map<String, PersistentVolumeInfo> volumes = new HashMap<>();

    AssumedVolumes(ObjectStore store) {
        this.store = store;
    }

    /** Assumes a changed claim until it is confirmed or restored. */
    public void assume(ClaimInfo claim) {
        claims.put(claim.key(), claim);
    }

    /** Assumes a changed volume until it is confirmed or restored. */
    public void assume(PersistentVolumeInfo volume) {
        volumes.put(volume.name(), volume);
    }

    /** Drops the assumed version of a claim. */
    public void restoreClaim(String namespace, String name) {
        claims.remove(namespace + "/" + name);
    }

    /** Drops the assumed version of a volume. */
    public void restoreVolume(String name) {
        volumes.remove(name);
    }

    /** Drops an assumed version that the API server's object replaces. */
    void confirm(ClusterObject object) {
        if (object instanceof ClaimInfo claim) {
            ClaimInfo assumed = claims.get(claim.key());
            if (assumed != null && isNewer(claim.resourceVersion(), assumed.resourceVersion())) {
                claims.remove(claim.key());
            }
        } else if (object instanceof PersistentVolumeInfo volume) {
            PersistentVolumeInfo assumed = volumes.get(volume.name());
            if (assumed != null && isNewer(volume.resourceVersion(), assumed.resourceVersion())) {
                volumes.remove(volume.name());
            }
        }
    }

    void drop(ClusterObject object) {
        if (object instanceof ClaimInfo) {
            claims.remove(object.key());
        } else if (object instanceof PersistentVolumeInfo) {
            volumes.remove(object.name());
        }
    }

    private static boolean isNewer(String version, String than) {
        Long a = LabelSyntax.parseInt64(version);
        Long b = LabelSyntax.parseInt64(than);
        return (a == null || b == null) ? !version.equals(than) : a > b;
    }

    @Nullable
    ClaimInfo claim(String namespace, String name) {
        if (!claims.isEmpty()) {
            ClaimInfo assumed = claims.get(namespace + "/" + name);
            if (assumed != null) {
                return assumed;
            }
        }
        return store.claim(namespace, name);
    }

    @Nullable
    PersistentVolumeInfo volume(String name) {
        PersistentVolumeInfo assumed = volumes.get(name);
        return assumed != null ? assumed : store.volume(name);
    }

    Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName) {
        Collection<PersistentVolumeInfo> stored = store.volumesOfClass(storageClassName);
        if (volumes.isEmpty()) {
            return stored;
        }
        List<PersistentVolumeInfo> overlaid = new ArrayList<>(stored.size());
        for (PersistentVolumeInfo volume : stored) {
            overlaid.add(Objects.requireNonNullElse(volumes.get(volume.name()), volume));
        }
        return overlaid;
    }
}
