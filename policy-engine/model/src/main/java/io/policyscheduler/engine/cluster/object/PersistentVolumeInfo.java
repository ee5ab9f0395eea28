package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PersistentVolume.
 *
 * @param terminating the volume has a deletion timestamp
 * @param storageClassName {@code spec.storageClassName}, empty when absent
 * @param requiredTerms {@code spec.nodeAffinity.required}; null = no constraint, empty = no node
 * @param claimRef null when absent
 * @param volumeMode empty when absent (means Filesystem)
 * @param capacity bytes of {@code spec.capacity.storage}; 0 when absent
 * @param source the volume source
 * @param attributesClassName {@code spec.volumeAttributesClassName}, empty when absent; v1.17 does not have it
 */
public record PersistentVolumeInfo(
        String name,
        String uid,
        String resourceVersion,
        Labels labels,
        Labels annotations,
        boolean terminating,
        String storageClassName,
        @Nullable List<NodeSelectorTerm> requiredTerms,
        @Nullable ClaimRef claimRef,
        List<String> accessModes,
        String volumeMode,
        long capacity,
        Volume source,
        String phase,
        String attributesClassName)
        implements ClusterObject {
    public PersistentVolumeInfo {
        requiredTerms = requiredTerms == null ? null : List.copyOf(requiredTerms);
        accessModes = List.copyOf(accessModes);
    }

    /** The claim that a volume is reserved for; {@code uid} may be empty. */
    public record ClaimRef(String namespace, String name, String uid) {}

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.VOLUMES;
    }

    @Override
    public String namespace() {
        return "";
    }

    /** Class name: the beta annotation when present, else the field. */
    public String className() {
        String annotated = annotations.get(ClaimInfo.CLASS_ANNOTATION);
        return annotated != null ? annotated : storageClassName;
    }

    /** A copy with another {@code claimRef}. */
    public PersistentVolumeInfo withClaimRef(@Nullable ClaimRef claim) {
        return withClaimRef(claim, annotations);
    }

    /** A copy with another {@code claimRef} and other annotations. */
    public PersistentVolumeInfo withClaimRef(@Nullable ClaimRef claim, Labels otherAnnotations) {
        return new PersistentVolumeInfo(
                name,
                uid,
                resourceVersion,
                labels,
                otherAnnotations,
                terminating,
                storageClassName,
                requiredTerms,
                claim,
                accessModes,
                volumeMode,
                capacity,
                source,
                phase,
                attributesClassName);
    }
}
