package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultPreemption;
import io.policyscheduler.framework.profile.ReleaseRules;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts one victim. Since 1.26, the victim first gets the condition {@code DisruptionTarget}; if that fails, the victim stays.
 * Since 1.22, a victim that waits on Permit is only rejected, and since 1.36, the binding of a victim in PreBind is cancelled.
 * Earlier releases delete. Mirrors {@code prepareCandidate} of {@code pkg/scheduler/framework/preemption}. Idempotent, because each
 * write contains the UID of the victim.
 */
final class PodEvictor {
    private final PodWriter pods;
    private final EventRecorder events;
    private final WaitingPods waitingPods;
    private final ReleaseRules rules;
    private final long generation;

    /**
     * @param rules of the profile that decides
     * @param generation of the profiles that decide
     */
    PodEvictor(PodWriter pods, EventRecorder events, WaitingPods waitingPods, ReleaseRules rules, long generation) {
        this.pods = pods;
        this.events = events;
        this.waitingPods = waitingPods;
        this.rules = rules;
        this.generation = generation;
    }

    /**
     * The result of an eviction.
     *
     * @param refusal the error of the server; empty if the victim is gone or terminating
     * @param wasGone whether the victim was already gone
     */
    record Outcome(String refusal, boolean wasGone) {
        private static final Outcome EVICTED = new Outcome("", false);
        private static final Outcome WAS_GONE = new Outcome("", true);
    }

    /**
     * Evicts.
     *
     * @throws ApiIoException if it is unknown whether the server executed the request
     */
    Outcome evict(PodInfo preemptor, String node, PodInfo victim) throws ApiIoException {
        WaitingPods.WaitingPod waiting = waitingPods.get(victim.uid());
        boolean isInMemory = waiting == null
                ? rules.cancelsBindingVictims()
                        && waitingPods.cancelBinding(victim.uid(), "preempted by " + DefaultPreemption.NAME)
                : rules.rejectsWaitingVictims();
        if (!isInMemory) {
            Outcome outcome = delete(preemptor, victim);
            boolean isTold = outcome.refusal().isEmpty() && !(outcome.wasGone() && rules.ignoresDeletedVictims());
            if (!isTold) {
                return outcome;
            }
        }
        if (waiting != null && rules.cancelsBindingVictims()) {
            waiting.preempt(DefaultPreemption.NAME, "preempted");
        } else if (waiting != null) {
            waiting.reject(DefaultPreemption.NAME, "preempted");
        }
        record(preemptor, node, victim, isInMemory ? rules.evictedInMemory() : "");
        return Outcome.EVICTED;
    }

    private Outcome delete(PodInfo preemptor, PodInfo victim) throws ApiIoException {
        String reason = rules.evictionReason();
        if (!reason.isEmpty() && !victim.preempted()) {
            ApiResponse marked = conclusive(
                    victim,
                    pods.patchDisruptionTarget(
                            victim.namespace(),
                            victim.name(),
                            victim.uid(),
                            reason,
                            preemptor.spec().schedulerName() + ": preempting to accommodate a higher priority pod",
                            victim.generation()));
            if (marked.isNotFound(victim.name())) {
                return Outcome.WAS_GONE;
            }
            if (!marked.success()) {
                return new Outcome("its condition cannot be set: " + marked.message(), false);
            }
        }
        ApiResponse deleted = conclusive(victim, pods.deletePod(victim.namespace(), victim.name(), victim.uid()));
        if (deleted.isNotFound(victim.name())) {
            return Outcome.WAS_GONE;
        }
        return deleted.success() ? Outcome.EVICTED : new Outcome(deleted.message(), false);
    }

    private static ApiResponse conclusive(PodInfo victim, ApiResponse response) throws ApiIoException {
        if (response.isInconclusive(victim.name())) {
            throw new ApiIoException("evicting " + victim.key() + ": " + response, response.code());
        }
        return response;
    }

    /** Emits the event about an eviction. */
    void record(PodInfo preemptor, String node, PodInfo victim) {
        record(preemptor, node, victim, "");
    }

    private void record(PodInfo preemptor, String node, PodInfo victim, String end) {
        events.record(
                reference(victim),
                new EventText(
                        preemptor.spec().schedulerName(),
                        "Normal",
                        "Preempted",
                        "Preempted by " + rules.preemptor(preemptor) + " on node " + node + end,
                        generation,
                        reference(preemptor)));
    }

    private static ObjectReference reference(PodInfo pod) {
        return new ObjectReference(pod.namespace(), pod.name(), pod.uid(), pod.resourceVersion());
    }

    /** Victims of running preemptions, by preemptor, until they are gone. Belongs to the scheduling thread. */
    static final class Evictions {
        private final ClusterView cluster;
        private final Map<String, Eviction> underway = new HashMap<>();
        /** UIDs of the pods that are held back until their last victim is evicted. */
        private final Set<String> preparing = new HashSet<>();

        private record Eviction(String node, Set<String> victims) {}

        Evictions(ClusterView cluster) {
            this.cluster = cluster;
        }

        void start(PodInfo preemptor, String node, Collection<PodInfo> victims) {
            underway.put(
                    preemptor.uid(),
                    new Eviction(node, victims.stream().map(PodInfo::uid).collect(Collectors.toUnmodifiableSet())));
        }

        void forget(PodInfo preemptor) {
            underway.remove(preemptor.uid());
            preparing.remove(preemptor.uid());
        }

        /** Holds the preemptor back until {@link #started} or {@link #forget}. */
        void prepare(PodInfo preemptor) {
            preparing.add(preemptor.uid());
        }

        void started(PodInfo preemptor) {
            preparing.remove(preemptor.uid());
        }

        boolean isPreparing(PodInfo pod) {
            return preparing.contains(pod.uid());
        }

        /** Returns the UIDs of the victims that are terminating or gone according to the watch. */
        Set<String> terminatingOrGone(String node, Collection<PodInfo> victims) {
            NodeInfo on = cluster.node(node);
            if (on == null) {
                return Set.of();
            }
            Set<String> terminatingOrGone =
                    victims.stream().map(PodInfo::uid).collect(Collectors.toCollection(HashSet::new));
            on.pods().stream().filter(pod -> !pod.terminating()).forEach(pod -> terminatingOrGone.remove(pod.uid()));
            return Set.copyOf(terminatingOrGone);
        }

        /** Removes the entry of a preemptor whose nominated node has become infeasible. */
        void removeUnless(PodInfo preemptor, Predicate<String> mayFitOn) {
            Eviction eviction = underway.get(preemptor.uid());
            if (eviction != null && !mayFitOn.test(eviction.node())) {
                underway.remove(preemptor.uid());
            }
        }

        /**
         * Evictions are asynchronous. Without this check, another attempt could choose different victims before the watch shows
         * the first ones as terminating. v1.17 waits for its writes and then checks deletion timestamps.
         */
        boolean isInProgressFor(PodInfo preemptor) {
            underway.values().removeIf(eviction -> !isAnyLeft(eviction));
            return underway.containsKey(preemptor.uid());
        }

        private boolean isAnyLeft(Eviction eviction) {
            NodeInfo node = cluster.node(eviction.node());
            return node != null
                    && node.pods().stream().anyMatch(pod -> eviction.victims().contains(pod.uid()));
        }
    }

    /**
     * Evicts the victims of one pod concurrently. After a failed call, no new call starts; running calls continue. Mirrors what
     * {@code Parallelizer.Until} does in {@code prepareCandidateAsync} of {@code pkg/scheduler/framework/preemption/executor.go}.
     */
    static final class ParallelEvictions {
        private static final Logger LOG = LoggerFactory.getLogger(ParallelEvictions.class);

        private final OneEviction evictor;
        private final Executor calls;

        /** As {@link PodEvictor#evict}. */
        interface OneEviction {
            PodEvictor.Outcome evict(PodInfo preemptor, String node, PodInfo victim) throws ApiIoException;
        }

        /** @param calls runs the calls, with a limit of concurrent calls */
        ParallelEvictions(OneEviction evictor, Executor calls) {
            this.evictor = evictor;
            this.calls = calls;
        }

        /**
         * The result of the evictions.
         *
         * @param left the victims that may still exist, in order
         * @param gone number of the others that were already gone
         * @param refusal the error of a rejected call; empty for none
         * @param unanswered the first call without a response; null for none
         */
        record Outcome(
                List<PodInfo> left,
                int gone,
                String refusal,
                @Nullable ApiIoException unanswered) {
            Outcome {
                left = List.copyOf(left);
            }
        }

        /** The calls for one pod, with their results. */
        private static final class Calls {
            private final List<PodInfo> left;
            private final Consumer<Outcome> done;
            private int open;
            private int gone;
            private String refusal = "";
            private @Nullable ApiIoException unanswered;

            Calls(List<PodInfo> victims, Consumer<Outcome> done) {
                this.left = new ArrayList<>(victims);
                this.open = victims.size();
                this.done = done;
            }

            synchronized boolean mayBegin() {
                return refusal.isEmpty() && unanswered == null;
            }

            synchronized void evicted(PodInfo victim, PodEvictor.Outcome outcome) {
                if (outcome.refusal().isEmpty()) {
                    left.remove(victim);
                    gone += outcome.wasGone() ? 1 : 0;
                } else if (refusal.isEmpty()) {
                    refusal = victim.key() + ": " + outcome.refusal();
                }
            }

            synchronized void failed(ApiIoException e) {
                if (unanswered == null) {
                    unanswered = e;
                }
            }

            /** Counts a finished call; the last one calls {@code done}. */
            void ended() {
                Outcome outcome = null;
                synchronized (this) {
                    open--;
                    if (open == 0) {
                        outcome = new Outcome(left, gone, refusal, unanswered);
                    }
                }
                if (outcome != null) {
                    done.accept(outcome);
                }
            }
        }

        /**
         * Begins.
         *
         * @param victims at least one
         * @param done called after the last call, on its thread
         */
        void evict(PodInfo preemptor, String node, List<PodInfo> victims, Consumer<Outcome> done) {
            Calls all = new Calls(victims, done);
            for (PodInfo victim : victims) {
                try {
                    calls.execute(() -> evict(preemptor, node, victim, all));
                } catch (RejectedExecutionException e) {
                    // The process ends; the next leader continues.
                    return;
                }
            }
        }

        private void evict(PodInfo preemptor, String node, PodInfo victim, Calls all) {
            try {
                if (all.mayBegin()) {
                    all.evicted(victim, evictor.evict(preemptor, node, victim));
                }
            } catch (ApiIoException e) {
                all.failed(e);
            } catch (RuntimeException e) {
                LOG.atError().addKeyValue("pod", victim.key()).setCause(e).log("eviction failed");
                all.evicted(victim, new PodEvictor.Outcome(e.toString(), false));
            } finally {
                all.ended();
            }
        }
    }
}
