package io.policyscheduler.cmd.live.preemption;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts the victims of one pod at once. After a call that fails none is begun any more; those that are under way go on. Mirrors what
 * {@code Parallelizer.Until} does in {@code prepareCandidateAsync} of {@code pkg/scheduler/framework/preemption/executor.go}.
 */
final class SeveralEvictions {
    private static final Logger LOG = LoggerFactory.getLogger(SeveralEvictions.class);

    private final OneEviction evictor;
    private final Executor calls;

    /** As {@link PodEvictor#evict}. */
    interface OneEviction {
        PodEvictor.Outcome evict(PodInfo preemptor, String node, PodInfo victim) throws ApiIoException;
    }

    /** @param calls runs as many calls at once as the server is to be sent */
    SeveralEvictions(OneEviction evictor, Executor calls) {
        this.evictor = evictor;
        this.calls = calls;
    }

    /**
     * What came of it.
     *
     * @param left the victims that are not known to go, in order
     * @param gone how many of the others were gone already
     * @param refusal why the server refuses one; empty when it refuses none
     * @param unanswered the first call of which it is not known whether it was carried out; null for none
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

    /** The calls for one pod: what has come of them so far. */
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

        /** One call less; after the last one somebody is told. */
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
     * @param done is told when no call is under way any more, on the thread of the last one
     */
    void evict(PodInfo preemptor, String node, List<PodInfo> victims, Consumer<Outcome> done) {
        Calls all = new Calls(victims, done);
        for (PodInfo victim : victims) {
            try {
                calls.execute(() -> evict(preemptor, node, victim, all));
            } catch (RejectedExecutionException e) {
                // The end of the process: what is left is left to the next one.
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
