package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pod with the fields that the scheduler reads. Immutable.
 *
 * @param uid never empty in a real cluster; the cache rejects an empty one
 * @param labels pod labels
 * @param annotations pod annotations; only {@link #KEPT_ANNOTATIONS} unless the reader keeps all, because a rule reads them
 * @param controller the controlling owner, or null
 * @param terminating a deletion timestamp is set
 * @param nodeName {@code spec.nodeName}, empty when unassigned
 * @param spec the part that pods of one template share
 * @param phase {@code status.phase}, empty when absent
 * @param failure {@code status.reason} of a failed pod that its kubelet rejected or evicted; empty for other pods
 * @param startTimeMillis {@code status.startTime} in epoch milliseconds, or {@link #NO_TIME}
 * @param nominatedNodeName {@code status.nominatedNodeName}, empty when absent
 * @param scheduled the PodScheduled condition, or null
 * @param preempted whether a scheduler preempts the pod, according to the condition DisruptionTarget; since 1.26
 * @param createdMillis {@code metadata.creationTimestamp} in epoch milliseconds, or {@link #NO_TIME}
 * @param madeClaims {@code status.resourceClaimStatuses}: claims created from templates for this pod
 * @param generation {@code metadata.generation}, which pods have since 1.34; 0 when absent
 */
public record PodInfo(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        Labels labels,
        Labels annotations,
        @Nullable OwnerReference controller,
        boolean terminating,
        String nodeName,
        PodSpec spec,
        String phase,
        String failure,
        long startTimeMillis,
        String nominatedNodeName,
        @Nullable ScheduledCondition scheduled,
        boolean preempted,
        long createdMillis,
        List<PodClaim.Made> madeClaims,
        long generation)
        implements ClusterObject {
    /** The annotation of mirror pods, which represent static pods of a kubelet; no scheduler schedules them. */
    public static final String MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

    /** The annotations that readers keep in any case, because the program reads them. The others need memory. */
    public static final ImmutableSet<String> KEPT_ANNOTATIONS = ImmutableSet.of(MIRROR_ANNOTATION);

    /** The value of a missing time. */
    public static final long NO_TIME = Long.MIN_VALUE;

    public PodInfo {
        madeClaims = List.copyOf(madeClaims);
    }

    /** The pod condition {@code PodScheduled}. */
    public record ScheduledCondition(String status, String reason, String message, long lastTransitionMillis) {}

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.PODS;
    }

    /** {@code spec.priority}, 0 when absent. */
    public int priority() {
        Integer priority = spec.priority();
        return priority == null ? 0 : priority;
    }

    /** {@code spec.affinity}. */
    public Affinity affinity() {
        return spec.affinity();
    }

    /** {@code spec.tolerations}. */
    public List<Toleration> tolerations() {
        return spec.tolerations();
    }

    /** {@code spec.volumes} with an effect on scheduling. */
    public List<Volume> volumes() {
        return spec.volumes();
    }

    /** The requested resources. */
    public PodResources resources() {
        return spec.resources();
    }

    /** True when the pod has a podAffinity or podAntiAffinity object, even an empty one. */
    public boolean hasPodAffinity() {
        return spec.affinity().podAffinity() != null || spec.affinity().podAntiAffinity() != null;
    }

    /** True for phases Succeeded and Failed, in which the pod uses no resources. */
    public boolean isFinished() {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    /** True if both have the same UID. */
    public boolean isSame(PodInfo other) {
        return uid.equals(other.uid);
    }

    /** A copy bound to {@code node}. */
    public PodInfo withNodeName(String node) {
        return toBuilder().nodeName(node).build();
    }

    /** A copy with the condition PodScheduled set to true at this time, in epoch milliseconds. */
    public PodInfo withScheduledAt(long millis) {
        return toBuilder()
                .scheduled(new ScheduledCondition("True", "", "", millis))
                .build();
    }

    /** A copy nominated to {@code node}; empty clears. */
    public PodInfo withNominatedNodeName(String node) {
        return toBuilder().nominatedNodeName(node).build();
    }

    /** A copy with another spec. */
    public PodInfo withSpec(PodSpec other) {
        return toBuilder().spec(other).build();
    }

    @Override
    public PodInfo withNamespace(String other) {
        return toBuilder().namespace(other).build();
    }

    /** A builder of a copy. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds a copy with changed fields. */
    public static final class Builder {
        private String namespace;
        private String name;
        private String uid;
        private String resourceVersion;
        private Labels labels;
        private Labels annotations;
        private @Nullable OwnerReference controller;
        private boolean terminating;
        private String nodeName;
        private PodSpec spec;
        private String phase;
        private String failure;
        private long startTimeMillis;
        private String nominatedNodeName;
        private @Nullable ScheduledCondition scheduled;
        private boolean preempted;
        private long createdMillis;
        private List<PodClaim.Made> madeClaims;
        private final long generation;

        private Builder(PodInfo original) {
            namespace = original.namespace;
            name = original.name;
            uid = original.uid;
            resourceVersion = original.resourceVersion;
            labels = original.labels;
            annotations = original.annotations;
            controller = original.controller;
            terminating = original.terminating;
            nodeName = original.nodeName;
            spec = original.spec;
            phase = original.phase;
            failure = original.failure;
            startTimeMillis = original.startTimeMillis;
            nominatedNodeName = original.nominatedNodeName;
            scheduled = original.scheduled;
            preempted = original.preempted;
            createdMillis = original.createdMillis;
            madeClaims = original.madeClaims;
            generation = original.generation;
        }

        public Builder madeClaims(List<PodClaim.Made> value) {
            madeClaims = value;
            return this;
        }

        public Builder namespace(String value) {
            namespace = value;
            return this;
        }

        public Builder name(String value) {
            name = value;
            return this;
        }

        public Builder uid(String value) {
            uid = value;
            return this;
        }

        public Builder resourceVersion(String value) {
            resourceVersion = value;
            return this;
        }

        public Builder labels(Labels value) {
            labels = value;
            return this;
        }

        public Builder controller(@Nullable OwnerReference value) {
            controller = value;
            return this;
        }

        public Builder terminating(boolean value) {
            terminating = value;
            return this;
        }

        public Builder nodeName(String value) {
            nodeName = value;
            return this;
        }

        public Builder spec(PodSpec value) {
            spec = value;
            return this;
        }

        public Builder phase(String value) {
            phase = value;
            return this;
        }

        public Builder failure(String value) {
            failure = value;
            return this;
        }

        public Builder startTimeMillis(long value) {
            startTimeMillis = value;
            return this;
        }

        public Builder nominatedNodeName(String value) {
            nominatedNodeName = value;
            return this;
        }

        public Builder scheduled(@Nullable ScheduledCondition value) {
            scheduled = value;
            return this;
        }

        public Builder preempted(boolean value) {
            preempted = value;
            return this;
        }

        public Builder createdMillis(long value) {
            createdMillis = value;
            return this;
        }

        public PodInfo build() {
            return new PodInfo(
                    namespace,
                    name,
                    uid,
                    resourceVersion,
                    labels,
                    annotations,
                    controller,
                    terminating,
                    nodeName,
                    spec,
                    phase,
                    failure,
                    startTimeMillis,
                    nominatedNodeName,
                    scheduled,
                    preempted,
                    createdMillis,
                    madeClaims,
                    generation);
        }
    }

    /**
     * The controller of an object: the first owner reference with {@code controller: true}.
     *
     * @param apiVersion group and version, such as {@code apps/v1}, because groups can have kinds of the same name
     */
    public record OwnerReference(String apiVersion, String kind, String name, String uid) {}
}
