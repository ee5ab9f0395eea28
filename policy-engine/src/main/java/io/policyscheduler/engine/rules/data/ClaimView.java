package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a rule may ask about a claim of a pod. Public only because MVEL calls it.
 *
 * @param name its name, also when there is no such claim
 * @param claim null when there is none
 * @param volume the volume that it is bound to, as far as it is known; null when there is none
 */
public record ClaimView(
        String name, @Nullable ClaimInfo claim, @Nullable PersistentVolumeInfo volume) {
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

    /** Null when it is not bound. */
    public @Nullable String volumeName() {
        return claim == null || claim.volumeName().isEmpty() ? null : claim.volumeName();
    }

    /** Zone of its volume, null when it has none or several. */
    public @Nullable String zone() {
        return volume == null ? null : VolumeZone.of(volume);
    }
}
