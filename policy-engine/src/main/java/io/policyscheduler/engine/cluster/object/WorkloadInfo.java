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
        REPLICATION_CONTROLLER,
        REPLICA_SET,
        STATEFUL_SET
    }
}
