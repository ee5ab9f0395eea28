package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A node object with the fields that the scheduler reads. Immutable.
 *
 * @param allocatable {@code status.allocatable}; never falls back to capacity
 * @param images as reported, in order
 * @param conditions condition type to status
 * @param kubeletVersion {@code status.nodeInfo.kubeletVersion}, such as {@code v1.29.4}; empty when absent
 * @param createdMillis {@code metadata.creationTimestamp} in epoch milliseconds, or {@link PodInfo#NO_TIME}
 * @param conditionsSince condition type to its last transition in epoch milliseconds, if known
 * @param declaredFeatures {@code status.declaredFeatures}: the features of the kubelet that pods can require
 */
public record Node(
        String name,
        String uid,
        String resourceVersion,
        Labels labels,
        Labels annotations,
        boolean unschedulable,
        List<Taint> taints,
        ResourceVector allocatable,
        List<Image> images,
        Labels conditions,
        String zoneKey,
        String kubeletVersion,
        long createdMillis,
        Map<String, Long> conditionsSince,
        Set<String> declaredFeatures)
        implements ClusterObject {
    public static final String LEGACY_ZONE = "failure-domain.beta.kubernetes.io/zone";
    public static final String LEGACY_REGION = "failure-domain.beta.kubernetes.io/region";
    public static final String HOSTNAME = "kubernetes.io/hostname";

    /** The zone of a node. */
    public static final String ZONE = "topology.kubernetes.io/zone";

    public static final String REGION = "topology.kubernetes.io/region";

    public Node {
        taints = List.copyOf(taints);
        images = List.copyOf(images);
        conditionsSince = ImmutableMap.copyOf(conditionsSince);
        declaredFeatures = ImmutableSortedSet.copyOf(declaredFeatures);
    }

    /**
     * An image on a node.
     *
     * @param names tags and digests, literally
     * @param sizeBytes size in bytes
     */
    public record Image(List<String> names, long sizeBytes) {
        public Image {
            names = List.copyOf(names);
        }
    }

    /** A copy with another {@code spec.unschedulable}. */
    public Node withUnschedulable(boolean value) {
        return withTaints(value, taints);
    }

    /** A copy that is not cordoned, without the taint of cordoned nodes. */
    public Node uncordoned() {
        return withTaints(
                false,
                taints.stream()
                        .filter(taint -> !taint.key().equals(Taint.UNSCHEDULABLE.key()))
                        .toList());
    }

    /** A copy with other taints. */
    public Node withTaints(boolean isCordoned, List<Taint> others) {
        return new Node(
                name,
                uid,
                resourceVersion,
                labels,
                annotations,
                isCordoned,
                others,
                allocatable,
                images,
                conditions,
                zoneKey,
                kubeletVersion,
                createdMillis,
                conditionsSince,
                declaredFeatures);
    }

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.NODES;
    }

    @Override
    public String namespace() {
        return "";
    }

    /**
     * Region and zone as one key, empty if both are empty; the legacy label takes precedence if present, even with an empty value.
     * Mirrors {@code GetZoneKey} of {@code pkg/util/node/node.go}.
     */
    public static String zoneKeyOf(Labels labels) {
        String zone = labels.has(LEGACY_ZONE) ? labels.getOrEmpty(LEGACY_ZONE) : labels.getOrEmpty(ZONE);
        String region = labels.has(LEGACY_REGION) ? labels.getOrEmpty(LEGACY_REGION) : labels.getOrEmpty(REGION);
        return zone.isEmpty() && region.isEmpty() ? "" : region + ":\0:" + zone;
    }

    /** A node taint; {@code value} may be empty. */
    public record Taint(String key, String value, String effect) {
        /** The taint of cordoned nodes. */
        public static final Taint UNSCHEDULABLE = new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
    }
}
