package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A pod as far as {@link io.policyscheduler.engine.algorithm.Scope#NODE} lets algorithms look at it: equal for siblings. */
public final class PodClass {
    private final PodInfo pod;
    private final int hash;

    public PodClass(PodInfo pod) {
        this.pod = pod;
        this.hash =
                31 * (31 * System.identityHashCode(pod.spec()) + pod.labels().hashCode())
                        + pod.namespace().hashCode();
    }

    /** Specs are compared as objects: the reader makes equal ones the same, and an equal copy is merely worked out again. */
    @Override
    @SuppressWarnings("ReferenceEquality")
    public boolean equals(@Nullable Object o) {
        return o instanceof PodClass other
                && hash == other.hash
                && pod.spec() == other.pod.spec()
                && pod.labels().equals(other.pod.labels())
                && pod.namespace().equals(other.pod.namespace())
                && pod.annotations().equals(other.pod.annotations())
                && Objects.equals(pod.controller(), other.pod.controller())
                && pod.nodeName().equals(other.pod.nodeName())
                && pod.terminating() == other.pod.terminating();
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
