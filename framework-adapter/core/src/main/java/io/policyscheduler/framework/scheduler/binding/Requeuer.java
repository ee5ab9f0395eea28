package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Requeue;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requeues failed pods: reads the pod until the API server responds, then adds it to the queue. Mirrors
 * {@code MakeDefaultErrorFunc} of {@code pkg/scheduler/factory.go}, with timers instead of sleeping threads.
 */
public final class Requeuer {
    private static final Logger log = LoggerFactory.getLogger(Requeuer.class);

    private record Retry(Instant due, String podId, long token) {}

    /**
     * The longest time between two reads while the API server does not respond to reads, over all pods, and the shortest time
     * between two rounds in which all pods are read because it responds again.
     */
    private static final Duration PROBE_PERIOD = Duration.ofSeconds(1);

    /** The longest delay of a repeated bind while the API server responds to reads: it may fail only binds for a while. */
    private static final Duration MAX_BIND_DELAY = Duration.ofSeconds(2);

    private static final Comparator<Retry> BY_DUE =
            Comparator.comparing(Retry::due).thenComparingLong(Retry::token);

    private final PodsInFlight inFlight;
    private final SchedulingQueue queue;
    private final InformerStore store;
    private final SchedulerContext context;
    private final PriorityQueue<Retry> retries = new PriorityQueue<>(BY_DUE);
    /** When pods may be read again because the API server responds. */
    private Instant nextRound = Instant.MIN;

    public Requeuer(SchedulerState state, SchedulerContext context) {
        this.inFlight = state.inFlight();
        this.queue = state.queue();
        this.store = state.store();
        this.context = context;
    }

    /**
     * Starts the requeue of a pod; its cycle is the current one, so that later moves count as new.
     *
     * @param retrySoon a node was feasible and another step failed, such as the bind: no event of the cluster will requeue the pod,
     *     so it only backs off. v1.17 leaves it unschedulable for a minute in a quiet cluster
     */
    void start(QueuedPod entry, @Nullable Binding unconfirmed, boolean retrySoon) {
        if (unconfirmed == null && !retrySoon && queue.waitsForEvents(entry.pod())) {
            putBack(entry);
            return;
        }
        long podCycle = retrySoon ? Long.MIN_VALUE : queue.schedulingCycle();
        start(new Requeue(inFlight.nextToken(), entry, podCycle, unconfirmed));
    }

    /** Adds the last observed version without a read: later watch events update the pod in the queue. */
    private void putBack(QueuedPod entry) {
        PodInfo current = store.current(entry.pod());
        if (current == null || !current.nodeName().isEmpty()) {
            queue.done(entry.pod());
            return;
        }
        Part part = queue.addUnschedulableIfNotPresent(entry.withPod(current), Long.MIN_VALUE);
        if (part != null) {
            context.listener().onRequeued(current, part);
        }
    }

    /** Reads a pod whose bind succeeded, but which was never observed as bound. */
    void startOverdue(QueuedPod entry, PodInfo assumed) {
        Requeue requeue = new Requeue(inFlight.nextToken(), entry, Long.MIN_VALUE, null);
        requeue.overdue = assumed;
        start(requeue);
    }

    private void start(Requeue requeue) {
        inFlight.requeues().put(PodsInFlight.idOf(requeue.entry.pod()), requeue);
        read(requeue);
    }

    private void read(Requeue requeue) {
        PodInfo pod = requeue.entry.pod();
        String id = PodsInFlight.idOf(pod);
        try {
            context.writer().readPod(pod, read -> completed(id, requeue.token, read));
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pod", pod.key()).setCause(e).log("reading the pod failed");
            completed(id, requeue.token, new PodRead.Failed(e.toString()));
        }
    }

    private void completed(String podId, long token, PodRead read) {
        context.inbox().post(new ClusterChange.PodReRead(podId, token, read));
    }

    /** The pending requeue of a read; null if it was canceled. */
    @Nullable
    Requeue find(String podId, long token) {
        Requeue requeue = inFlight.requeues().get(podId);
        return requeue != null && requeue.token == token ? requeue : null;
    }

    /**
     * Reads again later because the API server did not respond. The delay of one pod grows up to a minute, but one of all pods is read
     * at least once per second: the watches may have survived the outage, so that nothing else shows its end.
     */
    void retryUnanswered(Requeue requeue) {
        requeue.unanswered = true;
        Instant latest = context.clock().instant().plus(PROBE_PERIOD);
        Retry next = retries.peek();
        boolean isProbe = next == null || next.due().isAfter(latest);
        retryLater(requeue, isProbe ? latest : Instant.MAX);
    }

    /**
     * A pod with a pending read was deleted or bound. If it was the one that is read each second, another one takes its place: it would
     * otherwise notice the end of an outage up to a minute late.
     */
    void canceled() {
        Instant latest = context.clock().instant().plus(PROBE_PERIOD);
        for (Retry next = retries.peek(); next != null && next.due().isAfter(latest); next = retries.peek()) {
            Requeue requeue = find(next.podId(), next.token());
            if (requeue != null && !requeue.unanswered) {
                return;
            }
            retries.poll();
            if (requeue != null) {
                retries.add(new Retry(latest, next.podId(), next.token()));
            }
        }
    }

    /** Reads the pods without a response soon, because the API server has responded to the read of another pod. */
    void responded(Requeue request) {
        if (!request.unanswered) {
            return;
        }
        request.unanswered = false;
        Instant now = context.clock().instant();
        Instant round = nextRound.isAfter(now) ? nextRound : now;
        List<Retry> waiting = new ArrayList<>(retries);
        boolean isMoved = false;
        retries.clear();
        for (Retry retry : waiting) {
            Requeue requeue = find(retry.podId(), retry.token());
            boolean isLate =
                    requeue != null && requeue.unanswered && retry.due().isAfter(round);
            isMoved |= isLate;
            if (requeue != null && isLate) {
                requeue.failedReads = 0;
            }
            retries.add(isLate ? new Retry(round, retry.podId(), retry.token()) : retry);
        }
        if (isMoved) {
            nextRound = round.plus(PROBE_PERIOD);
        }
    }

    /**
     * Reads again later: after 200 ms at first, doubling to 1 min, counted from the first of several binds to the same node. A bind
     * is repeated after at most two seconds.
     */
    void retryLater(Requeue requeue) {
        retryLater(requeue, Instant.MAX);
    }

    private void retryLater(Requeue requeue, Instant latest) {
        Duration delay = SchedulerOptions.REREAD_DELAY;
        int failed = requeue.failedReads + (requeue.unconfirmed == null ? 0 : requeue.unconfirmed.sent - 1);
        for (int i = 0; i < failed && delay.compareTo(SchedulerOptions.MAX_REREAD_DELAY) < 0; i++) {
            delay = delay.multipliedBy(2);
        }
        if (delay.compareTo(SchedulerOptions.MAX_REREAD_DELAY) > 0) {
            delay = SchedulerOptions.MAX_REREAD_DELAY;
        }
        requeue.failedReads++;
        Instant now = context.clock().instant();
        boolean repeatsBind = !requeue.unanswered
                && requeue.unconfirmed != null
                && requeue.unconfirmed.mayRepeat(now)
                && delay.compareTo(MAX_BIND_DELAY) > 0;
        Instant due = now.plus(repeatsBind ? MAX_BIND_DELAY : delay);
        Instant end = requeue.unconfirmed == null ? null : requeue.unconfirmed.endOfDoubt();
        if (end != null && end.isBefore(due) && end.isAfter(now)) {
            // Resources that no bind can use any more are released immediately.
            due = end;
        }
        if (due.isAfter(latest)) {
            due = latest;
        }
        retries.add(new Retry(due, PodsInFlight.idOf(requeue.entry.pod()), requeue.token));
    }

    /** Adds the pod to the queue. */
    void complete(Requeue requeue) {
        inFlight.requeues().remove(PodsInFlight.idOf(requeue.entry.pod()));
        PodInfo pod = requeue.entry.pod();
        if (requeue.changed) {
            queue.readmitChanged(requeue.entry);
            context.listener().onRequeued(pod, Part.ACTIVE);
            return;
        }
        Part part = queue.addUnschedulableIfNotPresent(requeue.entry, requeue.podCycle);
        if (part != null) {
            context.listener().onRequeued(pod, part);
        }
    }

    /** The API server responds again: starts all pending reads. */
    public void readNow() {
        List<Retry> waiting = new ArrayList<>(retries);
        retries.clear();
        waiting.sort(BY_DUE);
        for (Retry retry : waiting) {
            Requeue requeue = find(retry.podId(), retry.token());
            if (requeue != null) {
                requeue.failedReads = 0;
                read(requeue);
            }
        }
    }

    /** Starts the reads that are due; true if there was one. */
    public boolean fireDue() {
        boolean fired = false;
        boolean isCanceled = false;
        Instant now = context.clock().instant();
        for (Retry next = retries.peek(); next != null && !next.due().isAfter(now); next = retries.peek()) {
            retries.poll();
            Requeue requeue = find(next.podId(), next.token());
            if (requeue != null) {
                read(requeue);
                fired = true;
            } else {
                isCanceled = true;
            }
        }
        if (isCanceled) {
            canceled();
        }
        return fired;
    }

    /** When the next read is due; null if none is pending. */
    public @Nullable Instant nextDue() {
        Retry next = retries.peek();
        return next == null ? null : next.due();
    }
}
