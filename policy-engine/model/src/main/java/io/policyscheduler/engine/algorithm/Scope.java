package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state that the result of an algorithm for a node depends on, in addition to the pod. It determines which results are reused
 * between pods.
 */
public enum Scope {
    /**
     * The node object and its pods only. Of the pod, only spec, namespace, labels, annotations, controller, node name and whether
     * it is being deleted, so that pods of one controller share results.
     */
    NODE,
    /** Nodes with the same topology value, and their pods. */
    TOPOLOGY,
    /** Anything in the cluster. */
    CLUSTER;

    /** The part of a pod that an algorithm of {@link #NODE} can read; equal for pods of one controller. */
    public static final class PodClass {
        private final PodInfo pod;
        private final int hash;

        /** The class of {@code pod}. */
        public PodClass(PodInfo pod) {
            this.pod = pod;
            this.hash = 31
                            * (31 * System.identityHashCode(pod.spec())
                                    + pod.labels().hashCode())
                    + pod.namespace().hashCode();
        }

        /** Compares specs by identity: readers intern equal specs, and an equal copy only causes another evaluation. */
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
}
