package io.policyscheduler.cmd.history;

import io.policyscheduler.cmd.history.KeptDecision.TableMark;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The last decisions of a scheduler. Written by the scheduling thread, which waits for nobody; read by any thread. A decision that
 * is changed by what comes of it is replaced as a whole.
 */
public final class DecisionHistory implements SchedulerListener {
    private final AtomicReferenceArray<@Nullable KeptDecision> ring;
    private final InstantSource clock;
    private final TableSource tables;
    private final @Nullable DecisionLog log;
    /** Numbers of the last decision about each pod in the ring, by uid; touched by the scheduling thread only. */
    private final Map<String, Long> lastOfPod = new HashMap<>();

    private @Nullable QueuedPod attempt;
    private AttemptDetails details = AttemptDetails.NONE;
    /** The decision that was logged last. */
    private @Nullable KeptDecision logged;

    private volatile long decided;
    private volatile long bytes;

    /**
     * An empty history.
     *
     * @param capacity most decisions that are kept; 0 to keep none and cost nothing
     * @param clock the time that users see
     */
    public DecisionHistory(int capacity, InstantSource clock) {
        this(capacity, clock, TableSource.NONE, null);
    }

    /**
     * The same, where rules read tables, and with a log.
     *
     * @param log receives each decision and its results; null for none
     */
    public DecisionHistory(int capacity, InstantSource clock, TableSource tables, @Nullable DecisionLog log) {
        this.ring = new AtomicReferenceArray<>(capacity);
        this.clock = clock;
        this.tables = tables;
        this.log = log;
    }

    /** Most decisions that are kept; 0 when it is off. */
    public int capacity() {
        return ring.length();
    }

    /** Roughly the memory that it takes, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** How many decisions there were, kept or not. */
    long decided() {
        return decided;
    }

    /** What is kept of the decisions that match, the last one first. */
    List<KeptDecision> find(Predicate<KeptDecision> wanted) {
        List<KeptDecision> found = new ArrayList<>();
        for (int i = 0; i < ring.length(); i++) {
            KeptDecision kept = ring.get(i);
            if (kept != null && wanted.test(kept)) {
                found.add(kept);
            }
        }
        found.sort(Comparator.comparingLong(KeptDecision::number).reversed());
        return List.copyOf(found);
    }

    /** At most so many of the last decisions, the last one first; cheaper than {@link #find} of all. */
    List<KeptDecision> last(int most) {
        List<KeptDecision> found = new ArrayList<>();
        long newest = decided;
        for (long number = newest; number > Math.max(0, newest - Math.min(most, ring.length())); number--) {
            KeptDecision kept = ring.get(slot(number));
            if (kept != null) {
                found.add(kept);
            }
        }
        return List.copyOf(found);
    }

    @Override
    public boolean wantsAttempts() {
        return ring.length() > 0 || log != null;
    }

    @Override
    public void onAttempt(QueuedPod entry) {
        attempt = entry;
        details = AttemptDetails.NONE;
    }

    @Override
    public void onAttempted(PodInfo pod, AttemptDetails seen) {
        details = seen;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    public void onDecision(PodInfo pod, Decision decision, long nanos) {
        if (!wantsAttempts()) {
            return;
        }
        QueuedPod entry = attempt;
        KeptDecision.Tried tried = new KeptDecision.Tried(
                pod.key(),
                pod.uid(),
                entry == null ? 0 : entry.attempts(),
                clock.instant(),
                pod.spec().schedulerName(),
                pod.nominatedNodeName(),
                nanos,
                tables.of(decision.generation(), pod.spec().schedulerName()));
        long number = decided + 1;
        KeptDecision kept = KeptDecision.of(number, tried, decision, details);
        attempt = null;
        details = AttemptDetails.NONE;
        if (log != null) {
            logged = kept;
            log.made(kept);
        }
        if (ring.length() == 0) {
            decided = number;
            return;
        }
        KeptDecision before = ring.getAndSet(slot(number), kept);
        if (before != null) {
            lastOfPod.remove(before.tried().uid(), before.number());
        }
        lastOfPod.put(pod.uid(), number);
        bytes += kept.bytes() - (before == null ? 0 : before.bytes());
        decided = number;
    }

    private int slot(long number) {
        return (int) ((number - 1) % ring.length());
    }

    @Override
    public void onBound(QueuedPod entry, String node, long nanos) {
        logged(entry, KeptDecision.Outcome.BOUND, null);
        change(
                entry.pod(),
                kept -> node.equals(kept.decision().node())
                        ? kept.with(KeptDecision.Outcome.BOUND, kept.result().message())
                        : kept);
    }

    @Override
    public void onBindFailed(QueuedPod entry, String node, String message) {
        logged(entry, KeptDecision.Outcome.BIND_REFUSED, message);
        change(
                entry.pod(),
                kept -> node.equals(kept.decision().node())
                        ? kept.with(KeptDecision.Outcome.BIND_REFUSED, message)
                        : kept);
    }

    @Override
    public void onFailure(QueuedPod entry, String reason, String message) {
        KeptDecision last = logged;
        boolean isKnown = last != null
                && last.tried().uid().equals(entry.pod().uid())
                && last.result().message().equals(AttemptDetails.bounded(message));
        if (!isKnown) {
            logged(entry, null, message);
        }
        change(entry.pod(), kept -> kept.failed(message));
    }

    @Override
    public void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {
        KeptDecision.Room room = KeptDecision.Room.of(node, victims);
        if (log != null) {
            log.result(preemptor.uid(), 0, null, null, room);
        }
        change(preemptor, kept -> kept.with(room));
    }

    private void logged(QueuedPod entry, KeptDecision.@Nullable Outcome outcome, @Nullable String message) {
        if (log != null) {
            log.result(entry.pod().uid(), entry.attempts(), outcome, message, null);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void change(PodInfo pod, UnaryOperator<KeptDecision> change) {
        Long number = lastOfPod.get(pod.uid());
        if (number == null) {
            return;
        }
        KeptDecision before = ring.get(slot(number));
        if (before != null) {
            KeptDecision after = change.apply(before);
            ring.set(slot(number), after);
            bytes += after.bytes() - before.bytes();
        }
    }

    /** Knows the tables that rules read. Asked by the scheduling thread at each decision, which must not wait. */
    @FunctionalInterface
    public interface TableSource {
        /** There are no tables. */
        TableSource NONE = (generation, schedulerName) -> List.of();

        /**
         * The tables of a profile now, sorted by name.
         *
         * @param generation of the profiles; nothing is known of others than those in force
         */
        List<TableMark> of(long generation, String schedulerName);
    }
}
