package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import org.jspecify.annotations.Nullable;

/**
 * A ReplicationController, ReplicaSet or StatefulSet.
 *
 * @param kind which of them
 * @param mapSelector selector of a ReplicationController; null for the others or when absent
 * @param selector selector of a ReplicaSet or StatefulSet; null for a ReplicationController or when absent
 */
public record WorkloadInfo(
        Kind kind,
        String namespace,
        String name,
        @Nullable Labels mapSelector,
        @Nullable LabelSelector selector) implements ClusterObject {
    /** The kinds of controllers that spread their pods. */
    public enum Kind {
        REPLICATION_CONTROLLER(ResourceKind.REPLICATION_CONTROLLERS),
        REPLICA_SET(ResourceKind.REPLICA_SETS),
        STATEFUL_SET(ResourceKind.STATEFUL_SETS);

        private final ResourceKind resourceKind;

        Kind(ResourceKind resourceKind) {
            this.resourceKind = resourceKind;
        }

        /** The resource of these controllers. */
        public ResourceKind resourceKind() {
            return resourceKind;
        }
    }

    @Override
    public ResourceKind resourceKind() {
        return kind.resourceKind();
    }

    @Override
    public WorkloadInfo withNamespace(String other) {
        return new WorkloadInfo(kind, other, name, mapSelector, selector);
    }
}
