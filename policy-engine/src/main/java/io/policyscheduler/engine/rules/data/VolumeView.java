package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.object.PodSpec.PodVolume;
import org.jspecify.annotations.Nullable;

/** What a rule may ask about a volume of a pod. Public only because MVEL calls it. */
public record VolumeView(PodVolume volume) {
    public String name() {
        return volume.name();
    }

    public String kind() {
        return volume.kind();
    }

    /** Null for a volume that names no claim. */
    public @Nullable String claimName() {
        return volume.claimName().isEmpty() ? null : volume.claimName();
    }
}
