package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PersistentVolumeClaim.
 *
 * @param annotations all annotations
 * @param terminating the claim has a deletion timestamp
 * @param volumeName {@code spec.volumeName}, empty when unbound
 * @param storageClassName {@code spec.storageClassName}; null when absent, which differs from empty
 * @param accessModes in order
 * @param selector null = no selector
 * @param volumeMode empty when absent (means Filesystem)
 * @param requestedStorage bytes of {@code spec.resources.requests.storage}; 0 when absent
 * @param attributesClassName {@code spec.volumeAttributesClassName}, empty when absent; v1.17 does not have it
 * @param controllerUid UID of the controlling owner, empty when there is none
 */
public record ClaimInfo(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        Labels annotations,
        boolean terminating,
        String volumeName,
        @Nullable String storageClassName,
        List<String> accessModes,
        @Nullable LabelSelector selector,
        String volumeMode,
        long requestedStorage,
        String phase,
        String attributesClassName,
        String controllerUid)
        implements ClusterObject {
    /** Annotation with the class name in objects of older releases. */
    public static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
    /** Annotation with which the volume controller marks a complete binding. */
    public static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
    /** Annotation with which the scheduler requests provisioning on a node. */
    public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    public ClaimInfo {
        accessModes = List.copyOf(accessModes);
    }

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.CLAIMS;
    }

    @Override
    public ClaimInfo withNamespace(String other) {
        return copy(other, annotations);
    }

    /** The class name: the beta annotation if present (even empty), else the field, else empty. */
    public String className() {
        String annotated = annotations.get(CLASS_ANNOTATION);
        if (annotated != null) {
            return annotated;
        }
        return storageClassName == null ? "" : storageClassName;
    }

    /** Returns null, or the reason why the claim does not belong to the ephemeral volume of {@code pod}. */
    public @Nullable String ownerProblem(PodInfo pod) {
        return namespace.equals(pod.namespace()) && !controllerUid.isEmpty() && controllerUid.equals(pod.uid())
                ? null
                : "PVC " + key() + " was not created for pod " + pod.key() + " (pod is not owner)";
    }

    /** True when bound and the volume controller has finished. */
    public boolean isFullyBound() {
        return !volumeName.isEmpty() && annotations.has(BIND_COMPLETED);
    }

    /** A copy with other annotations. */
    public ClaimInfo withAnnotations(Labels other) {
        return copy(namespace, other);
    }

    private ClaimInfo copy(String otherNamespace, Labels otherAnnotations) {
        return new ClaimInfo(
                otherNamespace,
                name,
                uid,
                resourceVersion,
                otherAnnotations,
                terminating,
                volumeName,
                storageClassName,
                accessModes,
                selector,
                volumeMode,
                requestedStorage,
                phase,
                attributesClassName,
                controllerUid);
    }
}
