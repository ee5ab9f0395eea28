package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A message to the scheduling thread, posted to its {@link EventInbox} by any thread. A {@code ...Replaced} message is a complete
 * list; known objects that are not in it have been deleted.
 */
public sealed interface ClusterChange {
    /** Calls the handler's method for this message, on the scheduling thread. */
    void applyTo(Handler handler);

    /** The handler of each message. */
    interface Handler {
        void on(PodsReplaced change);

        void on(PodUpserted change);

        void on(PodUnreadable change);

        void on(PodDeleted change);

        void on(NodesReplaced change);

        void on(NodeUpserted change);

        void on(NodeDeleted change);

        void on(ObjectsReplaced change);

        void on(ObjectUpserted change);

        void on(ObjectDeleted change);

        void on(SchedulingEnabled change);

        void on(ProfilesReplaced change);

        void on(TableChanged change);

        void on(ClaimWritten change);

        void on(PermitAllowed change);

        void on(PermitRejected change);

        void on(BindingCancelled change);

        void on(ServerBack change);

        void on(PodReRead change);

        void on(BindAnswered change);

        void on(VolumesAnswered change);

        void on(PluginsRan change);

        void on(DoubtAnswered change);

        void on(PodEndRead change);

        void on(PreemptionStarted change);

        void on(PreemptionDropped change);

        void on(PreemptionFailed change);

        void on(PreemptionCarriedOut change);
    }

    /**
     * The complete list of pods; finished pods may be in it or not.
     *
     * @param unreadable those that could not be read
     * @param resourceVersion of the list; empty if unknown
     */
    record PodsReplaced(List<PodInfo> pods, List<UnreadablePod> unreadable, String resourceVersion)
            implements ClusterChange {
        public PodsReplaced {
            pods = List.copyOf(pods);
            unreadable = List.copyOf(unreadable);
        }

        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }

        /** A list without unreadable pods. */
        public PodsReplaced(List<PodInfo> pods, String resourceVersion) {
            this(pods, List.of(), resourceVersion);
        }

        /** A list without resource version. */
        public PodsReplaced(List<PodInfo> pods) {
            this(pods, "");
        }
    }

    /** A pod was added or changed. */
    record PodUpserted(PodInfo pod) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** A pod was added or changed that cannot be parsed. */
    record PodUnreadable(UnreadablePod pod) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * A pod was deleted.
     *
     * @param uid of the pod; empty if unknown
     */
    record PodDeleted(String namespace, String name, String uid) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The complete list of nodes. */
    record NodesReplaced(List<Node> nodes) implements ClusterChange {
        public NodesReplaced {
            nodes = List.copyOf(nodes);
        }

        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** A node was added or changed. */
    record NodeUpserted(Node node) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** A node was deleted. */
    record NodeDeleted(String name) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The complete list of a kind other than pods and nodes; also empty for kinds that the server does not have. */
    record ObjectsReplaced(ResourceKind kind, List<? extends ClusterObject> objects) implements ClusterChange {
        public ObjectsReplaced {
            objects = List.copyOf(objects);
        }

        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** An object that is neither pod nor node was added or changed. */
    record ObjectUpserted(ClusterObject object) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * An object that is neither pod nor node was deleted.
     *
     * @param namespace empty for cluster-scoped kinds
     */
    record ObjectDeleted(ResourceKind kind, String namespace, String name) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * An action to run on the scheduling thread, for example a look at its state.
     *
     * @param changesState whether later decisions can depend on it. Such a task cannot be recorded, so use a separate kind of
     *     change where possible
     */
    record Task(String description, Runnable action, boolean changesState) implements ClusterChange {
        private static final Logger log = LoggerFactory.getLogger(Task.class);

        /** A task that no decision depends on. */
        public Task(String description, Runnable action) {
            this(description, action, false);
        }

        @Override
        public void applyTo(Handler handler) {
            log.debug("running {}", description);
            action.run();
        }
    }

    /** Starts or stops scheduling; events and timers are handled in any case. */
    record SchedulingEnabled(boolean enabled) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** Replaces the profiles. */
    record ProfilesReplaced(Profiles profiles) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * A table that rules read has other values.
     *
     * @param tables of one policy
     * @param state of one of them
     */
    record TableChanged(RuleTables tables, TableState state) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * A write of a resource claim was executed, or can no longer be.
     *
     * @param effect what the write did to {@code claim}
     * @param claim as the API server returned it; for {@code DELETED}, as it was before; null for {@code NONE}
     * @param end what ends with the write
     * @param ended the claim of which it ends; null for {@code NONE}
     */
    record ClaimWritten(
            Effect effect,
            @Nullable ResourceClaimInfo claim,
            End end,
            @Nullable ResourceClaimInfo ended) implements ClusterChange {
        /** The effect of a write. */
        public enum Effect {
            NONE,
            UPDATED,
            CREATED,
            DELETED
        }

        /** The state of a claim that ends with a write, see {@link AssumedClaims}. */
        public enum End {
            NONE,
            /** The allocation is no longer in flight. */
            ALLOCATION,
            /** The write of a release or deallocation is settled. */
            RELEASE
        }

        /** Applies the change to the claims of the scheduling thread. */
        public void applyTo(AssumedClaims claims) {
            if (claim != null) {
                switch (effect) {
                    case UPDATED -> claims.putWritten(claim);
                    case CREATED -> claims.created(claim);
                    case DELETED -> claims.deleted(claim);
                    case NONE -> {
                        // The write had no effect.
                    }
                }
            }
            if (ended != null) {
                switch (end) {
                    case ALLOCATION -> claims.allocationEnded(ended);
                    case RELEASE -> claims.writeFinished(ended);
                    case NONE -> {
                        // No state ends.
                    }
                }
            }
        }

        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** A permit plugin allows a waiting pod. */
    record PermitAllowed(String podId, long token, String plugin) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * A waiting pod is rejected.
     *
     * @param plugin the plugin that rejects it; empty if unknown
     */
    record PermitRejected(String podId, long token, String plugin, String message) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * The binding of a pod is cancelled.
     *
     * @param atPermit true for a pod at Permit, ignored if it no longer waits; false for a pod whose PreBind can no longer finish
     */
    record BindingCancelled(String podId, long token, boolean atPermit, String message) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * The result of a bind.
     *
     * @param token of the binding; the result is ignored if another binding of the pod has begun
     */
    record BindAnswered(String podId, long token, BindOutcome outcome) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * The result of binding the volumes of a pod.
     *
     * @param error empty on success
     */
    record VolumesAnswered(String podId, long token, String error) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * The result of PreBind and Bind plugins of a binding.
     *
     * @param message the error; empty for none
     */
    record PluginsRan(String podId, long token, Outcome outcome, String message) implements ClusterChange {
        /** The last step of a binding. */
        public enum Outcome {
            /** All PreBind plugins succeeded; the default binder binds. */
            PREPARED,
            /** The PreBind plugins that run while volumes are bound succeeded. */
            PREPARED_BESIDE_VOLUMES,
            /** A bind plugin has bound the pod. */
            BOUND,
            /** A PreBind plugin failed. */
            NOT_PREPARED,
            /** A PreBind or bind plugin rejected the node. */
            REJECTED,
            /** A bind plugin failed, or none binds. */
            NOT_BOUND
        }

        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The result of reading a pod for which list and watch differ. */
    record DoubtAnswered(long token, PodRead read) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The result of reading a pod that has left the watch. */
    record PodEndRead(PodInfo pod) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The last victim of a pod is about to be evicted: from now on the pod can be scheduled. */
    record PreemptionStarted(PodInfo pod) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The eviction of the victims of a pod has ended: preemption can select others. */
    record PreemptionDropped(PodInfo pod) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The API server responds again. */
    record ServerBack() implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * Preemption failed for a pod: its nomination was not written, or the result of a write is unknown.
     *
     * @param keepsNomination whether the pod is still nominated
     */
    record PreemptionFailed(PodInfo pod, boolean keepsNomination) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The victims of a pod are deleted or terminating. */
    record PreemptionCarriedOut(PodInfo pod) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /** The result of reading a failed pod from the API server. */
    record PodReRead(String podId, long token, PodRead read) implements ClusterChange {
        @Override
        public void applyTo(Handler handler) {
            handler.on(this);
        }
    }

    /**
     * A pod of the API server that this program cannot parse, with the fields that could be extracted; others are empty.
     *
     * @param nodeName empty for a pending pod, which cannot be scheduled
     * @param schedulerName its scheduler
     * @param reason the parse error, on one line
     * @param closesNode whether its node rejects other pods while the resources of this one are unknown
     */
    public record UnreadablePod(
            String namespace,
            String name,
            String uid,
            String nodeName,
            String schedulerName,
            String reason,
            boolean closesNode) {
        /** namespace/name. */
        public String key() {
            return namespace + "/" + name;
        }
    }
}
